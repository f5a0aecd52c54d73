/**
 * Joins several messages of a user to one text: one message unchanged, two as `First: A\n\nAlso: B`, more as `[1]
 * A\n\n[2] B\n\n[3] C`. Models and clients rely on this form.
 */
export function coalesceTexts(texts: readonly string[]): string {
  if (texts.length === 2) return `First: ${texts[0]}\n\nAlso: ${texts[1]}`;
  return texts.length < 2 ? texts.join('') : texts.map((text, index) => `[${index + 1}] ${text}`).join('\n\n');
}

/**
 * Splits a text that `coalesceTexts` produced; any other text is one message. A typed text of the same form is split as
 * well, so callers compare the number of messages with the stored one.
 */
export function splitCoalescedText(text: string): string[] {
  const pair = /^First: ([^]*?)\n\nAlso: ([^]*)$/.exec(text);
  if (pair) return [pair[1] ?? '', pair[2] ?? ''];
  const pieces: string[] = [];
  let rest = text;
  for (let number = 1; rest.startsWith(`[${number}] `); number += 1) {
    const start = `[${number}] `.length;
    const next = rest.indexOf(`\n\n[${number + 1}] `);
    pieces.push(next === -1 ? rest.slice(start) : rest.slice(start, next));
    rest = next === -1 ? '' : rest.slice(next + 2);
  }
  return pieces.length < 3 ? [text] : pieces;
}

/**
 * Removes all labels from a text that `coalesceTexts` produced.
 * @param beginning may be only the beginning of that text
 */
export function withoutCoalescing(beginning: string): string {
  return beginning.replace(/^(?:First: |\[1\] )/, '').replaceAll(/\n\n(?:Also: |\[\d+\] )/g, '\n\n');
}
