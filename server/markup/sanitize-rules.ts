/**
 * Rules for HTML from elsewhere, in addition to those of hast-util-sanitize (GitHub's): no forms, ids and names, which
 * could replace ours, and no pictures of several sources, whose addresses are not checked one by one. Each user of the
 * rules adds the classes that it allows.
 */
export const htmlRules = {
  droppedTags: ['input', 'picture', 'source'],
  addedTags: ['figure', 'figcaption', 'mark', 'u', 'small', 'cite', 'abbr', 'time', 'caption'],
  /** Elements that are removed with their content. */
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
  /** Attributes of every element. */
  globalAttributes: ['lang', 'dir'],
  protocols: { href: ['http', 'https', 'mailto', 'tel'], src: ['http', 'https'] },
};

/** Tags that may stay, of those that stay by default. */
export function keptTags(byDefault: readonly string[]): string[] {
  const kept = byDefault.filter((name) => !htmlRules.droppedTags.includes(name));
  return [...kept, ...htmlRules.addedTags];
}
