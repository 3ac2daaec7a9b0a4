// Draws a reader's roof and operators into a figure of the page, and a table of them.

import { make } from "./exercises-dom.js";
import { roofPath, spot } from "./figures.js";
import { formatValue } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
const RADIUS = 5;

function shape(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text) made.textContent = text;
  return made;
}

/** The reader's part of a drawing: the roof of the fastest precision, and a numbered mark a row. */
export function overlay(axes, record, rows) {
  const group = shape("g", { class: "bk-own" });
  const roof = roofPath(axes, Math.max(...record.peaks.values()), record.bandwidth);
  const [left, top, right, bottom] = axes.frame;
  // A roof may lie outside the frame: what is drawn there would cross the page.
  const clip = shape("svg", {
    x: left, y: top, width: right - left, height: bottom - top, viewBox: `${left} ${top} ${right - left} ${bottom - top}`, overflow: "hidden",
  });
  clip.append(shape("path", { d: roof, class: "bk-own-roof" }));
  group.append(clip);
  rows.forEach((row, index) => {
    const at = spot(axes, row.intensity, row.rate);
    const mark = shape("g", { class: at.outside ? "bk-own-mark bk-outside" : "bk-own-mark", transform: `translate(${at.x} ${at.y})` });
    mark.append(shape("title", {}, row.name), shape("circle", { r: RADIUS }), shape("text", { dy: "0.36em", "text-anchor": "middle" }, String(index + 1)));
    group.append(mark);
  });
  return group;
}

/** Which rows the drawing shows at its edge. */
export function outside(axes, row) {
  return spot(axes, row.intensity, row.rate).outside;
}

function cell(name, text, number = false) {
  return make(name, { text, class: number ? "bk-number-cell" : "", scope: name === "th" ? "col" : null });
}

/** The operators as a table. */
export function table(axes, rows, words, language) {
  const shown = (value, unit, spec) => formatValue(value, unit, spec, language);
  const heads = [words.number, words.operator, words.intensity, words.time, words.bound, words.share, words.limit];
  const body = rows.map((row, index) =>
    make(
      "tr",
      {},
      cell("td", String(index + 1)),
      cell("td", outside(axes, row) ? words.outside(row.name) : row.name),
      cell("td", shown(row.intensity, "FLOP/B", "sig3"), true),
      cell("td", shown(row.seconds, "s", "sig3"), true),
      cell("td", shown(row.bound, "s", "sig3"), true),
      cell("td", shown(row.share, "1", "pct0"), true),
      cell("td", words.regimes[row.regime]),
    ),
  );
  const made = make(
    "table",
    { class: "bk-table bk-own-table docutils" },
    make("caption", { text: words.caption }),
    make("thead", {}, make("tr", {}, ...heads.map((text) => cell("th", text)))),
    make("tbody", {}, ...body),
  );
  return make("div", { class: "table-wrapper", tabindex: "0", role: "region", "aria-label": words.caption }, made);
}
