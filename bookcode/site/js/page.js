// The entry of every page: starts what the page needs, and leaves a plain page alone.
//
// What-if is offered here and loaded when a reader first shows interest: most pages are only read.

import { element, hasData } from "./base.js";
import { startHints } from "./hints.js";
import { startLanguages } from "./language.js";
import { startTools } from "./tools.js";
import { words } from "./words.js";

let starting = null;

/** Put the button and the parameters of the text in reach; start at once if the address asks. */
function offerWhatIf(root) {
  if (!root.querySelector("meta[name='bookcode-parameters']")) return;
  const said = words(root);
  const box = element("section", "bk-whatif");
  box.setAttribute("aria-label", said.panel);
  const bar = element("div", "bk-whatif-bar");
  const opener = element("button", "bk-whatif-open", said.whatif);
  opener.type = "button";
  opener.setAttribute("aria-expanded", "false");
  bar.append(opener);
  box.append(bar);
  root.querySelector("article[role=main]").prepend(box);
  const start = () => startOnce(root, said, box);
  opener.addEventListener("click", async () => (await start())?.panel.toggle());
  for (const place of root.querySelectorAll(".bk-param")) offer(place, start, said);
  if (location.search.includes("with.")) start();
}

function startOnce(root, said, box) {
  starting ??= import("./whatif.js")
    .then(({ startWhatIf }) => startWhatIf(root, box))
    .catch((error) => {
      starting = null;
      const message = element("p", "bk-problem", said.failed);
      message.setAttribute("role", "alert");
      box.append(message);
      throw error;
    });
  return starting;
}

/** A parameter in the text becomes a control when it is pointed at or reached by keyboard. */
function offer(place, start, said) {
  place.tabIndex = 0;
  place.setAttribute("role", "button");
  place.setAttribute("aria-label", `${said.change}: ${place.textContent}`);
  const wake = async (event) => {
    place.removeEventListener("pointerenter", wake);
    place.removeEventListener("focus", wake);
    await start();
    if (event.type === "focus") (place.querySelector("select") ?? place).focus();
  };
  place.addEventListener("pointerenter", wake);
  place.addEventListener("focus", wake);
}

startTools(document);
startLanguages(document);
if (hasData(document)) {
  startHints(document);
  offerWhatIf(document);
}
