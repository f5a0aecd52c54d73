import { describe, expect, it } from 'vitest';
import { TextCost } from '#server/markup/text-cost';

function stepsOf(text: string): number {
  const cost = new TextCost();
  for (const line of text.split('\n')) {
    cost.add(line);
    cost.add(-4);
  }
  return cost.steps;
}

/** How many times as much twice as much of a piece costs: 2 where each costs the same, 4 where each meets all others. */
function growth(piece: string, before = ''): number {
  return stepsOf(before + piece.repeat(4_000)) / stepsOf(before + piece.repeat(2_000));
}

describe('the steps of a running text', () => {
  it.each(['a ', 'word :', 'who has what ', 'a, b. '])('go with its length where it is "%s"', (piece) => {
    expect(growth(piece)).toBeCloseTo(2, 1);
  });

  it.each(['[', '![', '[ `]` ', '[ <b a="]"> ', '\\\\[', '`\\`['])(
    'go with its square after the open bracket of "%s"',
    (open) => {
      expect(growth('a ', open)).toBeGreaterThan(3.5);
      expect(growth('- ', open)).toBeGreaterThan(3);
    },
  );

  it.each(['[a](b) ', '![a](b) ', '[a [b](c) d](e) ', '\\[ '])('go with its length after "%s"', (closed) => {
    expect(growth('a ', closed)).toBeCloseTo(2, 1);
  });

  it.each([' |!\\[', 'a !&amp;', 'a b\n'])(
    'go with its square where tokens become one again and again: "%s"',
    (piece) => {
      expect(growth(piece)).toBeGreaterThan(3);
    },
  );
});
