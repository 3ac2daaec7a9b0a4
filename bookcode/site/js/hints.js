// Where a number, fact, verdict or source comes from: on hover, focus and tap, one box for all.
//
// Until the page's data is there, and without scripts, the text of the `title` attribute says it.

import { element, pageData } from "./base.js";
import { words } from "./words.js";

const TRIGGER = ".bk-shown, .bk-verdict, .bk-source";
const OPEN_AFTER = 120;
const CLOSE_AFTER = 250;
const GAP = 6;
const EDGE = 8;

/** Makes everything on the page that has a hint show it. */
export function startHints(root) {
  const hints = new Hints(root);
  for (const trigger of root.querySelectorAll(TRIGGER)) {
    if (trigger.closest("h1, h2, h3, h4, h5, h6, .toc-tree")) continue;
    describe(trigger, trigger.title);
    trigger.removeAttribute("title");
    // Numbers inside a verdict are part of its hint: one stop of the keyboard, not three.
    if (!trigger.parentElement.closest(TRIGGER) && trigger.tagName !== "A") trigger.tabIndex = 0;
  }
  hints.listen();
  return hints;
}

/** The description that screen readers announce; the one that the build made stays. */
function describe(trigger, text) {
  const made = trigger.getAttribute("aria-describedby");
  if (text) trigger.dataset.said = text;
  if (text && !made) trigger.setAttribute("aria-description", text);
}

/** The name of what a trigger shows in the page's data. */
export function hintName(trigger) {
  const { role, key, claim } = trigger.dataset;
  return claim ? `holds:${claim}` : `${role}:${key}`;
}

class Hints {
  constructor(root) {
    this.root = root;
    this.words = words(root);
    this.trigger = null;
    this.pinned = false;
    this.passing = false;
    this.timer = 0;
    this.box = element("div", "bk-hint-box");
    Object.assign(this.box, { id: "bk-hint-box", hidden: true, tabIndex: -1 });
    this.box.setAttribute("role", "dialog");
    this.box.setAttribute("aria-label", this.words.hint);
    // Inside the page's main part, where screen readers look for it.
    (root.querySelector("article[role=main]") ?? root.body).append(this.box);
  }

  listen() {
    const { root, box } = this;
    root.addEventListener("mouseover", (event) => this.hovered(event));
    root.addEventListener("focusin", (event) => this.focused(event));
    root.addEventListener("click", (event) => this.clicked(event));
    root.addEventListener("keydown", (event) => this.typed(event));
    addEventListener("scroll", () => this.place(), { passive: true, capture: true });
    addEventListener("resize", () => this.place(), { passive: true });
    box.addEventListener("click", (event) => {
      if (event.target.closest(".bk-hint-close")) this.close(true);
    });
  }

  triggerOf(event) {
    const found = event.target instanceof Element ? event.target.closest(TRIGGER) : null;
    return found && found.dataset.said !== undefined ? found : null;
  }

  // A pause before opening and closing lets a pointer pass by, and reach the box.
  later(action, delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(action, delay);
  }

  hovered(event) {
    const trigger = this.triggerOf(event);
    if (this.pinned) return;
    if (trigger && trigger !== this.trigger) this.later(() => this.open(trigger, true), OPEN_AFTER);
    else if (trigger || this.box.contains(event.target)) clearTimeout(this.timer);
    else if (this.trigger || this.timer) this.later(() => this.close(), CLOSE_AFTER);
  }

  focused(event) {
    if (this.box.contains(event.target)) return;
    const trigger = this.triggerOf(event);
    if (trigger && trigger === event.target) this.open(trigger);
    else if (this.trigger) this.close();
  }

  clicked(event) {
    const trigger = this.triggerOf(event);
    if (!trigger) {
      if (this.trigger && !this.box.contains(event.target)) this.close();
      return;
    }
    const link = trigger.tagName === "A" && (this.pinned || event.pointerType !== "touch");
    if (link) return; // a mouse has seen the hint already, a finger sees it first
    event.preventDefault();
    this.open(trigger);
    this.pinned = true;
  }

  typed(event) {
    const trigger = this.triggerOf(event);
    if (event.key === "Escape" && this.trigger) {
      event.preventDefault();
      this.close(true);
    } else if (trigger && trigger.tagName !== "A" && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      this.open(trigger);
      this.pinned = true;
      this.box.focus();
    } else if (event.key === "Tab" && this.box.contains(event.target)) {
      this.leave(event);
    }
  }

  /** Tab out of the box goes on from what it explains, not from the end of the page. */
  leave(event) {
    const stops = [...this.box.querySelectorAll("a[href], button")];
    const last = event.shiftKey ? stops[0] : stops.at(-1);
    const onBox = event.target === this.box;
    if (event.target !== last && !(onBox && (event.shiftKey || !stops.length))) return;
    this.close(true);
    if (event.shiftKey) event.preventDefault();
  }

  async open(trigger, passing = false) {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.trigger === trigger) return;
    this.close();
    this.passing = passing; // opened by a pointer that may just be passing by
    this.trigger = trigger;
    const plain = { title: trigger.textContent, rows: [["", trigger.dataset.said]] };
    const content = import("./hint-content.js"); // what shows a hint comes with the first one
    const data = await pageData(this.root).catch(() => null);
    const { fill, spoken } = await content;
    if (this.trigger !== trigger) return;
    const hint = data ? (data.hints[hintName(trigger)] ?? plain) : { ...plain, failed: true };
    fill(this.box, trigger, hint, data?.hints ?? {}, this.words);
    this.show(trigger, spoken(this.box));
  }

  show(trigger, heard) {
    this.box.hidden = false;
    trigger.classList.add("bk-explained");
    if (!trigger.hasAttribute("aria-describedby")) {
      trigger.setAttribute("aria-description", heard);
    }
    this.place();
  }

  close(returning = false) {
    clearTimeout(this.timer);
    this.timer = 0;
    const { trigger } = this;
    const back = returning && this.box.contains(this.root.activeElement);
    this.box.hidden = true;
    this.trigger = null;
    this.pinned = false;
    trigger?.classList.remove("bk-explained");
    if (back) {
      // Focus would open the hint again.
      this.trigger = trigger;
      trigger.focus();
      this.trigger = null;
    }
  }

  place() {
    if (this.box.hidden || !this.trigger) return;
    const about = this.trigger.getBoundingClientRect();
    this.box.style.maxHeight = "";
    const size = this.box.getBoundingClientRect();
    if (this.passing && !this.pinned && (about.bottom < 0 || about.top > innerHeight)) {
      this.close(true);
      return;
    }
    const view = { width: this.root.documentElement.clientWidth, height: innerHeight };
    const spot = position(about, size, view);
    this.box.style.maxHeight = `${spot.room}px`;
    this.box.style.left = `${spot.left}px`;
    this.box.style.top = spot.below ? `${spot.top}px` : "auto";
    this.box.style.bottom = spot.below ? "auto" : `${spot.bottom}px`;
  }
}

/**
 * Where a box of `size` goes beside what it is about, never over it: below, or above where there
 * is more room; in a view too small for it the box scrolls inside `room`.
 */
export function position(about, size, view) {
  const under = view.height - about.bottom - GAP - EDGE;
  const over = about.top - GAP - EDGE;
  const below = size.height <= under || under >= over;
  const left = Math.max(EDGE, Math.min(about.left, view.width - size.width - EDGE));
  return {
    below,
    left,
    top: about.bottom + GAP,
    bottom: view.height - about.top + GAP,
    room: Math.max(0, below ? under : over),
  };
}
