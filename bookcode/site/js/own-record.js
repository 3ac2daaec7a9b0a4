// The place for a reader's own record: takes a file, checks it, draws it, and forgets it on demand.
//
// The file is read in the browser; nothing of it is sent or kept.

import { button, make, status } from "./exercises-dom.js";
import { overlay, table } from "./own-record-draw.js";
import { LIMITS, reached, readRecord } from "./own-record-read.js";
import { recordWords } from "./own-record-words.js";

class OwnRecord {
  constructor(root, place) {
    this.words = recordWords(root);
    this.language = root.documentElement.lang || "en";
    this.axes = JSON.parse(place.dataset.axes);
    const frame = root.getElementById(`figure-${place.dataset.figure.replaceAll(".", "-")}`);
    this.image = frame?.querySelector(".bk-figure svg") ?? null;
    this.drawn = null;
    this.latest = 0;
    this.place = place;
    this.build();
  }

  build() {
    const { words } = this;
    this.file = make("input", {
      type: "file",
      accept: "application/json,.json",
      class: "bk-file",
      "aria-label": words.choose,
      on: { change: () => this.take([...this.file.files]).finally(() => (this.file.value = "")) },
    });
    const choose = make(
      "label",
      { class: "bk-button bk-load" },
      make("span", { text: words.choose, "aria-hidden": "true" }),
      this.file,
    );
    this.status = status();
    this.result = make("div", { class: "bk-own-result" });
    this.remove = button(words.remove, () => this.clear());
    this.remove.hidden = true;
    this.place.setAttribute("aria-label", words.title);
    this.place.replaceChildren(
      make("p", { class: "bk-panel-title", text: words.title }),
      make("div", { class: "bk-buttons" }, choose, make("span", { text: words.drop }), this.remove),
      this.status,
      this.result,
    );
    this.listen();
  }

  listen() {
    const over = (event, is) => {
      event.preventDefault(); // the browser would open the file in place of the page
      this.place.classList.toggle("bk-over", is);
    };
    this.place.addEventListener("dragover", (event) => over(event, true));
    this.place.addEventListener("dragleave", (event) => over(event, false));
    this.place.addEventListener("drop", (event) => {
      over(event, false);
      this.take([...(event.dataTransfer?.files ?? [])]);
    });
  }

  async take(files) {
    const turn = ++this.latest;
    const { problem, place, record } = await this.read(files);
    if (turn !== this.latest) return; // a later file, or its removal, has come in between
    if (problem) this.say(this.words.problem[problem](place));
    else this.show(record);
  }

  async read(files) {
    if (files.length !== 1) return { problem: "one" };
    // The size is looked at first: a huge file must not be read into the page.
    if (files[0].size > LIMITS.file) return { problem: "size" };
    try {
      return readRecord(await files[0].text());
    } catch {
      return { problem: "unreadable" };
    }
  }

  say(text) {
    this.status.textContent = text;
  }

  show(record) {
    const { axes, language, words } = this;
    const rows = reached(record);
    this.drawn?.remove();
    this.drawn = overlay(axes, record, rows);
    this.image?.append(this.drawn);
    const notes = [];
    if (!record.steady || record.warnings.length) {
      notes.push(make("p", { text: words.unsteady }), make("ul", {}, ...record.warnings.map((text) => make("li", { text }))));
    }
    if (rows.some((row) => row.share > 1)) notes.push(make("p", { text: words.above }));
    const conditions = [words.measured(record.when), ...record.conditions.map((pair) => pair.join(" "))];
    this.result.replaceChildren(
      ...notes,
      ...(rows.length ? [table(axes, rows, words, language)] : [make("p", { text: words.none })]),
      make("p", { class: "bk-own-conditions", text: conditions.join(words.comma) }),
    );
    this.remove.hidden = false;
    this.say(words.drawn(record.device, rows.length));
  }

  clear() {
    this.latest += 1;
    this.drawn?.remove();
    this.drawn = null;
    this.result.replaceChildren();
    this.remove.hidden = true;
    this.file.focus();
    this.say(this.words.removed);
  }
}

for (const place of document.querySelectorAll(".bk-own-record[data-axes]")) new OwnRecord(document, place);
document.documentElement.dataset.ownRecord = "ready";
