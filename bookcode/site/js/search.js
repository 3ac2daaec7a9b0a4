// What a search result quotes of a page: its text, without the cells and with each formula once.

const LEFT_OUT = ".cell, annotation";

const whole = Search.htmlToText; // of Sphinx's searchtools.js

Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const part of page.querySelectorAll(LEFT_OUT)) part.remove();
  return whole(page.documentElement.outerHTML, anchor);
};
