import { addedTags } from '#server/core/conversation/part-types/registry';

/**
 * Characters that may be inside of a mark: a search for the exact mark would miss it, but a model would still read it as
 * one. Spaces, emphasis and invisible characters, and `\n` as JSON writes it.
 */
const GAP = '(?:[\\s\\p{Cf}*_]|\\\\[nrt]){0,10}';
const spaced = (words: string) => words.split(' ').join(GAP);

/** The marks of the engine (server/core/conversation/labels), without the bracket before them. */
const MARKS = [
  'previous conversation summary',
  'note from throughline',
  'old tool result content cleared',
  'the user stopped this answer here',
  'images from the tool results above',
].map(spaced);
const BRACKET = new RegExp(`\\[(?=${GAP}(?:${MARKS.join('|')}))`, 'giu');
const TAGS = ['standing-instructions', ...addedTags].map((tag) => tag.split('-').join(`${GAP}[-_]?${GAP}`));
const TAG = new RegExp(`<(?=${GAP}/?${GAP}(?:${TAGS.join('|')}))`, 'giu');

/**
 * Makes a text from a user, a tool, a page or a file safe for a model to read (against prompt injection): a model cannot
 * take anything in it for a mark of the engine. Only the bracket that opens a mark is replaced; JSON stays valid JSON.
 */
export function foreignText(text: string): string {
  return text.replaceAll(BRACKET, '(').replaceAll(TAG, '‹');
}
