/** `an image`, `a faq`: goes by the first letter, which is right for the section types and field names there are. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
