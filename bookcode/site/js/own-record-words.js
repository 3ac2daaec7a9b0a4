// The words around a reader's own record, in the languages of the book.

const WORDS = {
  en: {
    title: "Your machine in the figure above",
    choose: "Choose a record",
    drop: "or drop the file here. It stays in this browser.",
    remove: "Remove it",
    removed: "The record is gone from the page.",
    drawn: (device, count) => {
      const operators = count === 1 ? "one operator" : `${count} operators`;
      return `${device}: its roof is drawn in the figure, with ${operators} below it.`;
    },
    none: "The record holds no operators, so only its roof is drawn.",
    measured: (when) => `measured ${when}`,
    unsteady: "The conditions were not steady; take the figures with care:",
    above: "A share above one means that something is wrong: a bandwidth measured while the machine was busy, or operands that were in a cache.",
    number: "No.",
    operator: "operator",
    intensity: "intensity",
    time: "measured",
    bound: "bound",
    share: "bound / measured",
    limit: "limit",
    regimes: { compute: "compute", memory: "memory" },
    caption: "Your operators under your own roof",
    outside: (name) => `${name} (outside the figure, drawn at its edge)`,
    comma: ", ",
    problem: {
      one: () => "Drop one file, the record.",
      size: () => "This file is too large to be a record.",
      unreadable: () => "The file could not be read.",
      json: () => "This file is not JSON, or it is damaged.",
      kind: () => "This is not a record of `python -m bookcode measure`; look for a name that ends in .record.json.",
      older: () => "This record is from an older version; measure again.",
      newer: () => "This record is from a later version than this page.",
      field: (place) => `The record is not as it must be at ${place}.`,
      many: (place) => `The record has too many entries at ${place}.`,
      long: (place) => `A text of the record is too long, at ${place}.`,
    },
  },
  zh: {
    title: "你的机器在上图中的位置",
    choose: "选择记录文件",
    drop: "或把文件拖到这里。它只留在本浏览器中。",
    remove: "移除",
    removed: "记录已从本页移除。",
    drawn: (device, count) => `${device}：图中已画出它的屋顶线，其下有 ${count} 个算子。`,
    none: "记录中没有算子，因此只画出屋顶线。",
    measured: (when) => `测量于 ${when}`,
    unsteady: "测量条件不稳定，这些数请谨慎看待：",
    above: "比例大于一说明有什么不对：带宽是在机器繁忙时测得的，或者操作数已在缓存中。",
    number: "编号",
    operator: "算子",
    intensity: "强度",
    time: "实测",
    bound: "下界",
    share: "下界 / 实测",
    limit: "受限于",
    regimes: { compute: "计算", memory: "主存" },
    caption: "你的算子与你自己的屋顶线",
    outside: (name) => `${name}（在图的范围之外，画在边缘）`,
    comma: "，",
    problem: {
      one: () => "请只放入一个文件：记录文件。",
      size: () => "文件太大，不可能是记录文件。",
      unreadable: () => "无法读取该文件。",
      json: () => "该文件不是 JSON，或已损坏。",
      kind: () => "这不是 `python -m bookcode measure` 的记录；请找以 .record.json 结尾的文件。",
      older: () => "该记录来自较旧的版本，请重新测量。",
      newer: () => "该记录来自比本页更新的版本。",
      field: (place) => `记录在 ${place} 处不合格式。`,
      many: (place) => `记录在 ${place} 处的条目太多。`,
      long: (place) => `记录在 ${place} 处的文本太长。`,
    },
  },
};

/** The words of a page, by the language of its document. */
export function recordWords(root) {
  const tag = root.documentElement.lang || "en";
  return WORDS[tag.split(/[-_]/)[0].toLowerCase()] ?? WORDS.en;
}
