// The reader's parameters: what is allowed, and how they stand in the page's address.
//
// A parameter is described as in the page's module: {kind, name, title, default, ...}. A setting is
// an object of value by name. Nothing here touches the page.

export const PREFIX = "with.";

/** The book's own setting. */
export function bookSetting(parameters) {
  return Object.fromEntries(Object.values(parameters).map((p) => [p.name, p.default]));
}

/** Whether a value may be set. */
export function allows(parameter, value) {
  if (parameter.kind === "choice") return Object.hasOwn(parameter.options, value);
  const { minimum, maximum, step } = parameter;
  if (!Number.isSafeInteger(value) || value < minimum || value > maximum) return false;
  return (value - minimum) % step === 0;
}

/** The nearest value that may be set. */
export function nearest(parameter, value) {
  const { minimum, maximum, step } = parameter;
  if (!(value > minimum)) return minimum;
  if (value >= maximum) return maximum;
  return minimum + Math.round((value - minimum) / step) * step;
}

/** A typed text as a whole number: grouping is forgiven, anything else gives null. */
export function typedNumber(text) {
  const plain = text.trim().replace(/(?<=\d)[,_\u202f\u00a0 ](?=\d)/g, "");
  return /^[0-9]{1,15}$/.test(plain) ? Number(plain) : null;
}

/**
 * The setting that an address asks for.
 *
 * One thing wrong refuses the whole: `setting` is then the book's, and `problems` says why, as
 * {code, name, text}.
 */
export function readAddress(search, parameters) {
  const book = bookSetting(parameters);
  const setting = { ...book };
  const problems = [];
  const seen = new Set();
  for (const [key, text] of new URLSearchParams(search)) {
    if (!key.startsWith(PREFIX)) continue;
    const name = key.slice(PREFIX.length);
    const code = problem(parameters, seen, name, text);
    seen.add(name);
    if (code) problems.push({ code, name, text });
    else setting[name] = parameters[name].kind === "choice" ? text : Number(text);
  }
  return { setting: problems.length ? book : setting, problems };
}

function problem(parameters, seen, name, text) {
  if (!Object.hasOwn(parameters, name)) return "noParameter";
  if (seen.has(name)) return "twice";
  const parameter = parameters[name];
  if (parameter.kind === "choice") return allows(parameter, text) ? null : "noOption";
  if (!/^[0-9]{1,15}$/.test(text)) return "notNumber";
  return allows(parameter, Number(text)) ? null : "outOfRange";
}

/** The address's query for a setting: only what differs from the book; other entries are kept. */
export function writeAddress(search, setting, parameters) {
  const query = new URLSearchParams(search);
  for (const key of [...query.keys()]) if (key.startsWith(PREFIX)) query.delete(key);
  for (const [name, value] of Object.entries(setting)) {
    if (value !== parameters[name].default) query.set(PREFIX + name, String(value));
  }
  const text = query.toString().replaceAll("%3A", ":");
  return text ? `?${text}` : "";
}

/** Whether two settings are the same. */
export function same(one, other) {
  return Object.keys(one).every((name) => one[name] === other[name]);
}

/** A step of a key: arrows one step, pages twice or half, home and end the ends; null for others. */
export function keyStep(parameter, value, key) {
  const { minimum, maximum, step } = parameter;
  switch (key) {
    case "ArrowUp":
    case "ArrowRight":
      return nearest(parameter, value + step);
    case "ArrowDown":
    case "ArrowLeft":
      return nearest(parameter, value - step);
    case "PageUp":
      return nearest(parameter, value * 2);
    case "PageDown":
      return nearest(parameter, value / 2);
    case "Home":
      return minimum;
    case "End":
      return maximum;
    default:
      return null;
  }
}

/** Where a value lies between the ends, from 0 to 1, on a logarithmic scale; and back. */
export function share(parameter, value) {
  const { minimum, maximum } = parameter;
  return maximum === minimum ? 0 : Math.log(value / minimum) / Math.log(maximum / minimum);
}

export function atShare(parameter, part) {
  const { minimum, maximum } = parameter;
  return nearest(parameter, minimum * (maximum / minimum) ** Math.min(1, Math.max(0, part)));
}
