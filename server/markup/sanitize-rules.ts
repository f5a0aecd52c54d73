/**
 * Rules for untrusted HTML, as differences from the default schema of hast-util-sanitize (GitHub's rules): no forms; no
 * attributes `id` and `name`, which could collide with those of our pages; no `picture` and `source`, whose several
 * addresses are not checked individually. Callers add the class names that they allow.
 */
export const htmlRules = {
  droppedTags: ['input', 'picture', 'source'],
  addedTags: ['figure', 'figcaption', 'mark', 'u', 'small', 'cite', 'abbr', 'time', 'caption'],
  /** Elements that are removed with their content. */
  strip: ['script', 'style', 'template', 'noscript', 'svg', 'math', 'object', 'iframe', 'title', 'textarea', 'select'],
  attributes: {
    a: ['href', 'title'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    ol: ['start', 'reversed', 'type'],
    li: ['value'],
    td: ['colSpan', 'rowSpan', 'align'],
    th: ['colSpan', 'rowSpan', 'align', 'scope'],
    details: ['open'],
    time: ['dateTime'],
  },
  /** Attributes allowed on every element. */
  globalAttributes: ['lang', 'dir'],
  protocols: { href: ['http', 'https', 'mailto', 'tel'], src: ['http', 'https'] },
};

/**
 * The allowed tag names.
 * @param byDefault those of the default schema
 */
export function keptTags(byDefault: readonly string[]): string[] {
  const kept = byDefault.filter((name) => !htmlRules.droppedTags.includes(name));
  return [...kept, ...htmlRules.addedTags];
}
