// An exercise on the page: write, submit, compare, mark yourself. All of it is kept as it is typed.

import { button, make, status } from "./exercises-dom.js";
import { Entry } from "./exercises-entry.js";
import { LIMITS, MARKS } from "./exercises-schema.js";

const AFTER = ["answer", "mistakes"];

export class ExerciseView {
  constructor(article, store, marking, words) {
    Object.assign(this, { article, store, words });
    this.id = article.dataset.bkExercise;
    const draw = article.dataset.draw ? JSON.parse(article.dataset.draw) : null;
    this.entry = draw && marking ? new Entry(article, draw, marking, words) : null;
    this.unmarkable = draw !== null && !marking;
    this.after = AFTER.map((part) => article.querySelector(`[data-part="${part}"]`)).filter(Boolean);
    this.status = status();
    this._build();
    this._start();
  }

  _build() {
    const { id, words } = this;
    const name = `bk-${id}`;
    this.text = make("textarea", {
      id: `${name}-text`,
      rows: 4,
      maxlength: LIMITS.text,
      on: { input: () => this.store.update(id, { text: this.text.value }) },
    });
    const label = make("label", { for: `${name}-text`, text: words.yours });
    const field = this.entry?.build(name, () => this._redraw()) ?? null;
    this.entry?.input.addEventListener("input", () =>
      this.store.update(id, { entry: this.entry.input.value }),
    );
    this.skip = button(words.skip, () => this._submit(true), "bk-quiet");
    this.form = make(
      "form",
      { class: "bk-exercise-form", on: { submit: (event) => this._submitted(event) } },
      field,
      label,
      this.text,
      make("div", { class: "bk-buttons" }, make("button", { class: "bk-button", text: words.submit }), this.skip),
      this.status,
    );
    this.marks = this._marks(name);
    this.former = make("details", { class: "bk-former", hidden: true }, make("summary", { text: words.former }));
    const hint = this.article.querySelector('[data-part="hint"]');
    (hint ?? this.article.querySelector(".bk-exercise-question")).after(this.form);
    this.article.append(this.marks, this.former);
  }

  _marks(name) {
    const radios = MARKS.map((mark) => {
      const change = () => this.store.update(this.id, { mark });
      const input = make("input", { type: "radio", name: `${name}-mark`, value: mark, on: { change } });
      return make("label", { class: "bk-mark" }, input, make("span", { text: this.words[mark] }));
    });
    const legend = make("legend", { text: this.words.mark });
    return make("fieldset", { class: "bk-marks", hidden: true }, legend, ...radios);
  }

  _start() {
    const kept = this.store.answer(this.id);
    this.text.value = kept.text;
    if (this.entry) {
      this.entry.input.value = kept.entry;
      const values = this.entry.values(kept.draw);
      if (values !== kept.draw) this.store.setDraw(this.id, values);
      this.entry.show(values);
    }
    if (this.unmarkable) this.status.textContent = this.words.unmarked;
    this.refresh();
  }

  /** Show what is kept, but leave a text that is being typed alone. */
  refresh() {
    const kept = this.store.answer(this.id);
    if (document.activeElement !== this.text) this.text.value = kept.text;
    this.entry?.follow(kept);
    for (const part of this.after) part.hidden = !kept.submitted;
    this.marks.hidden = !kept.submitted;
    this.skip.hidden = kept.submitted;
    for (const input of this.marks.querySelectorAll("input")) input.checked = input.value === kept.mark;
    this.former.hidden = kept.former.length === 0;
    const texts = kept.former.map((text) => make("p", { text }));
    this.former.replaceChildren(this.former.firstElementChild, ...texts);
    this.article.dataset.state = kept.mark === null ? "open" : "done";
  }

  _submitted(event) {
    event.preventDefault();
    this._submit(false);
  }

  _submit(skipped) {
    const written = this.text.value.trim() !== "";
    const entered = Boolean(this.entry?.input.value.trim());
    if (!skipped && !written && !entered) {
      this.status.textContent = this.words.nothing;
      (this.entry?.input ?? this.text).focus();
      return;
    }
    const change = { submitted: true, text: this.text.value };
    if (entered && !skipped && !this._judged(change)) return;
    if (!entered || skipped) this.status.textContent = "";
    this.store.update(this.id, change);
    const [answer] = this.after;
    if (answer) answer.open = true;
    if (skipped) answer?.querySelector("summary").focus();
  }

  /** Mark the number; false where it is none, and nothing is submitted then. */
  _judged(change) {
    const right = this.entry.judge();
    if (right === null) {
      this.status.textContent = this.words.noNumber;
      this.entry.input.focus();
      return false;
    }
    const { words } = this;
    this.status.textContent = right === undefined ? words.unmarked : right ? words.right : words.wrong;
    this.status.dataset.right = String(right);
    change.entry = this.entry.input.value;
    change.right = right ?? null;
    if (right !== undefined) change.mark = right ? "got" : "missed";
    return true;
  }

  _redraw() {
    const values = this.entry.values(null);
    this.entry.input.value = "";
    this.status.textContent = "";
    this.store.update(this.id, { draw: values, entry: "", right: null, submitted: false });
    this.entry.show(values);
    this.entry.input.focus();
  }
}
