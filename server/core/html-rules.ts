/**
 * What of HTML from elsewhere is kept, as rules of hast-util-sanitize beside its own (GitHub's): no forms, ids and names,
 * which could stand in for ours, and no pictures of several sources, whose addresses are not checked one by one.
 * Which classes may stay differs by where it is shown.
 */
export const htmlRules = {
  droppedTags: ['input', 'picture', 'source'],
  addedTags: ['figure', 'figcaption', 'mark', 'u', 'small', 'cite', 'abbr', 'time', 'caption'],
  /** What is not to be read either, when its tag goes. */
  strip: ['script', 'style', 'template', 'noscript', 'svg', 'math', 'object', 'iframe', 'title', 'textarea', 'select'],
  attributes: {
    a: ['href', 'title'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    ol: ['start', 'reversed'],
    td: ['colSpan', 'rowSpan', 'align'],
    th: ['colSpan', 'rowSpan', 'align', 'scope'],
    details: ['open'],
    time: ['dateTime'],
  },
  /** Of every element. */
  globalAttributes: ['lang', 'dir'],
  protocols: { href: ['http', 'https', 'mailto', 'tel'], src: ['http', 'https'] },
};

/** Tags that may stay, of those that stay by default. */
export function keptTags(byDefault: readonly string[]): string[] {
  const kept = byDefault.filter((name) => !htmlRules.droppedTags.includes(name));
  return [...kept, ...htmlRules.addedTags];
}
