// Draws an exercise's parameters and marks what a reader enters. Nothing here touches the page.

import { TABLE } from "./format-table.js";

const NUMBER = /^([+-]?(?:\d{1,3}(?:[,\u202f\u00a0 ]\d{3})+|\d+)?(?:\.\d+)?)(?:[eE]([+-]?\d{1,3}))?$/;
const POWER = /\s*(?:[*×x·]\s*10|10)\s*(?:\^|\*\*)\s*([+-]?\d{1,3})/;

/** Values for the parameters to vary; `random` gives numbers from 0 up to 1. */
export function drawValues(vary, random) {
  return Object.fromEntries(
    Object.entries(vary).map(([name, from]) => [name, drawOne(from, random)]),
  );
}

function drawOne(from, random) {
  if (from.values) return from.values[Math.floor(random() * from.values.length)];
  const count = Math.floor((from.high - from.low) / from.step) + 1;
  return from.low + Math.floor(random() * count) * from.step;
}

/** Whether values kept from an earlier visit may still be drawn. */
export function isDrawn(vary, values) {
  if (values === null || Object.keys(values).length !== Object.keys(vary).length) return false;
  return Object.entries(vary).every(([name, from]) => {
    const value = values[name];
    if (from.values) return from.values.includes(value);
    const inside = Number.isSafeInteger(value) && value >= from.low && value <= from.high;
    return inside && (value - from.low) % from.step === 0;
  });
}

/** The scaled units of a unit with their worth, such as MB of B. */
export function scalesOf(unit) {
  if (unit === "1") return { "%": 0.01, "×": 1, "": 1 };
  const row = TABLE.units[unit];
  if (row === undefined) return { [unit]: 1 };
  const steps = TABLE.ladders[row.ladder].steps.map(([prefix, power]) => [prefix + unit, 10 ** power]);
  const binary = row.binary ? TABLE.binary.map(([prefix, bits]) => [prefix + unit, 2 ** bits]) : [];
  return Object.fromEntries([...binary, ...steps]);
}

/**
 * What a reader entered, in the number's own unit; null for what is no number.
 *
 * `scale` is the unit asked for; another one of the same unit may be written behind the number.
 */
export function readEntry(text, unit, scale = "") {
  const scales = scalesOf(unit);
  const asked = scales[scale || unit] ?? 1;
  let rest = text.trim().replaceAll("\u2212", "-").replaceAll("\u03bc", "\u00b5");
  let worth = asked;
  const names = Object.keys(scales).filter((name) => name !== "");
  for (const name of names.sort((a, b) => b.length - a.length)) {
    if (rest.endsWith(name)) {
      rest = rest.slice(0, -name.length).trim();
      worth = scales[name];
      break;
    }
  }
  const [top, bottom, ...more] = rest.split("/");
  if (more.length) return null;
  const value = plain(top) / (bottom === undefined ? 1 : plain(bottom));
  return Number.isFinite(value) ? value * worth : null;
}

function plain(text) {
  const power = POWER.exec(text);
  const digits = power ? text.slice(0, power.index) + text.slice(power.index + power[0].length) : text;
  const bare = digits.trim();
  const match = NUMBER.exec(bare === "" && power ? "1" : bare);
  if (!match || !/\d/.test(match[1])) return NaN;
  const base = Number(match[1].replace(/[,\u202f\u00a0 ]/g, ""));
  return base * 10 ** Number(match[2] ?? 0) * 10 ** Number(power?.[1] ?? 0);
}

/** Whether what was entered is the value within a relative tolerance. */
export function isRight(value, entered, tolerance) {
  // A hair more, so that an entry at the very edge is not lost to the last bit.
  return Math.abs(entered - value) <= tolerance * Math.abs(value) * (1 + 1e-9);
}
