// The panel of a page's parameters: all of them, presets, what changed, and the way back.

import { optionList } from "./controls.js";
import { element } from "./base.js";
import { allows, atShare, nearest, share, typedNumber } from "./state.js";

const SLIDER_STEPS = 1000;

export class Panel {
  /** `box` holds the bar with the button that opens the panel. */
  constructor(root, model, box) {
    this.root = root;
    this.model = model;
    this.words = model.words;
    this.updates = [];
    this.box = box;
    this.message = element("div", "bk-refused");
    this.message.setAttribute("role", "alert");
    this.fillBar(box.querySelector(".bk-whatif-bar"));
    this.box.prepend(this.message);
    this.box.append(this.body());
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.content.hidden) this.toggle(false);
    });
  }

  // parts --------------------------------------------------------------------------------------
  fillBar(bar) {
    this.opener = bar.querySelector(".bk-whatif-open");
    this.opener.setAttribute("aria-controls", "bk-whatif-content");
    this.status = element("span", "bk-whatif-status");
    this.status.setAttribute("role", "status");
    this.back = element("button", "bk-whatif-reset", this.words.reset);
    this.back.type = "button";
    this.back.hidden = true;
    this.back.addEventListener("click", () => {
      this.opener.focus();
      this.model.reset();
    });
    bar.append(this.status, this.back);
  }

  body() {
    this.content = element("div", "bk-whatif-content");
    this.content.id = "bk-whatif-content";
    this.content.hidden = true;
    for (const parameter of Object.values(this.model.parameters)) {
      this.content.append(parameter.kind === "choice" ? this.choice(parameter) : this.quantity(parameter));
    }
    if (this.model.data.presets.length) this.content.append(this.presets());
    this.broken = element("ul", "bk-whatif-broken");
    this.content.append(this.broken);
    const fixed = this.model.follower.fixedCount();
    if (fixed) this.content.append(element("p", "bk-whatif-fixed", this.words.fixed(fixed)));
    return this.content;
  }

  choice(parameter) {
    const row = element("label", "bk-whatif-row");
    const { list, update } = optionList(parameter, this.model);
    list.removeAttribute("aria-label");
    row.append(element("span", "bk-whatif-name", parameter.title), list);
    this.updates.push(update);
    return row;
  }

  quantity(parameter) {
    const { model } = this;
    const row = element("div", "bk-whatif-row");
    const slider = element("input", "bk-whatif-slider");
    Object.assign(slider, { type: "range", min: 0, max: SLIDER_STEPS, step: 1 });
    slider.setAttribute("aria-label", parameter.title);
    slider.addEventListener("input", () => {
      model.set(parameter.name, atShare(parameter, slider.value / SLIDER_STEPS));
    });
    const field = element("input", "bk-whatif-field");
    field.inputMode = "numeric";
    field.addEventListener("change", () => {
      const value = typedNumber(field.value);
      if (value === null) model.refresh();
      else model.set(parameter.name, allows(parameter, value) ? value : nearest(parameter, value));
      field.value = String(model.setting[parameter.name]);
    });
    row.append(element("span", "bk-whatif-name", parameter.title), slider, field);
    const unit = element("span", "bk-whatif-unit");
    row.append(unit);
    this.updates.push((setting) => {
      const value = setting[parameter.name];
      slider.value = String(Math.round(share(parameter, value) * SLIDER_STEPS));
      slider.setAttribute("aria-valuetext", model.parameterText(parameter, value));
      if (this.root.activeElement !== field) field.value = String(value);
      unit.textContent = model.unitText(parameter, value);
      const shown = [parameter.title, unit.textContent && `(${unit.textContent})`];
      field.setAttribute("aria-label", shown.filter(Boolean).join(" "));
    });
    return row;
  }

  presets() {
    const group = element("div", "bk-whatif-presets");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", this.words.presets);
    for (const { title, values } of this.model.data.presets) {
      const button = element("button", "bk-preset", title);
      button.type = "button";
      button.title = Object.entries(values)
        .map(([name, value]) => {
          const parameter = this.model.parameters[name];
          return `${parameter.title} = ${this.model.parameterText(parameter, value)}`;
        })
        .join(this.words.comma);
      button.addEventListener("click", () => this.model.setAll({ ...this.model.book, ...values }));
      group.append(button);
    }
    return group;
  }

  // what happens -------------------------------------------------------------------------------
  toggle(open = this.content.hidden) {
    this.content.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    if (!open) this.opener.focus();
  }

  update(tally, atBook) {
    for (const update of this.updates) update(this.model.setting);
    const parts = [this.words.changed(tally.changed.size)];
    if (tally.broken.size) parts.push(this.words.broken(tally.broken.size));
    if (tally.unjudged.size) parts.push(this.words.unjudged(tally.unjudged.size));
    const text = atBook ? "" : parts.join(this.words.comma);
    if (this.status.textContent !== text) this.status.textContent = text;
    this.back.hidden = atBook;
    this.box.classList.toggle("bk-whatif-active", !atBook);
    this.broken.replaceChildren(...[...tally.broken.values()].map((one) => this.brokenRow(one)));
  }

  /** A verdict in the words of the page, its key (words may be the same), and why it breaks. */
  brokenRow({ key, place, said, text }) {
    const row = element("li");
    const link = element("button", "bk-whatif-jump", said);
    link.type = "button";
    link.addEventListener("click", () => {
      place.scrollIntoView({ block: "center" });
      place.focus();
    });
    row.append(link, " ", element("code", "", key), ` ${text}`);
    return row;
  }

  /** Say why the values in the address are refused, or, with another `said`, those just typed. */
  refuse(problems, said = this.words.refused) {
    const list = element("ul");
    for (const problem of problems) list.append(element("li", "", this.reason(problem)));
    const dismiss = element("button", "", this.words.dismiss);
    dismiss.type = "button";
    dismiss.addEventListener("click", () => {
      this.accept();
      this.opener.focus();
    });
    const head = element("p", "", said);
    const foot = element("p", "", this.words.stays);
    const parts = said === this.words.refused ? [head, list, foot] : [head, list];
    this.message.replaceChildren(...parts, dismiss);
  }

  reason({ code, name, text }) {
    const parameter = this.model.parameters[name];
    if (code !== "outOfRange") return this.words[code](parameter?.title ?? name, text);
    const range = this.words.range(
      this.model.parameterText(parameter, parameter.minimum),
      this.model.parameterText(parameter, parameter.maximum),
      String(parameter.step),
    );
    return this.words.outOfRange(parameter.title, text, range);
  }

  /** Take the message away: the reader has set something that is allowed. */
  accept() {
    this.message.replaceChildren();
  }
}
