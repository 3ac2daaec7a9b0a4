// Filters over the exercises of a page: by kind, difficulty, what they need, and what is done.

import { choice, make, status } from "./exercises-dom.js";

const ARTICLE = ".bk-exercise[data-bk-exercise]";
const FIELDS = ["kind", "difficulty", "needs"];

/** The values of a field, with the words that the page itself shows for them. */
function valuesOf(articles, field) {
  const shown = new Map();
  for (const article of articles) {
    const tags = article.querySelectorAll(".bk-exercise-tags > span");
    const position = FIELDS.filter((one) => article.dataset[one]).indexOf(field);
    const value = article.dataset[field];
    if (value) shown.set(value, tags[position].ariaLabel ?? tags[position].textContent);
  }
  return [...shown].sort(([one], [other]) => one.localeCompare(other));
}

export class Filter {
  /** `articles` are the page's exercises; the bar goes before the first of them. */
  constructor(articles, words) {
    Object.assign(this, { articles, words, wanted: {} });
    this.status = status();
    const within = articles.map((article) => article.closest("section section"));
    this.sections = [...new Set(within)].filter(Boolean);
    const bar = make("div", { class: "bk-filter", role: "group", "aria-label": words.filters });
    for (const field of FIELDS) {
      const values = valuesOf(articles, field);
      if (values.length > 1) bar.append(this._choice(field, values));
    }
    bar.append(this._choice("state", [["open", words.open], ["done", words.done]]));
    bar.append(this.status);
    this._place(bar);
  }

  _choice(field, values) {
    const options = [["", this.words.all], ...values];
    return choice(this.words[field], options, (value) => {
      this.wanted[field] = value;
      this.apply();
    });
  }

  _place(bar) {
    (this.sections[0] ?? this.articles[0]).before(bar);
  }

  /** Hide what does not fit, and sections that have nothing left. */
  apply() {
    let count = 0;
    for (const article of this.articles) {
      const fits = Object.entries(this.wanted).every(
        ([field, value]) => !value || article.dataset[field] === value,
      );
      article.hidden = !fits;
      count += fits;
    }
    for (const section of this.sections) {
      section.hidden = [...section.querySelectorAll(ARTICLE)].every((article) => article.hidden);
    }
    const any = Object.values(this.wanted).some(Boolean);
    this.status.textContent = any ? this.words.shown(count, this.articles.length) : "";
  }
}
