// The field for a number that the page can mark, and the numbers drawn for it.

import { computing, hasData, pageData } from "./base.js";
import { drawValues, isDrawn, isRight, readEntry } from "./exercises-draw.js";
import { button, make } from "./exercises-dom.js";
import { shown } from "./follow.js";
import { LIMITS } from "./exercises-schema.js";
import { bookSetting } from "./state.js";

/** What marks the exercises of a page: its data and its own module; null where it has none. */
export async function loadMarking(root) {
  if (!hasData(root)) return null;
  const data = await pageData(root);
  const [own] = await computing(root, { ...data, modules: data.modules.slice(0, 1) });
  return own === undefined ? null : { data, own };
}

export class Entry {
  /** `marking` is what `loadMarking` gave, `draw` the article's data. */
  constructor(article, draw, marking, words) {
    Object.assign(this, { article, draw, marking, words });
    this.varies = Object.keys(draw.vary).length > 0;
    this.unit = marking?.data.numbers[draw.key]?.[0] ?? "1";
    this._book = new Map();
  }

  /** The field with its label; `redraw` is called for other numbers. */
  build(id, redraw) {
    const { words, draw } = this;
    const unit = draw.scale || (this.unit === "1" ? "" : this.unit);
    const tolerance = String(Number((draw.tolerance * 100).toPrecision(3)));
    this.input = make("input", {
      id: `${id}-number`,
      type: "text",
      autocomplete: "off",
      inputmode: "decimal",
      maxlength: LIMITS.entry,
    });
    const label = make("label", { for: `${id}-number`, text: words.number(unit, tolerance) });
    const told = this.varies ? make("p", { class: "bk-drawn-note" }, words.drawn + " ") : null;
    told?.append(button(words.drawAgain, redraw, "bk-small"));
    return make("div", { class: "bk-entry" }, told, label, this.input);
  }

  /** The draw to use: the kept one if it still may be drawn, else a new one; null at the book's. */
  values(kept, random = Math.random) {
    if (!this.varies || !this.marking) return null;
    return isDrawn(this.draw.vary, kept) ? kept : drawValues(this.draw.vary, random);
  }

  /** Compute and show everything in the article for a draw. */
  show(values) {
    this.drawn = values;
    if (!this.marking) return;
    const { data, own } = this.marking;
    const all = own.compute({ ...bookSetting(own.parameters), ...values });
    this.right = all[this.draw.key];
    for (const span of this.article.querySelectorAll(".bk-shown[data-key]")) {
      const [unit, spec, module] = data.numbers[span.dataset.key] ?? [];
      if (module === 0) this._set(span, all[span.dataset.key], unit, span.dataset.spec || spec);
    }
    for (const span of this.article.querySelectorAll(".bk-verdict[data-claim]")) {
      span.classList.toggle("bk-undrawn", all[span.dataset.claim] === false);
      this._suffix(span, all[span.dataset.claim] === false);
    }
  }

  /** Show what is kept, which may have come from a file or another tab, with other numbers. */
  follow({ entry, draw }) {
    // What stands in the field may not be kept yet, so only a change of what is kept replaces it.
    if (this.input && entry !== this.kept && document.activeElement !== this.input) this.input.value = entry;
    this.kept = entry;
    const other = JSON.stringify(draw) !== JSON.stringify(this.drawn);
    if (this.drawn && other && isDrawn(this.draw.vary, draw)) this.show(draw);
  }

  _set(span, value, unit, spec) {
    const { data } = this.marking;
    if (!this._book.has(span)) this._book.set(span, span.textContent);
    const text = unit === "word" ? (data.words[value] ?? value) : shown(value, unit, spec, data.language);
    span.textContent = text;
    const changed = text !== this._book.get(span);
    span.toggleAttribute("data-drawn", changed);
    // The box that explains a number tells the book's value where there is another one.
    if (changed) span.dataset.book = this._book.get(span);
    else delete span.dataset.book;
  }

  _suffix(span, broken) {
    const next = span.nextElementSibling;
    const there = next?.classList.contains("bk-undrawn-note") ? next : null;
    if (broken && !there) {
      span.after(make("span", { class: "bk-undrawn-note", text: this.words.broken }));
    } else if (!broken) there?.remove();
  }

  /** true, false, or null for what is no number; undefined where the page cannot mark. */
  judge() {
    if (!Number.isFinite(this.right)) return undefined;
    const entered = readEntry(this.input.value, this.unit, this.draw.scale);
    return entered === null ? null : isRight(this.right, entered, this.draw.tolerance);
  }
}
