/** Spaces, emphasis and invisible characters within a mark hide it from us, not from a model; so does `\n` within JSON. */
const GAP = '(?:[\\s\\p{Cf}*_]|\\\\[nrt]){0,10}';
const spaced = (words: string) => words.split(' ').join(GAP);

/** Phrases that only the engine may say to a model, from the bracket on. */
const MARKS = [
  'previous conversation summary',
  'note from throughline',
  'old tool result content cleared',
  'the user stopped this answer here',
  'images from the tool results above',
].map(spaced);
const BRACKET = new RegExp(`\\[(?=${GAP}(?:${MARKS.join('|')}))`, 'giu');
const TAGS = ['standing instructions', 'situation', 'selected text'].map((tag) =>
  tag.split(' ').join(`${GAP}[-_]?${GAP}`),
);
const TAG = new RegExp(`<(?=${GAP}/?${GAP}(?:${TAGS.join('|')}))`, 'giu');

/**
 * A text of a user, a tool, a page or a file as a model reads it: nothing in it passes for a mark of the engine. The
 * bracket that opens one is another one then, the rest stays; also of JSON, which stays JSON.
 */
export function foreignText(text: string): string {
  return text.replaceAll(BRACKET, '(').replaceAll(TAG, '‹');
}
