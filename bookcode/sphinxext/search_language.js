// The search in a browser: splits queries as the index was split, and wants every word of a query.
// Stands in Sphinx's language_data.js, behind its searchtools.js.

const bookPatterns = PATTERNS;

const bookTokens = (query) =>
  (query.normalize("NFKC").match(new RegExp(bookPatterns.token, "gu")) ?? []).filter(
    (token) => !new RegExp(bookPatterns.number, "u").test(token),
  );

const bookIsHan = (token) => new RegExp(bookPatterns.han, "u").test(token);

function splitQuery(query) {
  return bookTokens(query).flatMap((token) => {
    const characters = [...token];
    if (!bookIsHan(token) || characters.length === 1) return [token];
    return characters.slice(1).map((character, index) => characters[index] + character);
  });
}

window.Stemmer = function () {
  const english = new EnglishStemmer();
  const plain = new RegExp(bookPatterns.plain, "u");
  this.stemWord = (word) => (plain.test(word) ? english.stemWord(word) : word);
};

// Sphinx lets words of two characters be missing, which would be every pair of Chinese ones.
const bookFindWord = Search.performTermsSearch;

const bookFindAll = (words, excluded) => {
  let found;
  for (const word of words) {
    const hits = new Map(bookFind(word, excluded).map((result) => [result[0], result]));
    if (found) {
      for (const [page, result] of found) {
        if (hits.has(page)) result[4] += hits.get(page)[4];
        else found.delete(page);
      }
    } else {
      found = hits;
    }
  }
  return [...(found ?? new Map()).values()];
};

// A compound that nobody writes so may be written in parts: all-reduce, all reduce.
const bookFind = (word, excluded) => {
  const results = bookFindWord(new Set([word]), excluded);
  if (results.length || !word.includes("-")) return results;
  const stemmer = new Stemmer();
  const parts = splitQuery(word.replaceAll("-", " ")).filter((part) => !stopwords.has(part));
  return bookFindAll(
    parts.map((part) => stemmer.stemWord(part)),
    excluded,
  );
};

Search.performTermsSearch = (words, excluded) => {
  const results = bookFindAll(words, excluded);
  for (const result of results) {
    result[4] /= words.size;
    if (result[0].startsWith(CODE)) result[4] -= 1; // the chapters first
  }
  return results;
};

// Pages are marked with what was typed, not with pairs that overlap.
const bookParseQuery = Search._parseQuery;

Search._parseQuery = (query) => {
  const parsed = bookParseQuery(query);
  const shown = bookTokens(query)
    .map((token) => token.toLowerCase())
    .filter((token) => !stopwords.has(token));
  parsed[3] = new Set(shown);
  if (SPHINX_HIGHLIGHT_ENABLED) localStorage.setItem("sphinx_highlight_terms", shown.join(" "));
  return parsed;
};
