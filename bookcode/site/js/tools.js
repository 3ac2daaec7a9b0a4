// Small things that every page has: copying code, scrolling by keyboard, notes for print.

import { element } from "./base.js";
import { words } from "./words.js";

const SCROLLERS = ".highlight pre, .table-wrapper, .bk-table, .bk-figure, .bk-math-block, .output";

/** Start them. */
export function startTools(root) {
  const said = words(root);
  for (const block of root.querySelectorAll("div.highlight")) addCopy(block, said);
  nameLandmarks(root, said);
  reachByKeyboard(root);
  addEventListener("resize", () => reachByKeyboard(root), { passive: true });
  addEventListener("beforeprint", () => addNotes(root, said));
  addEventListener("afterprint", () => removeNotes(root));
}

/** The theme has two areas of one kind; a screen reader must tell them apart. */
function nameLandmarks(root, said) {
  root.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", said.contents);
  root.querySelector("aside.toc-drawer")?.setAttribute("aria-label", said.onThisPage);
}

function addCopy(block, said) {
  const code = block.querySelector("pre");
  if (!code || block.querySelector(".bk-copy")) return;
  const button = element("button", "bk-copy", said.copy);
  button.type = "button";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent.replace(/\n$/, ""));
    button.textContent = said.copied;
    setTimeout(() => (button.textContent = said.copy), 1500);
  });
  block.append(button);
}

/** What scrolls sideways can be reached and scrolled by keyboard, and only that. */
function reachByKeyboard(root) {
  for (const area of root.querySelectorAll(SCROLLERS)) {
    const scrolls = area.scrollWidth > area.clientWidth + 1;
    if (scrolls) area.tabIndex = 0;
    else if (area.getAttribute("tabindex") === "0") area.removeAttribute("tabindex");
  }
}

/** On paper there is nothing to hover over: each hint becomes a numbered note at the end. */
function addNotes(root, said) {
  removeNotes(root);
  const list = element("ol", "bk-notes-list");
  const numbers = new Map();
  for (const shown of root.querySelectorAll("[data-said]")) {
    const text = shown.dataset.said;
    if (!numbers.has(text)) {
      numbers.set(text, numbers.size + 1);
      list.append(element("li", "", text));
    }
    shown.append(element("sup", "bk-note-mark", String(numbers.get(text))));
  }
  if (!numbers.size) return;
  const notes = element("section", "bk-notes");
  notes.append(element("p", "bk-notes-title", said.notes), list);
  (root.querySelector("article[role=main]") ?? root.body).append(notes);
}

function removeNotes(root) {
  for (const mark of root.querySelectorAll(".bk-note-mark, .bk-notes")) mark.remove();
}
