// What every script needs: elements, and the page's data and modules, fetched when first needed.

let loading = null;

/** A new element with a class and a text. */
export function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function address(root) {
  return root.querySelector("meta[name='bookcode-data']")?.content ?? "";
}

/** Whether there is anything on the page to ask about. */
export function hasData(root) {
  return address(root) !== "";
}

/** The page's data; a failed fetch may be tried again. */
export function pageData(root) {
  loading ??= fetchJson(new URL(address(root), root.baseURI)).catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function fetchJson(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url.pathname}: ${answer.status}`);
  return answer.json();
}

/** The modules that compute the page's numbers, in the order of the data. */
export function computing(root, data) {
  const base = new URL(address(root), root.baseURI);
  return Promise.all(data.modules.map((name) => import(new URL(name, base))));
}
