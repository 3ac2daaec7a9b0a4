// How far a reader is: beside each chapter in the sidebar and on the front page, and at its head.

import { button, make } from "./exercises-dom.js";
import { chapterProgress } from "./exercises-schema.js";

const INDEX = new URL("../bookcode/exercises.json", import.meta.url);
const ROOT = new URL("../../", import.meta.url);
const LINKS = ".sidebar-tree a.reference, .toctree-wrapper a.reference";

/** The chapters with their exercises; none where the file cannot be had. */
export async function loadChapters() {
  try {
    const answer = await fetch(INDEX);
    return answer.ok ? (await answer.json()).chapters : [];
  } catch {
    return [];
  }
}

function plainAddress(url) {
  return url.origin + url.pathname;
}

export class ProgressView {
  constructor(root, store, chapters, words) {
    Object.assign(this, { root, store, chapters, words });
    const addresses = chapters.map(({ page }) => plainAddress(new URL(`${page}.html`, ROOT)));
    this.badges = [];
    for (const link of root.querySelectorAll(LINKS)) {
      const index = addresses.indexOf(plainAddress(new URL(link.href)));
      const toChapter = index >= 0 && !new URL(link.href).hash;
      if (toChapter) this.badges.push(this._badge(link, chapters[index]));
    }
    this.heads = [...root.querySelectorAll(".bk-progress[data-page]")].flatMap((slot) => {
      const chapter = chapters.find(({ page }) => page === slot.dataset.page);
      return chapter ? [this._head(slot, chapter)] : [];
    });
    this.refresh();
  }

  _badge(link, chapter) {
    const badge = make("span", { class: "bk-badge", role: "img", hidden: true });
    link.append(badge);
    return { badge, chapter };
  }

  _head(slot, chapter) {
    const text = make("span");
    const toggle = button("", () => {
      const { read } = chapterProgress(this.store.progress, chapter);
      this.store.setRead(chapter.page, !read);
    }, "bk-small");
    slot.replaceChildren(text, toggle);
    slot.hidden = false;
    return { text, toggle, chapter };
  }

  refresh() {
    const { words } = this;
    for (const { badge, chapter } of this.badges) {
      const at = chapterProgress(this.store.progress, chapter);
      const begun = at.read || at.exercisesDone > 0 || at.questionsDone > 0;
      badge.hidden = !begun;
      const done = at.exercisesDone + at.questionsDone;
      badge.textContent = `${at.read ? "✓ " : ""}${done}/${at.exercises + at.questions}`;
      badge.setAttribute("aria-label", this._told(at));
    }
    for (const { text, toggle, chapter } of this.heads) {
      const at = chapterProgress(this.store.progress, chapter);
      text.textContent = this._told(at);
      toggle.textContent = at.read ? words.markUnread : words.markRead;
    }
  }

  _told(at) {
    const { words } = this;
    return [
      at.read ? words.read : words.unread,
      words.exercises(at.exercisesDone, at.exercises),
      words.questions(at.questionsDone, at.questions),
    ].join(words.joint);
  }
}
