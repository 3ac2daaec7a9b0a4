// How numbers are shown on the page: bookcode/numbers/formats.py again, rule by rule.
//
// Both read one table and give equal strings for equal values; the rounding rule and the specs
// are described there. A value is a double here, so a number that Python knows exactly and
// refuses (a third as `plain`) may be accepted when its digits happen to end.

import { TABLE } from "./format-table.js";

const { symbols: SYMBOLS, guard_digits: GUARD, kinds: KINDS } = TABLE;
const BINARY = TABLE.binary.map(([prefix, bits]) => ({ prefix, bits, power: 0 }));
const UNSCALED = { prefix: "", bits: 0, power: 0 };
const SPEC = /^([a-z]+)(0|[1-9][0-9]?)?(?::([^\s:]+?))?(-)?$/;

/** A value, a unit or a format that cannot be shown. */
export class FormatError extends Error {
  name = "FormatError";
}

const UNITS = new Map(
  Object.entries(TABLE.units).map(([name, row]) => {
    const { steps, below } = TABLE.ladders[row.ladder];
    const scales = steps.map(([prefix, power]) => ({ prefix, bits: 0, power }));
    const every = row.binary ? [...scales, ...BINARY] : scales;
    const named = new Map(every.map((scale) => [scale.prefix + name, scale]));
    return [name, { ...row, name, below, steps: scales, scales: named }];
  }),
);
const SCALES = new Set([...UNITS.values()].flatMap((unit) => [...unit.scales.keys()]));

// Specs and names

const parsed = new Map();

/** The format of a spec, as {kind, digits, scale, bare}; throws FormatError. */
export function parseSpec(spec) {
  let format = parsed.get(spec);
  if (format === undefined) {
    format = parse(spec);
    parsed.set(spec, format);
  }
  return format;
}

function parse(spec) {
  const [, kind, digits, scale, bare] = SPEC.exec(spec.replaceAll("\u03bc", "\u00b5")) ?? [];
  if (kind === undefined || !Object.hasOwn(KINDS, kind)) throw new FormatError(`no format ${spec}`);
  const [low, high] = KINDS[kind].digits ?? [];
  const fits = low === undefined ? digits === undefined : low <= +digits && +digits <= high;
  if (!fits) throw new FormatError(`format ${spec}: wrong digits`);
  if (scale && !(KINDS[kind].scale && SCALES.has(scale))) {
    throw new FormatError(`format ${spec}: wrong scale`);
  }
  if (kind === "bin" && bare) throw new FormatError(`format ${spec} would hide the prefix`);
  return { kind, digits: +(digits ?? 0), scale: scale ?? null, bare: bare !== undefined };
}

function unitOf(name) {
  const unit = UNITS.get(name);
  if (unit === undefined) throw new FormatError(`no unit ${name}`);
  return unit;
}

function languageOf(tag) {
  const language = tag.split(/[-_]/)[0].toLowerCase();
  if (!TABLE.languages.includes(language)) throw new FormatError(`no language ${tag}`);
  return language;
}

function scaleOf(unit, format) {
  if (format.scale === null) return format.bare ? UNSCALED : null;
  const scale = unit.scales.get(format.scale);
  if (scale === undefined) {
    throw new FormatError(`scale ${format.scale} does not fit the unit ${unit.name}`);
  }
  return scale;
}

// Digits: {digits, exponent} is a magnitude whose first digit is worth ten to the exponent

function digitsOf(value, scale = UNSCALED) {
  // Division by a power of two is exact; toExponential rounds ties up, as the rule wants.
  const text = (Math.abs(value) / 2 ** scale.bits).toExponential(GUARD - 1);
  const [mantissa, exponent] = text.split("e");
  return { digits: mantissa.replace(".", ""), exponent: +exponent - scale.power };
}

/** The whole number of ten to the place, rounded half up. */
function at({ digits, exponent }, place) {
  const keep = exponent - place + 1;
  if (keep < 0) return "0";
  if (keep >= digits.length) return digits.padEnd(keep, "0");
  return String(Number(digits.slice(0, keep)) + (digits[keep] >= "5" ? 1 : 0));
}

function significant(number, count) {
  const digits = at(number, number.exponent - count + 1);
  return { digits: digits.slice(0, count), exponent: number.exponent + digits.length - count };
}

function shifted({ digits, exponent }, power) {
  return { digits, exponent: exponent - power };
}

function positional({ digits, exponent }) {
  return placed(digits, exponent - digits.length + 1);
}

function scientific({ digits, exponent }) {
  const power = [...String(Math.abs(exponent))].map((digit) => SYMBOLS.superscripts[digit]);
  const sign = exponent < 0 ? SYMBOLS.superscript_minus : "";
  const times = SYMBOLS.space + SYMBOLS.times + SYMBOLS.space;
  return `${positional({ digits, exponent: 0 })}${times}10${sign}${power.join("")}`;
}

function placed(coefficient, place) {
  if (place >= 0) return group(coefficient + "0".repeat(place));
  const padded = coefficient.padStart(1 - place, "0");
  return group(padded.slice(0, place)) + SYMBOLS.point + padded.slice(place);
}

function group(whole, least = TABLE.group_from) {
  if (whole.length < least) return whole;
  return whole.replace(/\B(?=(\d{3})+$)/g, SYMBOLS.group);
}

// One function a kind: the text of the magnitude and the prefix of the unit

function sig(value, unit, format) {
  const scale = scaleOf(unit, format);
  if (value === 0) return ["0", scale?.prefix ?? ""];
  const shown = significant(digitsOf(value, scale ?? UNSCALED), format.digits);
  const { exponent } = shown;
  if (scale) {
    const fits = TABLE.positional_from <= exponent && exponent < TABLE.positional_below;
    return [fits ? positional(shown) : scientific(shown), scale.prefix];
  }
  const { steps, below } = unit;
  if (exponent < TABLE.positional_from + steps[0].power || exponent >= below) {
    return [scientific(shown), ""];
  }
  const step = steps.findLast(({ power }) => power <= exponent) ?? steps[0];
  return [positional(shifted(shown, step.power)), step.prefix];
}

function fix(value, unit, format) {
  const scale = scaleOf(unit, format) ?? UNSCALED;
  return [placed(at(digitsOf(value, scale), -format.digits), -format.digits), scale.prefix];
}

function pct(value, unit, format) {
  return [placed(at(shifted(digitsOf(value), -2), -format.digits), -format.digits), ""];
}

function ratio(value, unit, format) {
  if (value === 0) return ["0", ""];
  return [positional(significant(digitsOf(value), format.digits)), ""];
}

function sci(value, unit, format) {
  if (value === 0) return ["0", ""];
  return [scientific(significant(digitsOf(value), format.digits)), ""];
}

function bin(value, unit, format) {
  if (!unit.binary) throw new FormatError("KiB, MiB and GiB are for bytes");
  if (value === 0) return ["0", ""];
  let step = Math.max(BINARY.filter(({ bits }) => Math.abs(value) >= 2 ** bits).length - 1, 0);
  let shown = significant(digitsOf(value, BINARY[step]), format.digits);
  const full = shown.exponent === 3 && shown.digits.slice(0, 4).padEnd(4, "0") >= "1024";
  if (step < BINARY.length - 1 && full) {
    step += 1; // rounding lifted it to 1024, which is one of the next prefix
    shown = { digits: "1".padEnd(format.digits, "0"), exponent: 0 };
  }
  if (shown.exponent < TABLE.positional_from || shown.exponent >= TABLE.positional_below) {
    return sci(value, unit, format);
  }
  return [positional(shown), BINARY[step].prefix];
}

/** The magnitude as the digits of a whole number; null where it is not one. */
function whole(value) {
  if (!Number.isInteger(value)) {
    const near = digitsOf(value);
    const fraction = near.exponent - near.digits.replace(/0+$/, "").length + 1 < 0;
    return fraction ? null : at(near, 0);
  }
  if (Math.abs(value) > TABLE.largest_whole) {
    throw new FormatError(`${value}: from 2**53 on not every digit holds`);
  }
  return String(Math.abs(value));
}

function int(value) {
  const digits = whole(value);
  if (digits === null) throw new FormatError(`${value} is not a whole number`);
  return [group(digits, 4), ""];
}

function plain(value) {
  const integer = whole(value);
  if (integer !== null) return [group(integer), ""];
  const near = digitsOf(value);
  const digits = near.digits.replace(/0+$/, "");
  const place = near.exponent - digits.length + 1;
  if (digits.length > TABLE.plain_digits || place < -TABLE.plain_digits) {
    throw new FormatError(`the decimals of ${value} do not end`);
  }
  return [placed(digits, place), ""];
}

function frac(value) {
  const [top, bottom] = simplest(Math.abs(value), TABLE.largest_fraction_part);
  return [bottom === 1 ? group(String(top)) : `${group(String(top))}/${group(String(bottom))}`, ""];
}

/** The fraction with parts up to the bound that the double stands for, by its convergents. */
function simplest(value, bound) {
  let scaled = value;
  let denominator = 1n;
  for (; !Number.isInteger(scaled); scaled *= 2) denominator *= 2n;
  let numerator = BigInt(scaled);
  let [top, bottom, lastTop, lastBottom] = [1, 0, 0, 1];
  for (;;) {
    const term = Number(numerator / denominator);
    [top, lastTop] = [term * top + lastTop, top];
    [bottom, lastBottom] = [term * bottom + lastBottom, bottom];
    // A term beyond the doubles is infinite and makes the other part NaN, which does not fit.
    const fits = top <= bound && bottom <= bound;
    if (!fits) throw new FormatError(`${value} is no short fraction`);
    if (Math.abs(top / bottom - value) <= 1e-14 * value) return [top, bottom];
    [numerator, denominator] = [denominator, numerator % denominator];
  }
}

const RENDERERS = { sig, fix, pct, ratio, sci, bin, int, frac, plain };

// The face of the module

/** The spec a unit is shown with where none is given. */
export function defaultSpec(unit) {
  return unitOf(unit).default;
}

/** The text of the number and the text of its unit; throws FormatError. */
export function formatParts(value, unit, spec = null, language = "en") {
  const row = unitOf(unit);
  const format = parseSpec(spec ?? row.default);
  const tongue = languageOf(language);
  const words = row.text?.[tongue] ?? [unit, unit];
  if (!Number.isFinite(value)) throw new FormatError(`${value} cannot be shown`);
  const relative = format.kind === "pct" || format.kind === "ratio";
  if (relative && unit !== "1") {
    throw new FormatError(`only a dimensionless number can be shown as ${spec}, not ${unit}`);
  }
  let [text, prefix] = RENDERERS[format.kind](value, row, format);
  if (value < 0 && /[1-9]/.test(text)) text = SYMBOLS.minus + text;
  if (format.bare) return [text, ""];
  if (relative) return [text, format.kind === "pct" ? SYMBOLS.percent : SYMBOLS.times];
  return [text, prefix + words[text === "1" ? 0 : 1]];
}

/** A number as the reader sees it; throws FormatError. */
export function formatValue(value, unit, spec = null, language = "en") {
  const [text, unitText] = formatParts(value, unit, spec, language);
  const joint = unitText === "" || unitText === SYMBOLS.times ? "" : SYMBOLS.space;
  return text + joint + unitText;
}

/** A shown number for labels: ordinary spaces, `-`, `10^11`. */
export function plainText(shown) {
  const digits = SYMBOLS.superscripts;
  const ordinary = (char) => (char === SYMBOLS.superscript_minus ? "-" : digits.indexOf(char));
  const power = new RegExp(`10([${SYMBOLS.superscript_minus}${digits}]+)`, "g");
  return shown
    .replace(power, (_, raised) => `10^${[...raised].map(ordinary).join("")}`)
    .replaceAll(SYMBOLS.space, " ")
    .replaceAll(SYMBOLS.minus, "-");
}
