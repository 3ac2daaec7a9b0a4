// Keeps a reader's progress in the browser. It never throws and never loses what was written: where
// nothing can be kept it lives as long as the page, and the reader is told.
//
// Notices are codes: "unavailable" (no storage), "full", "damaged" (set aside under another name),
// "newer" (written by a later edition; left alone).

import { emptyAnswer, emptyProgress, exportText, mergeProgress, readProgress } from "./exercises-schema.js";

export const KEY = "bookcode-progress";
export const DAMAGED = "bookcode-progress-damaged";

export class Store {
  /** `storage` is a function, since naming localStorage may already throw. */
  constructor(storage, now = Date.now) {
    this._storage = storage;
    this._now = now;
    this._listeners = [];
    this._keeps = true;
    this.notice = null;
    this.progress = this._stored() ?? emptyProgress();
  }

  /** Call back when anything changed. */
  listen(listener) {
    this._listeners.push(listener);
  }

  answer(id) {
    return this.progress.answers[id] ?? emptyAnswer();
  }

  /** Change one answer; what other tabs wrote meanwhile stays. */
  update(id, change) {
    this._write((progress) => {
      const answer = { ...(progress.answers[id] ?? emptyAnswer()), ...change, at: this._now() };
      return { ...progress, answers: { ...progress.answers, [id]: answer } };
    });
  }

  /** Keep numbers that the page drew by itself; nobody wrote them, so a merge must not take them for later. */
  setDraw(id, draw) {
    this._write((progress) => {
      const answer = { ...(progress.answers[id] ?? emptyAnswer()), draw };
      return { ...progress, answers: { ...progress.answers, [id]: answer } };
    });
  }

  setRead(page, read) {
    this._write((progress) => {
      return { ...progress, read: { ...progress.read, [page]: { read, at: this._now() } } };
    });
  }

  exported() {
    return exportText(this.progress);
  }

  /** Take in a file's text: {dropped} or {problem} as `readProgress` gives them. */
  take(text) {
    const found = readProgress(text);
    if (found.problem) return { problem: found.problem };
    this._write((progress) => mergeProgress(progress, found.progress));
    return { dropped: found.dropped };
  }

  /** Forget everything, in the browser too. */
  clear() {
    this.progress = emptyProgress();
    this.notice = null;
    this._keeps = true;
    try {
      for (const key of [KEY, DAMAGED]) this._storage().removeItem(key);
    } catch {
      this._fail("unavailable");
    }
    this._tell();
  }

  /** Another tab wrote, or cleared everything: show that too. */
  refresh(cleared = false) {
    if (cleared) this.progress = emptyProgress();
    const stored = this._stored();
    if (stored !== null) this.progress = mergeProgress(this.progress, stored);
    this._tell();
  }

  _write(change) {
    const stored = this._keeps ? this._stored() : null;
    const base = stored === null ? this.progress : mergeProgress(stored, this.progress);
    this.progress = change(base);
    if (this._keeps) this._save();
    this._tell();
  }

  _save() {
    let storage;
    try {
      storage = this._storage();
      storage.getItem(KEY);
    } catch {
      this._fail("unavailable");
      return;
    }
    try {
      storage.setItem(KEY, JSON.stringify(this.progress));
      if (this.notice === "full") this.notice = null;
    } catch {
      this.notice = "full"; // the next change tries again
    }
  }

  /** What is stored; null where there is nothing that can be read. */
  _stored() {
    let text;
    try {
      text = this._storage().getItem(KEY);
    } catch {
      this._fail("unavailable");
      return null;
    }
    if (text === null || text === undefined) return null;
    const found = readProgress(text);
    if (!found.problem) return found.progress;
    if (found.problem === "newer") this._fail("newer");
    else this._setAside(text);
    return null;
  }

  _setAside(text) {
    this.notice = "damaged";
    try {
      this._storage().setItem(DAMAGED, text);
      this._storage().removeItem(KEY);
    } catch {
      this._keeps = false; // no room for a copy, so what is there must not be written over
    }
  }

  _fail(notice) {
    this._keeps = false;
    this.notice = notice;
  }

  _tell() {
    for (const listener of this._listeners) listener(this);
  }
}
