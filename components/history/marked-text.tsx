import { Fragment } from 'react';

/** A word, as the search of the server defines it. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

interface TextPiece {
  readonly text: string;
  readonly isFound: boolean;
}

/**
 * Splits a text into pieces and marks each word that begins with a word of the query; ignores case and accents, like
 * the search.
 */
export function markedPieces(text: string, query: string): TextPiece[] {
  const wanted = [...query.matchAll(WORD)].map(([word]) => fold(word));
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!wanted.some((one) => fold(word).startsWith(one))) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), isFound: false });
    pieces.push({ text: word, isFound: true });
    from = index + word.length;
  }
  return from < text.length ? [...pieces, { text: text.slice(from), isFound: false }] : pieces;
}

/** A word without accents, in lower case. */
function fold(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** A text in which the words found by a query are highlighted. */
export function MarkedText({ text, query }: { readonly text: string; readonly query: string }) {
  return markedPieces(text, query).map(({ text: piece, isFound }, index) =>
    isFound ? (
      <mark key={index} className="rounded-[2px] bg-accent/20 text-ink">
        {piece}
      </mark>
    ) : (
      <Fragment key={index}>{piece}</Fragment>
    ),
  );
}
