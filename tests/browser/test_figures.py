"""Labels in figures: apart from each other and inside, whatever the reader sets."""

from __future__ import annotations

import json

import pytest

from .accessibility import SIZES, appear

pytestmark = pytest.mark.browser

EVERY_SETTING = """async () => {
  const script = document.querySelector("script[src*='js/page.js']");
  const { startWhatIf } = await import(new URL("whatif.js", script.src));
  const model = await startWhatIf(document, document.querySelector(".bk-whatif"));
  const book = model.book;
  const settings = { "the book": book };
  for (const { title, values } of model.data.presets) settings[title] = { ...book, ...values };
  for (const [name, one] of Object.entries(model.parameters)) {
    const values = one.options ? Object.keys(one.options) : [one.minimum, one.maximum];
    for (const value of values) settings[`${name} = ${value}`] = { ...book, [name]: value };
  }
  // Where a text lies on the screen: four corners, since some texts go up along a line. The box of
  // a line has room above and below its letters, which is left out: one unit of the drawing each.
  const corners = (text) => {
    const [{ x: left, y, width, height }, matrix] = [text.getBBox(), text.getScreenCTM()];
    const [right, top, bottom] = [left + width, y + 1, y + height - 1];
    return [[left, top], [right, top], [right, bottom], [left, bottom]]
      .map((at) => new DOMPoint(...at).matrixTransform(matrix));
  };
  const shownAt = (label) =>
    [...label.querySelectorAll("text")]
      .filter((one) => one.textContent.trim() && one.checkVisibility({ visibilityProperty: true }))
      .map((one) => ({ of: label.id, text: one.textContent, at: corners(one) }));
  // Two convex shapes are apart if a line along a side of one has each on a side of its own.
  const apart = (one, other) =>
    [one, other].some((shape) =>
      [0, 1].some((side) => {
        const [from, to] = [shape[side], shape[side + 1]];
        const along = (at) => at.x * (to.x - from.x) + at.y * (to.y - from.y);
        const [mine, theirs] = [one.map(along), other.map(along)];
        const before = (some, others) => Math.max(...some) <= Math.min(...others);
        return before(mine, theirs) || before(theirs, mine);
      }));
  const wrong = [];
  let seen = 0;
  for (const [said, setting] of Object.entries(settings)) {
    model.setting = setting;
    model.refresh();
    for (const drawing of document.querySelectorAll(".bk-figure svg")) {
      const frame = drawing.getBoundingClientRect();
      const shown = [...drawing.querySelectorAll("[id*='-label-']")].flatMap(shownAt);
      seen += shown.length;
      for (const [index, one] of shown.entries()) {
        const inside = ({ x, y }) =>
          x >= frame.left && x <= frame.right && y >= frame.top && y <= frame.bottom;
        if (!one.at.every(inside)) wrong.push(`${said}: ${one.text} leaves the figure`);
        for (const other of shown.slice(index + 1)) {
          if (one.of === other.of || apart(one.at, other.at)) continue;
          wrong.push(`${said}: ${one.text} on ${other.text}`);
        }
      }
    }
  }
  return { wrong, seen, settings: Object.keys(settings) };
}"""


@pytest.mark.parametrize("size", SIZES)
def test_labels_stay_apart_and_inside_whatever_is_set(open_page, edition, size: str) -> None:
    """Every preset, every option and both ends of every range, on pages whose figures follow."""
    wrong, settings, seen = {}, set(), 0
    for path in edition.pages:
        text = (edition.folder / edition.built.edition / path).read_text("utf-8")
        if "-label-" not in text or 'name="bookcode-parameters"' not in text:
            continue
        page = open_page(edition.url(path))
        appear(page, "light", size)
        found = page.evaluate(EVERY_SETTING)
        if found["wrong"]:
            wrong[path] = found["wrong"]
        settings |= set(found["settings"])
        seen += found["seen"]
        page.close()
    assert wrong == {}, json.dumps(wrong, indent=1, ensure_ascii=False)
    assert seen > 500
    assert any("h100-prelim" in setting for setting in settings)
