"""What tests wait for in place of a time: a page does things in frames, however long those take."""

from __future__ import annotations

from playwright.sync_api import Page


def drawn(page: Page) -> None:
    """Wait until what was set before is drawn, and who listens to scrolling and sizes has heard."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
