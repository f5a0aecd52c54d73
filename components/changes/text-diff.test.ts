import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffText, foldUnchanged } from '#components/changes/text-diff.ts';

const text = (pieces: readonly { readonly kind: string; readonly text: string }[], without: string) =>
  pieces
    .filter(({ kind }) => kind !== without)
    .map((piece) => piece.text)
    .join('');

describe('diffText', () => {
  it('names the words that were replaced', () => {
    expect(diffText('Open from nine to five', 'Open from ten to five')).toEqual([
      { kind: 'same', text: 'Open from ' },
      { kind: 'removed', text: 'nine' },
      { kind: 'added', text: 'ten' },
      { kind: 'same', text: ' to five' },
    ]);
  });

  it('does not tear neighbouring replaced words apart', () => {
    expect(diffText('We sell the old brown mugs here', 'We sell the new white mugs here')).toEqual([
      { kind: 'same', text: 'We sell the ' },
      { kind: 'removed', text: 'old brown' },
      { kind: 'added', text: 'new white' },
      { kind: 'same', text: ' mugs here' },
    ]);
  });

  it('shows texts that have next to nothing in common one after the other', () => {
    expect(diffText('Glazes, kilns and clay.', 'Book your visit today!')).toEqual([
      { kind: 'removed', text: 'Glazes, kilns and clay.' },
      { kind: 'added', text: 'Book your visit today!' },
    ]);
  });

  it('takes a long text that was replaced as a whole in its stride', () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `a${index}`).join(' ');
    const after = Array.from({ length: 20_000 }, (_, index) => `b${index}`).join(' ');
    expect(diffText(before, after)).toEqual([
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ]);
  });

  it('loses no character of either text', () => {
    const word = fc.constantFrom('kiln', 'clay', 'a', ' ', '  ', '\n', '\n\n', '.', 'été', '陶器', '👩‍🚀', '');
    const texts = fc.array(word, { maxLength: 40 }).map((words) => words.join(''));
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const pieces = diffText(before, after);
        expect(text(pieces, 'added')).toBe(before);
        expect(text(pieces, 'removed')).toBe(after);
        expect(pieces.every((piece, index) => piece.text !== '' && piece.kind !== pieces[index + 1]?.kind)).toBe(true);
      }),
    );
  });
});

describe('foldUnchanged', () => {
  const long = Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ');

  it('keeps what is next to a change and folds the rest', () => {
    const shown = foldUnchanged([
      { kind: 'same', text: `${long} ` },
      { kind: 'added', text: 'new' },
      { kind: 'same', text: ` ${long}` },
    ]);
    expect(shown.map(({ kind }) => kind)).toEqual(['folded', 'same', 'added', 'same', 'folded']);
    expect(shown.map((piece) => piece.text).join('')).toBe(`${long} new ${long}`);
    expect(shown[1]?.text).toMatch(/ word99 $/);
  });

  it('folds no short and no changed text', () => {
    const pieces = [
      { kind: 'same', text: 'short ' },
      { kind: 'added', text: 'new' },
    ] as const;
    expect(foldUnchanged(pieces)).toEqual(pieces);
    expect(foldUnchanged([{ kind: 'same', text: long }])).toEqual([{ kind: 'same', text: long }]);
  });
});
