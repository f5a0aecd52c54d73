import fc from 'fast-check';
import { expect, it } from 'vitest';
import { differing } from '#server/core/text/differing';

it.each([
  ['We open at nine.', 'We open at ten.', '… at nine.', '… at ten.'],
  [
    'We are open from nine to five on every day but Monday.',
    'We are open from ten to five on every day but Monday.',
    '… from nine to …',
    '… from ten to …',
  ],
  ['日曜日の講座の料金は三千円です。', '日曜日の講座の料金は四千円です。', '… 金は三千円 …', '… 金は四千円 …'],
  ['', 'New text', '', 'New text'],
])('quotes only what differs: %s', (before, after, from, to) => {
  expect(differing(before, after)).toEqual([from, to]);
});

it('quotes all that differs, however the texts do', () => {
  const texts = fc.array(fc.constantFrom('kiln', 'clay', 'water', '釉', '薬'), { maxLength: 20 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const [from, to] = differing(before.join(' '), after.join(' '));
      expect(from === to).toBe(before.join(' ') === after.join(' '));
    }),
  );
});
