/** A model asks in a few words. */
const MOST_WORDS = 12;
const LEAST_WORDS = 3;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}_'’-]*/gu;

/**
 * What a model could ask for when it has forgotten something: the words around the place where it first stood, nearest
 * first, without it.
 * @param text in which it stands
 */
export function recallQuery(text: string, needle: string): string {
  const at = text.indexOf(needle);
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const lineEnd = text.indexOf('\n', at + needle.length);
  const before = text.slice(lineStart, at);
  const after = text.slice(at + needle.length, lineEnd === -1 ? undefined : lineEnd);
  const near = aroundOf(before, after, needle);
  if (near.length >= LEAST_WORDS) return near.join(' ');
  // A line that holds nothing else: the adjacent lines.
  return aroundOf(text.slice(0, at), text.slice(at + needle.length), needle).join(' ');
}

function aroundOf(before: string, after: string, needle: string): string[] {
  const left = wordsOf(without(before, needle).slice(-300));
  const right = wordsOf(without(after, needle).slice(0, 300));
  const fromLeft = Math.max(MOST_WORDS / 2, MOST_WORDS - right.length);
  const chosen = left.slice(-fromLeft);
  return [...chosen, ...right.slice(0, MOST_WORDS - chosen.length)];
}

/** Where it stands once more it would give itself away, be it in pieces. */
function without(text: string, needle: string): string {
  return text.replaceAll(needle, ' ');
}

function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}
