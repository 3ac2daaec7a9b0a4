// Keeps the labels of a figure apart, and inside it, after its marks have moved.
//
// The book's own drawing was laid out when it was made. Elsewhere a label stays beside its mark as the
// book has it while that place is free; else the nearest free place around the mark is taken, and a
// thin line leads to it. Units are those of the drawing's view box, which are points.

const GAP = 6; // between a mark's centre and a label right beside it
const DISTANCES = [0, 8, 16, 26, 38, 52, 68, 86, 106, 130];
const DIRECTIONS = 16;
const APART = 1; // between two labels
const FROM_MARK = 4.5; // between a label and another label's mark
const FROM_LINE = 1.5;
const BLANK = 1; // above and below the letters of a line, which the browser counts to its box
const STEP = 4; // between the points that stand for a line
const NEVER = 1000; // the cost of what must not be, against 1 for what is only less clear
const SVG = "http://www.w3.org/2000/svg";

const slugOf = (name) => name.replace(/^mark-/, "");
const round = (value) => Math.round(value * 1e4) / 1e4;

/** The common area of two boxes that should be `gap` apart. */
export function overlap(one, other, gap = APART) {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x) + gap;
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y) + gap;
  return Math.max(width, 0) * Math.max(height, 0);
}

const near = (box, point, margin) =>
  point.x >= box.x - margin &&
  point.x <= box.x + box.width + margin &&
  point.y >= box.y - margin &&
  point.y <= box.y + box.height + margin;

function outside(box, [left, top, right, bottom]) {
  return (
    Math.max(left - box.x, 0) +
    Math.max(top - box.y, 0) +
    Math.max(box.x + box.width - right, 0) +
    Math.max(box.y + box.height - bottom, 0)
  );
}

/** What a box at this place would hide or leave. */
export function cost(box, taken, marks, lines, frame) {
  let sum = outside(box, frame) && NEVER + outside(box, frame);
  for (const other of taken) {
    const area = overlap(box, other);
    if (area) sum += NEVER + area;
  }
  for (const mark of marks) if (near(box, mark, FROM_MARK)) sum += 1;
  for (const point of lines) if (near(box, point, FROM_LINE)) sum += 1;
  return sum;
}

/** Places of a box around a mark, nearest first; `edge` is where a leader would end. */
export function* around(mark, { width, height }) {
  const side = (part) => (Math.abs(part) < 0.3 ? 0 : Math.sign(part));
  for (const distance of DISTANCES) {
    for (let turn = 0; turn < DIRECTIONS; turn += 1) {
      const angle = (2 * Math.PI * turn) / DIRECTIONS - Math.PI / 2;
      const [x, y] = [Math.cos(angle), Math.sin(angle)];
      const edge = { x: mark.x + (GAP + distance) * x, y: mark.y + (GAP + distance) * y };
      const middle = { x: edge.x + (width / 2) * side(x), y: edge.y + (height / 2) * side(y) };
      yield { box: { x: middle.x - width / 2, y: middle.y - height / 2, width, height }, edge, far: distance > 0 };
    }
  }
}

/** The best of some places; the first of those that are equally good. */
export function best(places, price) {
  let found = null;
  for (const place of places) {
    const asked = price(place.box);
    if (!found || asked < found.asked) found = { ...place, asked };
    if (asked === 0) break;
  }
  return found;
}

const shiftOf = (part) => {
  const moved = part.transform.baseVal.consolidate()?.matrix;
  return { x: moved?.e ?? 0, y: moved?.f ?? 0 };
};

/** Points along a part's line, as it is drawn now. */
function pointsOf(part) {
  const path = part?.querySelector("path");
  if (!path) return [];
  const { x, y } = shiftOf(part);
  return Array.from({ length: Math.floor(path.getTotalLength() / STEP) + 1 }, (_, index) => {
    const point = path.getPointAtLength(index * STEP);
    return { x: point.x + x, y: point.y + y };
  });
}

/** Puts labels where they cover nothing; one for each drawing. */
export class Labels {
  constructor(drawing) {
    this.drawing = drawing;
    this.leaders = new Map();
  }

  /** Where the book has a label, with how far it has been moved since. */
  boxOf(label) {
    const { x, y, width, height } = label.getBBox();
    const moved = shiftOf(label);
    return { x: x + moved.x, y: y + BLANK + moved.y, width, height: Math.max(height - 2 * BLANK, 0) };
  }

  /**
   * Look for a place for every label that has none. `marks` has the marks' places of now by name,
   * null for one without; `moved` the names of those that are not where the book has them.
   */
  settle(marks, moved, roofs) {
    const { drawing } = this;
    const { frame } = drawing.follow.axes;
    const at = [...marks].filter(([, place]) => place);
    const lines = new Map(roofs.map((name) => [name, pointsOf(drawing.part(name))]));
    for (const [name] of at) lines.set(name, pointsOf(drawing.part(`leader-${slugOf(name)}`)));
    const taken = [];
    for (const name of roofs) this.settleRoof(drawing.part(`label-${name}`), taken, frame);
    // Those that stand still first: they need not give way.
    at.sort(([one], [other]) => moved.has(one) - moved.has(other));
    for (const [name, mark] of at) {
      const slug = slugOf(name);
      const label = drawing.part(`label-${slug}`);
      if (!label) continue;
      const now = this.boxOf(label);
      const others = at.filter(([other]) => other !== name).map(([, place]) => place);
      const crossed = [...lines].flatMap(([other, points]) => (other === name ? [] : points));
      const price = (box) => cost(box, taken, others, crossed, frame);
      // Only what must not be moves a label: its place beside the mark is what the book chose.
      const place = price(now) < NEVER ? { box: now } : best(around(mark, now), price);
      if (place.edge) {
        this.move(slug, label, now, mark, place);
        lines.set(name, pointsOf(drawing.part(`leader-${slug}`)));
      }
      taken.push(place.box);
    }
  }

  /** A roof's words stay at their line as far as the frame and other words let them. */
  settleRoof(label, taken, frame) {
    if (!label || label.classList.contains("bk-nofact")) return;
    const now = this.boxOf(label);
    const [left, top, right, bottom] = frame;
    const x = Math.max(left, Math.min(now.x, right - now.width));
    const y = Math.max(top, Math.min(now.y, bottom - now.height));
    const steps = Array.from({ length: 24 }, (_, index) => Math.ceil(index / 2) * (index % 2 ? 1 : -1) * STEP);
    const places = steps.map((step) => ({ box: { ...now, x, y: y + step } }));
    const { box } = best(places, (place) => cost(place, taken, [], [], frame));
    this.translate(label, box.x - now.x, box.y - now.y);
    taken.push(box);
  }

  move(slug, label, from, mark, { box, edge, far }) {
    this.translate(label, box.x - from.x, box.y - from.y);
    let leader = this.drawing.part(`leader-${slug}`);
    if (!leader && far) {
      leader = document.createElementNS(SVG, "g");
      leader.id = `${this.drawing.prefix}leader-${slug}`;
      leader.setAttribute("class", "bk-leader");
      leader.append(document.createElementNS(SVG, "path"));
      label.before(leader);
    }
    if (!leader) return;
    const path = leader.querySelector("path");
    if (!this.leaders.has(slug)) this.leaders.set(slug, path.getAttribute("d"));
    leader.removeAttribute("transform");
    path.setAttribute("d", far ? `M ${round(mark.x)} ${round(mark.y)} L ${round(edge.x)} ${round(edge.y)}` : "M 0 0");
  }

  translate(label, x, y) {
    if (Math.abs(x) + Math.abs(y) < 0.01) return;
    const moved = shiftOf(label);
    label.setAttribute("transform", `translate(${round(moved.x + x)} ${round(moved.y + y)})`);
  }

  /** Leaders as the book has them, before marks are moved again. */
  forget() {
    for (const [slug, path] of this.leaders) {
      const leader = this.drawing.part(`leader-${slug}`);
      if (path === null) leader.remove();
      else leader.querySelector("path").setAttribute("d", path);
    }
    this.leaders.clear();
  }
}
