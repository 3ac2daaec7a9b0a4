// Reads the record of a measurement: everything in it is untrusted, and only what is checked leaves.
//
// `python -m bookcode measure` writes the file (bookcode/reality/machine_record.py). Nothing here
// touches the page, and no text of the file becomes anything but text.

export const KIND = "bookcode measurement";
export const FORMAT = 1;
export const LIMITS = Object.freeze({
  file: 1_000_000, // bytes
  operators: 40,
  peaks: 12,
  text: 120, // characters
  warnings: 20,
  warning: 400, // characters
  conditions: 20,
});
const LARGEST = 1e24; // no machine does so many operations or bytes a second, nor takes so many seconds
const NAME = /^[a-z][a-z0-9_]{0,15}$/;

class Refused extends Error {
  constructor(problem, place = "") {
    super(problem);
    Object.assign(this, { problem, place });
  }
}

/** `{ record }`, or `{ problem, place }` for a text that is no record; never throws. */
export function readRecord(text) {
  try {
    return { record: recordOf(parsed(text)) };
  } catch (error) {
    if (error instanceof Refused) return { problem: error.problem, place: error.place };
    throw error;
  }
}

function parsed(text) {
  if (text.length > LIMITS.file) throw new Refused("size");
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused("json");
  }
}

function recordOf(data) {
  if (!isObject(data) || own(data, "kind") !== KIND) throw new Refused("kind");
  const format = own(data, "format");
  if (!Number.isInteger(format)) throw new Refused("kind");
  if (format > FORMAT) throw new Refused("newer");
  if (format < FORMAT) throw new Refused("older");
  const roofs = object(own(data, "roofs"), "roofs");
  const peaks = peaksOf(object(own(roofs, "peaks"), "roofs.peaks"));
  return {
    device: words(own(data, "device"), "device"),
    when: words(own(data, "when"), "when"),
    steady: own(data, "steady") === true,
    warnings: list(own(data, "warnings"), "warnings", LIMITS.warnings).map((one, index) =>
      words(one, `warnings[${index}]`, LIMITS.warning),
    ),
    conditions: conditionsOf(object(own(data, "conditions"), "conditions")),
    bandwidth: positive(own(roofs, "bandwidth"), "roofs.bandwidth"),
    peaks,
    operators: list(own(data, "operators"), "operators", LIMITS.operators).map((one, index) =>
      operatorOf(one, `operators[${index}]`, peaks),
    ),
  };
}

function peaksOf(given) {
  const names = Object.keys(given);
  if (names.length === 0 || names.length > LIMITS.peaks) throw new Refused("field", "roofs.peaks");
  const peaks = new Map();
  for (const name of names) {
    if (!NAME.test(name)) throw new Refused("field", "roofs.peaks");
    peaks.set(name, positive(own(given, name), `roofs.peaks.${name}`));
  }
  return peaks;
}

function conditionsOf(given) {
  const names = Object.keys(given);
  if (names.length > LIMITS.conditions) throw new Refused("many", "conditions");
  return names.map((name) => {
    const value = own(given, name);
    const place = `conditions.${name.slice(0, 20)}`;
    if (typeof value === "number" && Number.isFinite(value)) return [words(name, place), String(value)];
    return [words(name, place), words(value, place, LIMITS.warning)];
  });
}

function operatorOf(given, place, peaks) {
  const one = object(given, place);
  const dtype = own(one, "dtype");
  if (!peaks.has(dtype)) throw new Refused("field", `${place}.dtype`);
  const flops = positive(own(one, "flops"), `${place}.flops`);
  const bytes = positive(own(one, "bytes"), `${place}.bytes`);
  const seconds = positive(own(one, "seconds"), `${place}.seconds`);
  const spread = own(one, "spread");
  if (!isNumber(spread) || spread < 0 || spread > LARGEST) throw new Refused("field", `${place}.spread`);
  return { name: words(own(one, "name"), `${place}.name`), dtype, flops, bytes, seconds, spread };
}

/** What a record says of its operators: the bound at the record's own roof, and what of it was reached. */
export function reached(record) {
  return record.operators.map((one) => {
    const compute = one.flops / record.peaks.get(one.dtype);
    const memory = one.bytes / record.bandwidth;
    const bound = Math.max(compute, memory);
    return {
      ...one,
      bound,
      regime: compute >= memory ? "compute" : "memory",
      intensity: one.flops / one.bytes,
      rate: one.flops / one.seconds,
      share: bound / one.seconds,
    };
  });
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
/** A field of the file itself, never one that every object inherits. */
const own = (data, name) => (Object.hasOwn(data, name) ? data[name] : undefined);

function object(value, place) {
  if (!isObject(value)) throw new Refused("field", place);
  return value;
}

function list(value, place, most) {
  if (!Array.isArray(value)) throw new Refused("field", place);
  if (value.length > most) throw new Refused("many", place);
  return value;
}

function words(value, place, most = LIMITS.text) {
  if (typeof value !== "string" || value.length === 0) throw new Refused("field", place);
  if (value.length > most) throw new Refused("long", place);
  // Control and direction characters could make a text look like another one.
  return value.replace(/[\p{Cc}\p{Cf}]/gu, " ");
}

function positive(value, place) {
  if (!isNumber(value) || value < 1 / LARGEST || value > LARGEST) throw new Refused("field", place);
  return value;
}
