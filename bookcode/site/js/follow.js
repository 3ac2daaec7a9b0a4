// What the page's numbers and verdicts are under a setting. Nothing here touches the page.

import { defaultSpec, formatValue } from "./format.js";
import { bookSetting } from "./state.js";

const LAST_SPEC = "sig4";

const isNumberless = (value) => value === undefined || value !== value;

/** One description of all parameters of a page, and which modules can follow them. */
export function mergeParameters(data, modules) {
  const parameters = {};
  const live = modules.map((module, index) => {
    const wanted = Object.entries(module.parameters).filter(
      ([name]) => index === 0 || data.depends[index].includes(name),
    );
    const fits = wanted.every(
      ([name, one]) => !parameters[name] || JSON.stringify(parameters[name]) === JSON.stringify(one),
    );
    if (fits) for (const [name, one] of wanted) parameters[name] = one;
    return fits;
  });
  return { parameters, live };
}

/** Computes the page's numbers; `data` and `modules` as data.js gives them. */
export class Follower {
  constructor(data, modules) {
    this.data = data;
    this.modules = modules;
    Object.assign(this, mergeParameters(data, modules));
    this.own = modules.map((module) => bookSetting(module.parameters));
  }

  /** The values of every module under a setting. */
  compute(setting) {
    return this.modules.map((module, index) => {
      const point = { ...this.own[index] };
      if (this.live[index]) {
        for (const name of Object.keys(point)) {
          if (Object.hasOwn(setting, name)) point[name] = setting[name];
        }
      }
      return module.compute(point);
    });
  }

  /** The value of a number or verdict; undefined for what does not follow. */
  value(values, key) {
    const index = this.data.numbers[key]?.[2] ?? this.data.claims[key]?.module ?? -1;
    return index < 0 ? undefined : values[index][key];
  }

  /** A number as the page shows it; null where there is no fact to compute it from. */
  text(values, key, spec = null) {
    const [unit, ownSpec] = this.data.numbers[key];
    const value = this.value(values, key);
    if (isNumberless(value)) return null;
    if (unit === "word") return this.data.words[value] ?? value;
    return shown(value, unit, spec ?? ownSpec, this.data.language);
  }

  /** true, false, or null where there is no fact to judge by. */
  verdict(values, key) {
    const value = this.value(values, key);
    return isNumberless(value) ? null : value;
  }

  /** The numbers that a verdict compares, as text. */
  reasons(values, key, missing) {
    return this.data.claims[key].uses.map(
      (used) => `${used} = ${this.text(values, used) ?? missing}`,
    );
  }

  /** Whether a setting has every fact that the page's numbers need. */
  hasFacts(setting) {
    const values = this.compute(setting);
    const keys = [...Object.keys(this.data.numbers), ...Object.keys(this.data.claims)];
    return keys.every((key) => {
      const value = this.value(values, key);
      return value === undefined || value === value;
    });
  }

  /** How many numbers of the page cannot follow, since their page has other parameters. */
  fixedCount() {
    return Object.values(this.data.numbers).filter(([, , index]) => index >= 0 && !this.live[index])
      .length;
  }
}

/** A value in a spec; in the unit's own, or in four digits, where the spec cannot show it. */
export function shown(value, unit, spec, language) {
  for (const one of [spec, defaultSpec(unit), LAST_SPEC]) {
    try {
      return formatValue(value, unit, one, language);
    } catch {
      // A spec such as "int" was chosen for the book's value; another value may not fit it.
    }
  }
  return String(value);
}
