import { describe, expect, it } from 'vitest';
import { amountIn, writtenSoFar } from '#components/chat/transcript/written-amount.ts';

const japanese = '工房は毎週土曜日に開いています。'.repeat(5);

describe('the amount of text that a model has written', () => {
  it.each([
    ["Don't fire a half-dry bowl at 1,280 °C", { count: 9, unit: 'words' }],
    [
      { title: 'Pricing', sections: [{ fields: { body: 'Two words' } }, null, 7] },
      { count: 3, unit: 'words' },
    ],
    ['工房は毎週土曜日に開いています。', { count: 15, unit: 'characters' }],
    ['Öffnungszeiten der Werkstatt: 工房', { count: 5, unit: 'words' }],
    [undefined, { count: 0, unit: 'words' }],
  ])('counts %j in the unit of its script', (value, amount) => {
    expect(amountIn(value)).toEqual(amount);
  });

  it.each([
    [{ title: 'Pricing', body: 'word '.repeat(1_205) }, 'Writing Pricing… 1,200 words'],
    [{ ref: 'pricing', body: japanese }, 'Writing pricing… 70 characters'],
    [{ body: 'word '.repeat(44) }, 'Writing… 40 words'],
    [{ title: 'Pricing', body: 'A few words' }, null],
  ])('names the entry and the amount while %# is written', (input, text) => {
    expect(writtenSoFar({ input, isWriting: true })).toBe(text);
  });

  it('shows no amount once the input is complete', () => {
    expect(writtenSoFar({ input: { body: 'word '.repeat(200) }, isWriting: false })).toBeNull();
  });
});
