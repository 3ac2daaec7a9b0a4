// A question of a self-test: choose or enter, and be told at once, with the reason for each choice.

import { button, make, status } from "./exercises-dom.js";
import { Entry } from "./exercises-entry.js";

export class QuestionView {
  constructor(article, store, marking, words) {
    Object.assign(this, { article, store, words });
    this.id = article.dataset.bkExercise;
    this.name = `bk-${this.id}`;
    this.status = status();
    const draw = article.dataset.draw ? JSON.parse(article.dataset.draw) : null;
    this.entry = draw && marking ? new Entry(article, draw, marking, words) : null;
    this.options = [...article.querySelectorAll(".bk-option")];
    this.answer = article.querySelector('[data-part="answer"]');
    if (this.options.length) this._buildChoice();
    else this._buildNumber();
    if (draw && !marking) this.status.textContent = words.unmarked;
    this.refresh();
  }

  // choices -----------------------------------------------------------------------------------
  _buildChoice() {
    const right = this.options.filter((option) => option.dataset.verdict === "right");
    const type = right.length > 1 ? "checkbox" : "radio";
    this.inputs = this.options.map((option, index) => this._input(option, index, type));
    const question = this.article.querySelector(".bk-exercise-question");
    question.id ||= `${this.name}-question`;
    const list = this.article.querySelector(".bk-options");
    list.setAttribute("role", type === "radio" ? "radiogroup" : "group");
    list.setAttribute("aria-labelledby", question.id);
    for (const option of this.options) option.setAttribute("role", "presentation");
    this.again = button(this.words.again, () => this._again(), "bk-quiet");
    const check = button(this.words.check, () => this._check());
    this.article.append(make("div", { class: "bk-buttons" }, check, this.again), this.status);
  }

  _input(option, index, type) {
    const text = option.querySelector(".bk-option-text");
    text.id = `${this.name}-option-${index}`;
    const input = make("input", { type, name: this.name, "aria-labelledby": text.id });
    text.addEventListener("click", (event) => {
      if (!event.target.closest("a")) input.click();
    });
    option.prepend(input);
    return input;
  }

  _check() {
    const chosen = this.inputs.flatMap((input, index) => (input.checked ? [index] : []));
    if (!chosen.length) {
      this.status.textContent = this.words.choose;
      return;
    }
    const right = this.options.every(
      (option, index) => (option.dataset.verdict === "right") === chosen.includes(index),
    );
    this.store.update(this.id, { chosen, right, submitted: true });
    this.status.textContent = right ? this.words.rightChoice : this.words.wrongChoice;
  }

  _again() {
    this.store.update(this.id, { chosen: [], right: null, submitted: false });
    for (const input of this.inputs) input.checked = false;
    this.status.textContent = "";
    this.inputs[0].focus();
  }

  // numbers -----------------------------------------------------------------------------------
  _buildNumber() {
    if (!this.entry) {
      this.article.append(this.status);
      return;
    }
    const kept = this.store.answer(this.id);
    const form = make(
      "form",
      { class: "bk-exercise-form", on: { submit: (event) => this._entered(event) } },
      this.entry.build(this.name, () => this._redraw()),
      make("div", { class: "bk-buttons" }, make("button", { class: "bk-button", text: this.words.check })),
      this.status,
    );
    this.article.querySelector(".bk-exercise-question").after(form);
    this.entry.input.value = kept.entry;
    const values = this.entry.values(kept.draw);
    if (values !== kept.draw) this.store.setDraw(this.id, values);
    this.entry.show(values);
  }

  _entered(event) {
    event.preventDefault();
    const right = this.entry.judge();
    const { words } = this;
    if (right === null) {
      this.status.textContent = words.noNumber;
      this.entry.input.focus();
      return;
    }
    this.status.textContent = right === undefined ? words.unmarked : right ? words.right : words.wrong;
    this.store.update(this.id, { entry: this.entry.input.value, right: right ?? null, submitted: true });
    this.answer.open = true;
  }

  _redraw() {
    const values = this.entry.values(null);
    this.entry.input.value = "";
    this.status.textContent = "";
    this.store.update(this.id, { draw: values, entry: "", right: null, submitted: false });
    this.entry.show(values);
    this.entry.input.focus();
  }

  refresh() {
    const kept = this.store.answer(this.id);
    this.entry?.follow(kept);
    this.options.forEach((option, index) => {
      const why = option.querySelector(".bk-option-why");
      why.hidden = !kept.submitted;
      if (kept.submitted) this.inputs[index].checked = kept.chosen.includes(index);
      why.open = kept.submitted;
      option.classList.toggle("bk-told", kept.submitted);
    });
    if (this.again) this.again.hidden = !kept.submitted;
    if (this.entry && this.answer) this.answer.hidden = !kept.submitted;
    this.article.dataset.state = kept.right === true ? "done" : "open";
  }
}
