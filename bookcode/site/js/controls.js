// Parameters in the running text as controls: drag, arrow keys, typing; a list for choices.

import { element } from "./base.js";
import { allows, atShare, keyStep, nearest, share, typedNumber } from "./state.js";

const DRAG_WIDTH = 240; // pixels from one end of the range to the other
const DRAG_STARTS = 3;

/** Turn every parameter's value in the text into a control; `model` is a WhatIf. */
export function startControls(root, model) {
  const made = [];
  for (const place of root.querySelectorAll(".bk-param[data-param]")) {
    const parameter = model.parameters[place.dataset.param];
    if (!parameter) continue;
    const make = parameter.kind === "choice" ? asList : asNumber;
    made.push(make(place, parameter, model));
  }
  return made;
}

/** A select with all options; those without a fact cannot be picked. */
export function optionList(parameter, model) {
  const list = element("select", "bk-param-list");
  list.setAttribute("aria-label", parameter.title);
  for (const [name, title] of Object.entries(parameter.options)) {
    const option = element("option", "", title);
    option.value = name;
    list.append(option);
  }
  list.addEventListener("change", () => model.set(parameter.name, list.value));
  const update = (setting) => {
    list.value = setting[parameter.name];
    for (const option of list.options) {
      const offered = option.selected || model.offers(parameter.name, option.value);
      option.disabled = !offered;
      const title = parameter.options[option.value];
      option.textContent = offered ? title : model.words.noFactOption(title);
    }
  };
  return { list, update };
}

function asList(place, parameter, model) {
  const { list, update } = optionList(parameter, model);
  for (const name of ["role", "tabindex", "aria-label"]) place.removeAttribute(name);
  place.replaceChildren(list);
  return update;
}

function asNumber(place, parameter, model) {
  place.classList.add("bk-param-number");
  place.tabIndex = 0;
  place.addEventListener("keydown", (event) => typed(event, place, parameter, model));
  place.addEventListener("pointerdown", (event) => dragged(event, place, parameter, model));
  place.addEventListener("dblclick", () => edit(place, parameter, model));
  return (setting) => {
    const value = setting[parameter.name];
    const text = model.parameterText(parameter, value);
    if (!place.querySelector("input")) {
      place.textContent = text;
      setAttributes(place, spinner(parameter, value, text));
    }
    place.classList.toggle("bk-changed", value !== parameter.default);
  };
}

/** What a screen reader says of the control. */
const spinner = (parameter, value, text) => ({
  role: "spinbutton",
  "aria-label": parameter.title,
  "aria-valuemin": parameter.minimum,
  "aria-valuemax": parameter.maximum,
  "aria-valuenow": value,
  "aria-valuetext": text,
});

function setAttributes(place, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) place.removeAttribute(name);
    else place.setAttribute(name, value);
  }
}

function typed(event, place, parameter, model) {
  if (event.target !== place || event.ctrlKey || event.metaKey || event.altKey) return;
  const value = keyStep(parameter, model.setting[parameter.name], event.key);
  if (value !== null) {
    event.preventDefault();
    event.stopPropagation(); // the theme turns pages with the arrow keys
    model.set(parameter.name, value);
  } else if (event.key === "Enter" || /^[0-9]$/.test(event.key)) {
    event.preventDefault();
    edit(place, parameter, model, event.key === "Enter" ? null : event.key);
  }
}

function dragged(down, place, parameter, model) {
  if (down.button !== 0 || down.target !== place) return;
  const start = share(parameter, model.setting[parameter.name]);
  let moving = false;
  const move = (event) => {
    const way = event.clientX - down.clientX;
    moving ||= Math.abs(way) >= DRAG_STARTS;
    if (!moving) return;
    event.preventDefault();
    model.set(parameter.name, atShare(parameter, start + way / DRAG_WIDTH));
  };
  const end = () => {
    place.removeEventListener("pointermove", move);
    place.classList.remove("bk-dragging");
  };
  place.setPointerCapture(down.pointerId);
  place.classList.add("bk-dragging");
  place.addEventListener("pointermove", move);
  place.addEventListener("pointerup", end, { once: true });
  place.addEventListener("pointercancel", end, { once: true });
}

/** What was typed is not taken as it is: say so, and what the page does instead. */
function sayWhy(parameter, text, value, model) {
  const code = value === null ? "notNumber" : "outOfRange";
  const said = value === null ? model.words.notTaken : model.words.nearestTaken;
  model.panel.refuse([{ code, name: parameter.name, text }], said);
}

/** A field in the place of the number; Enter takes the value, Escape leaves it. */
function edit(place, parameter, model, first = null) {
  if (place.querySelector("input")) return;
  const field = element("input", "bk-param-field");
  field.inputMode = "numeric";
  field.setAttribute("aria-label", parameter.title);
  field.value = first ?? String(model.setting[parameter.name]);
  field.size = Math.max(5, String(parameter.maximum).length);
  let done = false;
  const finish = (take, back) => {
    if (done) return;
    done = true;
    const value = take ? typedNumber(field.value) : null;
    field.remove();
    place.tabIndex = 0;
    model.refresh();
    const fits = value !== null && allows(parameter, value);
    if (value !== null) model.set(parameter.name, fits ? value : nearest(parameter, value));
    if (take && !fits) sayWhy(parameter, field.value, value, model);
    if (back) place.focus();
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      finish(event.key === "Enter", true);
    }
  });
  field.addEventListener("blur", () => finish(true, false));
  // A field inside a spin button would be two controls in one.
  const none = Object.keys(spinner(parameter)).map((name) => [name, null]);
  setAttributes(place, { ...Object.fromEntries(none), tabindex: null });
  place.replaceChildren(field);
  field.focus();
  if (first === null) field.select();
}
