// Small helpers to build what exercises need. Texts only ever become text nodes, never markup.

/** An element with properties (`text`, `class`, `on` or attributes) and children. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") element.textContent = value;
    else if (key === "class") element.className = value;
    else if (key === "on") for (const [type, call] of Object.entries(value)) element.addEventListener(type, call);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function button(text, click, className = "") {
  return make("button", { type: "button", text, class: `bk-button ${className}`.trim(), on: { click } });
}

/** A place for short messages that are read out. */
export function status(className = "") {
  return make("p", { role: "status", class: `bk-status ${className}`.trim() });
}

/** A select with a label; `options` are [value, text]. */
export function choice(label, options, change) {
  const select = make(
    "select",
    { on: { change: () => change(select.value) } },
    ...options.map(([value, text]) => make("option", { value, text })),
  );
  return make("label", { class: "bk-choice" }, make("span", { text: label }), select);
}
