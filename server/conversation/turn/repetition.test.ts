import { describe, expect, it } from 'vitest';
import { RepetitionWatch } from '#server/conversation/step/repetition';

/** The stored text when it arrives in pieces; all of it if no repetition ends it. */
function kept(text: string, piece: number): string {
  const watch = new RepetitionWatch();
  for (let at = 0; at < text.length; at += piece) {
    const surplus = watch.add(text.slice(at, at + piece));
    if (surplus > 0) return text.slice(0, Math.min(at + piece, text.length) - surplus);
  }
  return text;
}

const SENTENCE = 'The kiln is warm and the bowls are ready for glazing now. ';
const rows = Array.from(
  { length: 40 },
  (_, index) => `| Bowl ${index} | ${index * 7} € | in stock since spring |\n`,
).join('');

describe('RepetitionWatch', () => {
  it.each([1, 3, 7, 50, 400])('keeps a passage once when it arrives in pieces of %d', (piece) => {
    expect(kept(`Look:\n${SENTENCE.repeat(40)}`, piece)).toBe(`Look:\n${SENTENCE}`);
  });

  it.each([
    ['a few letters', 'ha ', 42],
    ['one letter', 'a', 40],
    ['Japanese', '窯は温かく、器は釉薬をかける準備ができています。', 48],
    ['a long passage', rows, rows.length],
    // Arabic and emoji: pieces of five characters cut a surrogate pair.
    ['Arabic', 'الفرن دافئ والأوعية جاهزة للتزجيج الآن، فلنبدأ بالعمل. ', 55],
    ['emoji', '🏺🔥 The kiln is warm, the bowls are dry! 🏺🔥 ', 47],
    ['items of a list with Windows line ends', '- Look at the page and change its title.\r\n', 42],
    ['40 characters', '0123456789012345678901234567890123456789', 40],
  ])('recognizes %s', (_, passage, length) => {
    expect(kept(passage.repeat(passage.length < 100 ? 400 : 60), 5)).toBe(
      passage.repeat(passage.length < 100 ? 400 : 60).slice(0, length),
    );
  });

  it.each([
    ['seven times', `${SENTENCE.repeat(7)}And then something else happens, which ends it all well.`],
    ['a table with different rows', rows],
    ['short separators', `${'-'.repeat(200)} and text`],
    [
      'a passage with a counter',
      Array.from({ length: 50 }, (_, index) => `Step ${index}: look at the page and change its title. `).join(''),
    ],
  ])('leaves %s unchanged', (_, text) => {
    expect(kept(text, 4)).toBe(text);
  });
});
