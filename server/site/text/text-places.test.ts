import { expect, it } from 'vitest';
import { placesOf, replaceText } from '#server/site/text/text-places';

it('finds a text in other case, also after a letter that becomes two in lower case', () => {
  const document = { title: 'İİ RYE and rye', slug: 'rye', sections: [] };
  expect(placesOf(document, { find: 'rye' })).toMatchObject([{ count: 1 }]);
  const query = { find: 'Rye', anyCase: true };
  expect(placesOf(document, query)).toMatchObject([{ where: 'title', count: 2, text: 'İİ RYE and rye' }]);
  expect(replaceText(document, query, 'oat').operations).toEqual([
    { op: 'set', field: 'title', value: 'İİ oat and oat' },
  ]);
});
