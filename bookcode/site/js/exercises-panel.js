// What a reader may do with the answers: take them along, bring them back, and clear all of them.

import { button, make, status } from "./exercises-dom.js";
import { LIMITS } from "./exercises-schema.js";

export const FILE = "bookcode-progress.json";

export class Panel {
  constructor(store, words) {
    Object.assign(this, { store, words });
    this.status = status();
    this.notice = make("p", { role: "alert", class: "bk-notice", hidden: true });
    this.file = make("input", {
      type: "file",
      accept: "application/json,.json",
      class: "bk-file",
      "aria-label": words.import,
      on: { change: () => this._import() },
    });
    const load = make("label", { class: "bk-button bk-load" }, make("span", { text: words.import, "aria-hidden": "true" }), this.file);
    this.ask = this._question();
    this.element = make(
      "section",
      { class: "bk-panel", "aria-label": words.panel },
      make("p", { class: "bk-panel-title", text: words.panel }),
      make("p", { text: words.kept }),
      this.notice,
      make(
        "div",
        { class: "bk-buttons" },
        button(words.export, () => this._export()),
        load,
        button(words.clear, () => this._ask(true), "bk-quiet"),
      ),
      this.ask,
      this.status,
    );
    this.refresh();
  }

  _question() {
    const { words } = this;
    const clear = () => {
      this.store.clear();
      this._ask(false);
      this.status.textContent = words.cleared;
    };
    return make(
      "div",
      { class: "bk-ask", hidden: true, role: "group", "aria-label": words.clear },
      make("p", { text: words.sure }),
      make("div", { class: "bk-buttons" }, button(words.yes, clear), button(words.no, () => this._ask(false))),
    );
  }

  _ask(open) {
    this.ask.hidden = !open;
    this.status.textContent = "";
    if (open) this.ask.querySelector("button:last-of-type").focus();
  }

  _export() {
    const url = URL.createObjectURL(new Blob([this.store.exported()], { type: "application/json" }));
    const link = make("a", { href: url, download: FILE });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 0);
  }

  async _import() {
    const [file] = this.file.files;
    if (!file) return;
    const problem = this.words.problem;
    // The size is looked at first: a huge file must not be read into the page.
    if (file.size > LIMITS.file) this.status.textContent = problem.size;
    else {
      try {
        this._told(this.store.take(await file.text()));
      } catch {
        this.status.textContent = problem.unreadable;
      }
    }
    this.file.value = "";
  }

  _told({ problem, dropped }) {
    const { words } = this;
    const left = dropped ? ` ${words.dropped(dropped)}` : "";
    this.status.textContent = problem ? words.problem[problem] : words.imported + left;
  }

  refresh() {
    const { notice } = this.store;
    this.notice.hidden = notice === null;
    this.notice.textContent = notice === null ? "" : this.words.notice[notice];
  }
}
