import { Fragment } from 'react';

/** A word as the search knows it. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

export interface TextPiece {
  readonly text: string;
  readonly isFound: boolean;
}

/** Cuts a text where its words begin with words of the query; case and accents do not count, as in the search. */
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

function fold(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** A text with the words of a query marked. */
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
