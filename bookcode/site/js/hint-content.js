// What a hint's box holds, made of the page's data. Texts stay texts; only formulas are markup,
// and those were set by the build.

import { element } from "./base.js";

/** Fill the box with a hint: {title, math, letters, rows, facts}; `hints` explains the facts. */
export function fill(box, trigger, hint, hints, words) {
  const list = element("dl", "bk-hint-rows");
  if (trigger.dataset.book !== undefined) {
    add(list, words.now, trigger.dataset.now ?? trigger.textContent);
    add(list, words.book, trigger.dataset.book);
  }
  for (const [label, math] of hint.math ?? []) list.append(term(label), formula("dd", math));
  if (hint.letters?.length) list.append(term(words.letters), letters(hint.letters));
  for (const [label, text, link] of hint.rows ?? []) add(list, label, text, link);
  for (const fact of hint.facts ?? []) {
    for (const [label, text, link] of hints[`fact:${fact}`].rows) add(list, label, text, link);
  }
  if (hint.failed) list.append(element("dd", "bk-problem", words.failed));
  const head = element("div", "bk-hint-head");
  const close = element("button", "bk-hint-close", "×");
  close.type = "button";
  close.setAttribute("aria-label", words.close);
  head.append(element("strong", "", hint.title), close);
  box.replaceChildren(head, list, ...report(trigger, words));
}

/** The box as one sentence, for a description that is heard. */
export function spoken(box) {
  const parts = [...box.querySelectorAll("dt, dd")].map((part) =>
    part.tagName === "DT" ? `${part.textContent}:` : `${part.textContent};`,
  );
  return parts.join(" ").replace(/\s+/g, " ");
}

const term = (label) => element("dt", "", label);

function add(list, label, text, link) {
  if (label) list.append(term(label));
  const value = element("dd");
  if (link) {
    const anchor = element("a", "", text);
    anchor.href = link;
    value.append(anchor);
  } else {
    value.textContent = text;
  }
  list.append(value);
}

function formula(name, math) {
  const holder = element(name, "bk-hint-math");
  holder.innerHTML = math;
  return holder;
}

function letters(rows) {
  const holder = element("dd");
  for (const [symbol, meaning, value] of rows) {
    const row = element("div", "bk-letter");
    row.append(formula("span", symbol), ` ${meaning}`);
    if (value) row.append(" = ", formula("span", value));
    holder.append(row);
  }
  return holder;
}

/** A link that reports an error in this one thing, where the page has one for itself. */
function report(trigger, words) {
  const whole = document.querySelector("a.bk-report");
  if (!whole) return [];
  const url = new URL(whole.href);
  url.searchParams.set("key", trigger.dataset.claim ?? trigger.dataset.key ?? "");
  url.searchParams.set("shown", trigger.textContent);
  const link = element("a", "bk-hint-report", words.report);
  link.href = url.href;
  return [link];
}
