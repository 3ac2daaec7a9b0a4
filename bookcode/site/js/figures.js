// Moves the marks of a figure to where the page's numbers are now.
//
// The drawing's own numbers say where: a value v lies at offset + slope · log10(v) on each axis.

import { Labels } from "./figure-labels.js";

const affine = ([offset, slope], value) => offset + slope * Math.log10(value);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** Where a pair of values lies, kept inside the frame; null where a value has no place. */
export function spot(axes, x, y) {
  if (!(x > 0) || !(y > 0)) return null;
  const [left, top, right, bottom] = axes.frame;
  const at = { x: affine(axes.x, x), y: affine(axes.y, y) };
  const inside = { x: clamp(at.x, left, right), y: clamp(at.y, top, bottom) };
  const apart = Math.abs(at.x - inside.x) + Math.abs(at.y - inside.y);
  return { ...inside, outside: apart > 0.01 };
}

/**
 * The path of a roof from edge to edge: up the bandwidth to the ridge, flat at the peak; null
 * without values. What lies outside the frame the drawing itself cuts off.
 */
export function roofPath(axes, peak, bandwidth) {
  if (!(peak > 0) || !(bandwidth > 0)) return null;
  const [left, , right] = axes.frame;
  const valueAt = (place) => 10 ** ((place - axes.x[0]) / axes.x[1]);
  const height = (place) => affine(axes.y, Math.min(peak, valueAt(place) * bandwidth));
  const ridge = affine(axes.x, peak / bandwidth);
  const turns = ridge > left && ridge < right ? [[ridge, affine(axes.y, peak)]] : [];
  const points = [[left, height(left)], ...turns, [right, height(right)]];
  return points.map(([x, y], index) => `${index ? "L" : "M"} ${round(x)} ${round(y)}`).join(" ");
}

const round = (value) => Math.round(value * 1e4) / 1e4;

/** A figure on the page. */
export class Drawing {
  constructor(root, key, follow) {
    this.follow = follow;
    this.prefix = `fig-${key.replace(/[^a-z0-9]+/g, "-")}-`;
    this.frame = root.getElementById(`figure-${key.replaceAll(".", "-")}`);
    this.image = this.frame?.querySelector("[role=img]") ?? null;
    this.book = new Map();
    this.roofs = new Map();
    this.ridges = new Map();
    this.labels = new Labels(this);
  }

  part(name) {
    return this.frame?.querySelector(`#${CSS.escape(this.prefix + name)}`) ?? null;
  }

  /** Remember the book's drawing; `value` gives a value by its key. */
  remember(value) {
    for (const [name, [x, y]] of Object.entries(this.follow.marks ?? {})) {
      this.book.set(name, spot(this.follow.axes, value(x), value(y)));
    }
    for (const [name, [peak, bandwidth]] of Object.entries(this.follow.roofs ?? {})) {
      this.roofs.set(name, this.part(name)?.querySelector("path")?.getAttribute("d") ?? "");
      this.ridges.set(name, spot(this.follow.axes, value(peak) / value(bandwidth), value(peak)));
    }
  }

  /** Draw the values of now; `same` restores the book's drawing exactly. */
  draw(value, same) {
    const moved = new Set();
    const places = new Map();
    this.labels.forget();
    for (const [name, [x, y]] of Object.entries(this.follow.marks ?? {})) {
      const place = same ? this.book.get(name) : spot(this.follow.axes, value(x), value(y));
      places.set(name, place);
      if (this.move(name, place)) moved.add(name);
    }
    for (const [name, [peak, bandwidth]] of Object.entries(this.follow.roofs ?? {})) {
      const path = same
        ? this.roofs.get(name)
        : roofPath(this.follow.axes, value(peak), value(bandwidth));
      const line = this.part(name)?.querySelector("path");
      if (line && path) line.setAttribute("d", path);
      this.part(name)?.classList.toggle("bk-nofact", !path);
      const ridge = path && spot(this.follow.axes, value(peak) / value(bandwidth), value(peak));
      this.moveLabel(name, same ? this.ridges.get(name) : ridge);
    }
    this.hideFigures(same);
    if (!same && this.frame && this.follow.axes) this.labels.settle(places, moved, [...this.roofs.keys()]);
    this.frame?.classList.toggle("bk-moved", moved.size > 0);
  }

  /** A roof's words go where its ridge goes; those at the far end only up and down. */
  moveLabel(name, to) {
    const [label, from] = [this.part(`label-${name}`), this.ridges.get(name)];
    if (!label || !from) return;
    label.removeAttribute("transform");
    label.classList.toggle("bk-nofact", !to);
    if (!to) return;
    const box = label.getBBox();
    const atRidge = box.x + box.width / 2 < from.x;
    const shift = [atRidge ? to.x - from.x : 0, to.y - from.y].map(round);
    if (shift.some((part) => Math.abs(part) > 0.01)) label.setAttribute("transform", `translate(${shift})`);
  }

  /** Figures in the words of a roof are the book's; they go where they need no longer be true. */
  hideFigures(same) {
    const moved = [...this.roofs].some(([name, path]) => {
      return !same && this.part(name)?.querySelector("path")?.getAttribute("d") !== path;
    });
    for (const name of this.roofs.keys()) {
      for (const line of this.part(`label-${name}`)?.querySelectorAll("text, tspan") ?? []) {
        const stale = moved && !line.querySelector("tspan") && /\d/.test(line.textContent);
        line.classList.toggle("bk-nofact", stale);
      }
    }
  }

  move(name, to) {
    const from = this.book.get(name);
    const shift = from && to ? [to.x - from.x, to.y - from.y].map(round) : [0, 0];
    const moved = shift.some((part) => Math.abs(part) > 0.01);
    const slug = name.replace(/^mark-/, "");
    for (const part of [name, `label-${slug}`, `leader-${slug}`].map((id) => this.part(id))) {
      if (!part) continue;
      if (moved) part.setAttribute("transform", `translate(${shift[0]} ${shift[1]})`);
      else part.removeAttribute("transform");
      part.classList.toggle("bk-outside", Boolean(to?.outside));
      part.classList.toggle("bk-nofact", !to);
    }
    return moved;
  }
}
