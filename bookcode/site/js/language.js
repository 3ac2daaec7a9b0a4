// The switch between editions: the same place of the same page, with the reader's parameters.
//
// The link leads to the page without any script; this adds where on the page the reader is, and
// remembers the choice for the page at the site's root.

export const CHOICE = "bookcode.language";

/** A page's address in another edition, with the query and the fragment of this one. */
export function sameplace(address, { search, hash }) {
  return address.replace(/[?#].*$/, "") + search + hash;
}

function remember(tag) {
  try {
    localStorage.setItem(CHOICE, tag);
  } catch {
    // a browser that stores nothing asks again
  }
}

export function startLanguages(root) {
  for (const link of root.querySelectorAll("a.bk-language")) {
    const page = link.getAttribute("href");
    const bring = () => link.setAttribute("href", sameplace(page, location));
    for (const event of ["pointerenter", "pointerdown", "focus", "contextmenu", "click"]) {
      link.addEventListener(event, bring);
    }
    link.addEventListener("click", () => remember(link.hreflang));
  }
}
