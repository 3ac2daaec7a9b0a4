// Reloads the page when it was built anew, keeping its place, and shows what went wrong.
// Served by the live server alone; the built site does not hold it.

const PLACE = "bookcode-live-place";
const HIDDEN = "bookcode-live-hidden";

/** The page's path in the site, as the server names it. */
export function pageOf(pathname) {
  const path = decodeURIComponent(pathname).replace(/^\/+/, "");
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

/** Whether a page has to be loaded again: it changed, or something that all pages load did. */
export function concerns(page, changed) {
  const quiet = /^(searchindex\.js|objects\.inv|\.buildinfo|_sources\/.*|_images\/.*)$/;
  return changed.some((name) =>
    name === page || (!name.endsWith(".html") && !quiet.test(name) && ownOrShared(page, name)));
}

/** A page's own data files carry its name; those of other pages do not matter to it. */
function ownOrShared(page, name) {
  const data = /^_static\/bookcode\/(.*)\.js(on)?$/.exec(name);
  return data === null || data[1] === page.replace(/\.html$/, "").replaceAll("/", "-");
}

/** Where the reader is: the nearest anchor above the top of the window, and how far below it. */
export function placeIn(document, window) {
  let best = null;
  for (const element of document.querySelectorAll("main [id], article [id], [role=main] [id]")) {
    const top = element.getBoundingClientRect().top;
    if (top <= 1 && (best === null || top >= best.top)) {
      best = { id: element.id, top };
    }
  }
  return { page: window.location.pathname, y: window.scrollY, ...best };
}

/** Go back to a place that was noted before a reload. */
export function goTo(place, document, window) {
  if (place === null || place.page !== window.location.pathname) return;
  const anchor = place.id === undefined ? null : document.getElementById(place.id);
  const top = anchor === null
    ? place.y
    : window.scrollY + anchor.getBoundingClientRect().top - place.top;
  window.scrollTo({ top, behavior: "instant" });
}

function reload() {
  sessionStorage.setItem(PLACE, JSON.stringify(placeIn(document, window)));
  window.location.reload();
}

function restore() {
  const text = sessionStorage.getItem(PLACE);
  if (text === null) return;
  sessionStorage.removeItem(PLACE);
  window.history.scrollRestoration = "manual";
  const place = JSON.parse(text);
  goTo(place, document, window);
  // figures and fonts may still push things around
  window.addEventListener("load", () => goTo(place, document, window), { once: true });
}

const STYLE = `
:host { all: initial; }
aside { position: fixed; inset: auto 0 0 0; max-height: 45vh; overflow: auto; z-index: 2147483647;
  box-sizing: border-box; padding: 0.75rem 1rem; font: 0.875rem/1.45 system-ui, sans-serif;
  color: #1b1b1b; background: #fff; border-top: 4px solid #b3261e; box-shadow: 0 0 1rem #0005; }
aside.warning { border-top-color: #8a6d00; }
header { display: flex; gap: 1rem; align-items: baseline; }
header strong { flex: 1; }
button { font: inherit; padding: 0.1rem 0.6rem; cursor: pointer; }
ol { margin: 0.5rem 0 0; padding: 0 0 0 1.5rem; }
li { margin: 0.25rem 0; }
code { font-family: ui-monospace, monospace; font-weight: 600; }
pre { margin: 0.1rem 0 0; white-space: pre-wrap; font: 0.8125rem/1.4 ui-monospace, monospace; }
@media (prefers-color-scheme: dark) {
  aside { color: #eee; background: #222; border-top-color: #ff897d; }
}
`;

let host = null;

/** Show the problems, or nothing; the ones that were dismissed stay so until they change. */
function show(state, page) {
  const key = JSON.stringify([state.problems, state.held.includes(page)]);
  host?.remove();
  host = null;
  if (state.problems.length === 0 || sessionStorage.getItem(HIDDEN) === key) return;
  host = document.createElement("div");
  host.id = "bookcode-live-problems";
  const root = host.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = STYLE;
  root.append(style, panel(state, page, key));
  document.body.append(host);
}

function panel(state, page, key) {
  const aside = document.createElement("aside");
  aside.setAttribute("role", "alert");
  const errors = state.problems.filter((problem) => problem.level === "error").length;
  aside.className = errors > 0 ? "error" : "warning";
  const header = document.createElement("header");
  const title = document.createElement("strong");
  title.textContent = heading(state, page, errors);
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Dismiss";
  close.addEventListener("click", () => dismiss(key));
  header.append(title, close);
  const list = document.createElement("ol");
  const own = state.problems.filter((problem) => problem.page === page);
  const others = state.problems.filter((problem) => problem.page !== page);
  list.append(...[...own, ...others].map(item));
  aside.append(header, list);
  return aside;
}

function heading(state, page, errors) {
  const warnings = state.problems.length - errors;
  const parts = [];
  if (errors > 0) parts.push(errors === 1 ? "1 error" : `${errors} errors`);
  if (warnings > 0) parts.push(warnings === 1 ? "1 warning" : `${warnings} warnings`);
  const said = parts.join(", ");
  const held = state.held.includes(page) || state.problems.some(({ tag }) => tag === "builder");
  return held ? `${said}: this is the last good page` : said;
}

function item(problem) {
  const entry = document.createElement("li");
  if (problem.path !== "") {
    const place = document.createElement("code");
    place.textContent = problem.line > 0 ? `${problem.path}:${problem.line}` : problem.path;
    entry.append(place);
  }
  const text = document.createElement("pre");
  text.textContent = problem.text;
  entry.append(text);
  return entry;
}

function dismiss(key) {
  sessionStorage.setItem(HIDDEN, key);
  host?.remove();
  host = null;
}

function listen() {
  const page = pageOf(window.location.pathname);
  const waiting = document.title === "Building";
  const events = new EventSource(`/-/events?page=${encodeURIComponent(page)}`);
  events.addEventListener("message", (event) => {
    const state = JSON.parse(event.data);
    if (concerns(page, state.changed) || (waiting && state.ready)) {
      reload();
    } else {
      show(state, page);
      if (waiting && state.progress !== null) tellProgress(state.progress);
    }
  });
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && host !== null) host.shadowRoot.querySelector("button").click();
  });
}

function tellProgress({ what, page, done, total }) {
  const line = document.querySelector("p");
  line.textContent = `The book is being built: ${what} ${page}, ${done + 1} of ${total}.`;
}

if (typeof window !== "undefined") {
  restore();
  listen();
}
