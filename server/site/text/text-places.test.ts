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

it('replaces only what readers see, and shows what is inserted literally', () => {
  const markdown = 'The kiln: [prices](/kiln) ![](/media/kiln.jpg) and **kiln**';
  const html = '<p class="kiln">A kiln <img src="/kiln.jpg" alt=""></p>';
  const document = {
    title: 'Kiln',
    slug: 'kiln',
    sections: [
      { id: 'sec_1', type: 'text' as const, fields: { body: markdown } },
      { id: 'sec_2', type: 'html' as const, fields: { html } },
    ],
  };
  const { operations } = replaceText(document, { find: 'kiln', asShown: true }, 'oven <b>');
  expect(operations).toEqual([
    {
      op: 'set-section',
      sectionId: 'sec_1',
      fields: { body: String.raw`The oven \<b>: [prices](/kiln) ![](/media/kiln.jpg) and **oven \<b>**` },
    },
    {
      op: 'set-section',
      sectionId: 'sec_2',
      fields: { html: '<p class="kiln">A oven &lt;b&gt; <img src="/kiln.jpg" alt=""></p>' },
    },
  ]);
});
