import { UNSPACED_SCRIPTS } from '#server/core/text/unspaced-scripts';

/** Words, white space, and each character of scripts without spaces. */
const PIECES = new RegExp(`[${UNSPACED_SCRIPTS}]|[^\\s${UNSPACED_SCRIPTS}]+|\\s+`, 'gu');
/** Pieces that are shown before and after what differs. */
const AROUND = 2;

/** What differs in two texts, each on one line, with one word around it and an ellipsis for what both have in common. */
export function differing(before: string, after: string): [string, string] {
  const piecesOf = (text: string): string[] => text.trim().match(PIECES) ?? [];
  const [was, is] = [piecesOf(before), piecesOf(after)];
  const shorter = Math.min(was.length, is.length);
  let [start, end] = [0, 0];
  while (start < shorter && was[start] === is[start]) start += 1;
  while (end < shorter - start && was.at(-1 - end) === is.at(-1 - end)) end += 1;
  const [from, behind] = [Math.max(0, start - AROUND), Math.max(0, end - AROUND)];
  const cut = (pieces: readonly string[]) => {
    const middle = pieces.slice(from, pieces.length - behind).join('').replaceAll(/\s+/g, ' ').trim(); // oxfmt-ignore
    return `${from > 0 ? '… ' : ''}${middle}${behind > 0 ? ' …' : ''}`;
  };
  return [cut(was), cut(is)];
}
