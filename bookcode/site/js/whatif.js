// What if: the page under the reader's parameters. Numbers, tables, verdicts, figures follow.

import { computing, element, pageData } from "./base.js";
import { Drawing } from "./figures.js";
import { Follower } from "./follow.js";
import { formatParts, formatValue } from "./format.js";
import { startControls } from "./controls.js";
import { Panel } from "./panel.js";
import { allows, bookSetting, readAddress, same, writeAddress } from "./state.js";
import { words } from "./words.js";

/** Start on this page; resolves when the page shows what its address asks for. */
export async function startWhatIf(root, box) {
  const data = await pageData(root);
  const modules = await computing(root, data);
  const follower = new Follower(data, modules);
  if (!Object.keys(follower.parameters).length) return null;
  return new WhatIf(root, follower).start(box);
}

export class WhatIf {
  constructor(root, follower) {
    this.root = root;
    this.follower = follower;
    this.data = follower.data;
    this.parameters = follower.parameters;
    this.words = words(root);
    this.book = bookSetting(this.parameters);
    this.setting = { ...this.book };
    this.waiting = 0;
    this.targets = findTargets(root, this.data);
  }

  start(box) {
    const values = this.follower.compute(this.book);
    for (const drawing of this.targets.drawings) drawing.remember(reader(values, drawing));
    this.panel = new Panel(this.root, this, box);
    this.controls = startControls(this.root, this);
    const { setting, problems } = readAddress(location.search, this.parameters);
    this.setting = setting;
    this.refresh();
    if (problems.length) this.panel.refuse(problems);
    return this;
  }

  /** Change one parameter. */
  set(name, value) {
    this.setAll({ ...this.setting, [name]: value });
  }

  /** Change to a whole setting, in the next frame; what is not allowed is left alone. */
  setAll(setting) {
    const fits = Object.entries(setting).every(([n, v]) => allows(this.parameters[n], v));
    if (!fits || same(setting, this.setting)) return;
    this.setting = setting;
    this.panel.accept();
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.refresh();
      this.writeAddress();
    });
  }

  reset() {
    this.setAll({ ...this.book });
  }

  writeAddress() {
    const query = writeAddress(location.search, this.setting, this.parameters);
    history.replaceState(history.state, "", `${location.pathname}${query}${location.hash}`);
  }

  /** Whether an option has every fact that the page needs, with the rest as it is. */
  offers(name, option) {
    return this.follower.hasFacts({ ...this.setting, [name]: option });
  }

  parameterText(parameter, value) {
    if (parameter.kind === "choice") return parameter.options[value];
    return formatValue(value, parameter.unit, "int", this.data.language);
  }

  /** The unit as it stands behind a value. */
  unitText(parameter, value) {
    return formatParts(value, parameter.unit, "int", this.data.language)[1];
  }

  /** Show everything as it is under the present setting. */
  refresh() {
    const values = this.follower.compute(this.setting);
    const atBook = same(this.setting, this.book);
    this.texts = new Map();
    const tally = { changed: new Set(), broken: new Map(), unjudged: new Set() };
    for (const target of this.targets.numbers) this.showNumber(target, values, tally);
    for (const target of this.targets.verdicts) this.showVerdict(target, values, tally);
    for (const target of this.targets.rows) this.showRow(target, values);
    for (const target of this.targets.formulas) this.showFormula(target, tally);
    for (const drawing of this.targets.drawings) {
      drawing.draw(reader(values, drawing), atBook);
      this.describe(drawing, values, atBook);
    }
    for (const update of this.controls) update(this.setting);
    this.panel.update(tally, atBook);
  }

  /** A number's text under the present setting; made once, however often the page shows it. */
  textOf(values, key, spec) {
    const name = `${key} ${spec ?? ""}`;
    let text = this.texts.get(name);
    if (text === undefined) this.texts.set(name, (text = this.follower.text(values, key, spec)));
    return text;
  }

  showNumber(target, values, tally) {
    const { place, key, spec, book } = target;
    const known = this.textOf(values, key, spec);
    const text = known ?? this.words.noFact;
    if (text !== book) tally.changed.add(key);
    if (text === target.now) return;
    target.now = text;
    write(place, text, book);
    place.classList.toggle("bk-nofact", known === null);
  }

  showVerdict({ place, key, said, note }, values, tally) {
    const holds = this.follower.verdict(values, key);
    place.classList.toggle("bk-broken", holds === false);
    place.classList.toggle("bk-nofact", holds === null);
    let text = "";
    if (holds === false) {
      text = this.words.breaks(this.follower.reasons(values, key, this.words.noFact).join(this.words.comma));
      if (!tally.broken.has(key)) tally.broken.set(key, { key, place, said, text });
    } else if (holds === null) {
      text = this.words.cannotJudge;
      tally.unjudged.add(key);
    }
    if (note.textContent !== text) note.textContent = text;
    if (text && !note.isConnected) place.append(note);
    else if (!text) note.remove();
  }

  /** A row of the table that a cell prints of what it publishes. */
  showRow(target, values) {
    const { place, key, book } = target;
    let text;
    if (this.data.claims[key]) {
      const holds = this.follower.verdict(values, key);
      text = holds === null ? this.words.cannotJudge : holds ? this.words.holds : this.words.fails;
    } else if (this.data.numbers[key][0] === "word") {
      const value = this.follower.value(values, key);
      text = value === value ? value : this.words.noFact;
    } else {
      text = this.textOf(values, key, null) ?? this.words.noFact;
    }
    if (text === target.now) return;
    target.now = text;
    write(place, text, book);
  }

  /** A formula with values in it keeps the book's, and says so. */
  showFormula({ place, key, note }, tally) {
    const stale = tally.changed.has(key) || this.parametersOf(key);
    place.classList.toggle("bk-stale", stale);
    if (stale && !note.isConnected) place.after(note);
    else if (!stale) note.remove();
  }

  parametersOf(key) {
    const module = this.data.numbers[key]?.[2] ?? -1;
    return module >= 0 && !same(this.setting, this.book);
  }

  describe(drawing, values, atBook) {
    if (!drawing.image) return;
    const parts = drawing.follow.alt.map((part) => {
      if (typeof part === "string") return part;
      const [role, key, spec, text] = part;
      if (atBook || role !== "num" || !this.data.numbers[key]) return text;
      return this.textOf(values, key, spec === "word" ? null : spec) ?? this.words.noFact;
    });
    drawing.image.setAttribute("aria-label", parts.join(""));
  }
}

/** Values of a figure by the key they have in its module. */
function reader(values, drawing) {
  const module = values[drawing.follow.module];
  return (key) => module?.[key];
}

/** Write a text where it differs; what is not the book's is marked and keeps the book's at hand. */
function write(place, text, book) {
  if (place.textContent !== text) place.textContent = text;
  const changed = text !== book;
  place.classList.toggle("bk-changed", changed);
  if (changed) place.dataset.book = book;
  else delete place.dataset.book;
}

function findTargets(root, data) {
  const numbers = [];
  for (const place of root.querySelectorAll(".bk-shown[data-role='num']")) {
    const { key, spec } = place.dataset;
    if (!data.numbers[key]) continue;
    const book = place.textContent;
    numbers.push({ place, key, spec: spec === "word" ? null : spec, book, now: book });
  }
  const verdicts = [...root.querySelectorAll(".bk-verdict[data-claim]")]
    .filter((place) => data.claims[place.dataset.claim])
    .map((place) => ({ place, key: place.dataset.claim, said: place.textContent, note: element("span", "bk-breaks") }));
  const rows = [];
  for (const row of root.querySelectorAll("table.bookcode-published tr")) {
    const [name, place] = row.cells;
    const key = name.textContent;
    if (data.numbers[key] || data.claims[key]) rows.push({ place, key, book: place.textContent, now: place.textContent });
  }
  const said = words(root).stale;
  const formulas = [...root.querySelectorAll("[data-formula][data-view='values'], [data-formula][data-view='full']")]
    .filter((place) => data.numbers[place.dataset.formula])
    .map((place) => ({ place, key: place.dataset.formula, note: element("span", "bk-stale-note", said) }));
  const drawings = Object.entries(data.figures).map(([key, follow]) => new Drawing(root, key, follow));
  return { numbers, verdicts, rows, formulas, drawings };
}
