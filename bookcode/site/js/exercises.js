// The entry for exercises: loads what a page needs of it, and leaves a plain page alone.

const KEY = "bookcode-progress";

const articles = [...document.querySelectorAll(".bk-exercise[data-bk-exercise]")];
const slot = document.querySelector(".bk-progress[data-page]");
const front = document.documentElement.dataset.content_root === "./" && document.querySelector(".toctree-wrapper");

/** Whether this browser keeps anything of a reader; most pages of most readers need no more. */
function begun() {
  try {
    return window.localStorage.getItem(KEY) !== null;
  } catch {
    return false; // no storage: the page's own exercises say so
  }
}

async function pageViews(store, words) {
  const [{ ExerciseView }, { QuestionView }, { Filter }, { loadMarking }] = await Promise.all([
    import("./exercises-view.js"),
    import("./exercises-questions.js"),
    import("./exercises-filter.js"),
    import("./exercises-entry.js"),
  ]);
  const marked = articles.some((article) => article.dataset.draw);
  const marking = marked ? await loadMarking(document).catch(() => null) : null;
  const all = articles.map((article) => {
    const View = article.dataset.what === "question" ? QuestionView : ExerciseView;
    return new View(article, store, marking, words);
  });
  const exercises = articles.filter((article) => article.dataset.what === "exercise");
  const filter = exercises.length > 1 ? new Filter(exercises, words) : null;
  return filter ? [...all, { refresh: () => filter.apply() }] : all;
}

async function panelView(store, words) {
  const { Panel } = await import("./exercises-panel.js");
  const panel = new Panel(store, words);
  articleEnd().append(panel.element);
  return panel;
}

/** Where the page's own content ends. */
function articleEnd() {
  return document.querySelector("#furo-main-content > section[id]") ?? document.querySelector("[role='main']") ?? document.body;
}

async function start() {
  const [{ Store }, { exerciseWords }, { loadChapters, ProgressView }] = await Promise.all([
    import("./exercises-store.js"),
    import("./exercises-words.js"),
    import("./exercises-progress.js"),
  ]);
  const store = new Store(() => window.localStorage);
  const words = exerciseWords(document);
  const made = articles.length ? await pageViews(store, words) : [];
  if (articles.length || front) made.push(await panelView(store, words));
  made.push(new ProgressView(document, store, await loadChapters(), words));
  store.listen(() => made.forEach((view) => view.refresh()));
  window.addEventListener("storage", (event) => {
    if (event.key === KEY || event.key === null) store.refresh(event.newValue === null);
  });
  document.documentElement.dataset.exercises = "ready";
}

if (articles.length || slot || front || begun()) start();
