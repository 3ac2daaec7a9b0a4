// What the page remembers of a reader, and how a text from outside becomes that. Nothing here
// touches the page or its storage.
//
// {schema, read: {page: {read, at}}, answers: {id: answer}}; an answer is {text, submitted, mark,
// at, draw, entry, right, chosen, former}. Whatever comes from outside is rebuilt field by field, so
// that nothing else gets in. Times are milliseconds; the later one of two wins a merge.

export const SCHEMA = 1;
export const LIMITS = { file: 1_000_000, text: 20_000, entry: 80, entries: 2_000, former: 5, chosen: 20 };
export const MARKS = ["got", "partly", "missed"];

const ID = /^[a-z0-9]+(-[a-z0-9]+)+$/;
const PAGE = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/;
const NAME = /^[a-z][a-z0-9_]*$/;

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isTime = (value) => Number.isSafeInteger(value) && value >= 0;
const isText = (value, limit) => typeof value === "string" && value.length <= limit;

export function emptyProgress() {
  return { schema: SCHEMA, read: {}, answers: {} };
}

export function emptyAnswer() {
  return {
    text: "",
    submitted: false,
    mark: null,
    at: 0,
    draw: null,
    entry: "",
    right: null,
    chosen: [],
    former: [],
  };
}

/**
 * A text as progress: {progress, dropped} or {problem}, one of "size", "json", "shape", "older",
 * "newer". `dropped` counts entries that were not as they must be and were left out.
 */
export function readProgress(text) {
  if (typeof text !== "string" || text.length > LIMITS.file) return { problem: "size" };
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    return { problem: "json" };
  }
  if (!isObject(data)) return { problem: "shape" };
  if (!Number.isSafeInteger(data.schema)) return { problem: "shape" };
  if (data.schema < SCHEMA) return { problem: "older" };
  if (data.schema > SCHEMA) return { problem: "newer" };
  if (!isObject(data.read) || !isObject(data.answers)) return { problem: "shape" };
  return rebuilt(data);
}

function rebuilt(data) {
  const progress = emptyProgress();
  const read = kept(data.read, PAGE, readMark);
  const answers = kept(data.answers, ID, answer);
  progress.read = read.entries;
  progress.answers = answers.entries;
  return { progress, dropped: read.dropped + answers.dropped };
}

function kept(source, pattern, rebuild) {
  const all = Object.entries(source);
  const good = all
    .slice(0, LIMITS.entries)
    .map(([name, value]) => [name, pattern.test(name) && isObject(value) ? rebuild(value) : null])
    .filter(([, value]) => value !== null);
  return { entries: Object.fromEntries(good), dropped: all.length - good.length };
}

function readMark({ read, at }) {
  return typeof read === "boolean" && isTime(at) ? { read, at } : null;
}

function answer(given) {
  const made = { ...emptyAnswer() };
  for (const [name, fits] of Object.entries(FIELDS)) {
    if (!(name in given)) continue;
    if (!fits(given[name])) return null;
    made[name] = structuredClone(given[name]);
  }
  return isTime(given.at) ? made : null;
}

const FIELDS = {
  text: (value) => isText(value, LIMITS.text),
  submitted: (value) => typeof value === "boolean",
  mark: (value) => value === null || MARKS.includes(value),
  at: isTime,
  draw: (value) => value === null || isDraw(value),
  entry: (value) => isText(value, LIMITS.entry),
  right: (value) => value === null || typeof value === "boolean",
  chosen: (value) => isList(value, LIMITS.chosen, (one) => Number.isSafeInteger(one) && one >= 0),
  former: (value) => isList(value, LIMITS.former, (one) => isText(one, LIMITS.text)),
};

function isList(value, limit, fits) {
  return Array.isArray(value) && value.length <= limit && value.every(fits);
}

function isDraw(value) {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  const fits = ([name, drawn]) => NAME.test(name) && (isTime(drawn) || isText(drawn, LIMITS.entry));
  return entries.length <= LIMITS.chosen && entries.every(fits);
}

/** Both: of two answers to one exercise the later, which keeps the other's text among the former. */
export function mergeProgress(mine, theirs) {
  return {
    schema: SCHEMA,
    read: merged(mine.read, theirs.read, later),
    answers: merged(mine.answers, theirs.answers, mergeAnswer),
  };
}

function merged(mine, theirs, join) {
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [one, other] = [mine[name], theirs[name]];
      return [name, one && other ? join(one, other) : (one ?? other)];
    }),
  );
}

function later(one, other) {
  return other.at > one.at ? other : one;
}

function mergeAnswer(one, other) {
  const winner = later(one, other);
  const loser = winner === one ? other : one;
  const texts = [loser.text, ...winner.former, ...loser.former];
  const former = [...new Set(texts)].filter((text) => text !== "" && text !== winner.text);
  return { ...winner, former: former.slice(0, LIMITS.former) };
}

/** Whether an exercise is worked through, or a question answered right. */
export function isDone(found) {
  return Boolean(found) && (found.mark !== null || found.right === true);
}

/** How far a reader is in a chapter of the index: {read, exercises, exercisesDone, questions, …}. */
export function chapterProgress(progress, chapter) {
  const done = (names) => names.filter((name) => isDone(progress.answers[name])).length;
  const exercises = Object.keys(chapter.exercises);
  const questions = Object.keys(chapter.questions);
  return {
    read: progress.read[chapter.page]?.read === true,
    exercises: exercises.length,
    exercisesDone: done(exercises),
    questions: questions.length,
    questionsDone: done(questions),
  };
}

/** The file that a reader takes along. */
export function exportText(progress) {
  return JSON.stringify(progress, null, 1) + "\n";
}
