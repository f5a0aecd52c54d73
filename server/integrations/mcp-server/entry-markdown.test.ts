import { expect, it } from 'vitest';
import type { EntryDocument } from '#server/core/site/content';
import { entryMarkdown } from '#server/integrations/mcp-server/entry-markdown';

it('an entry reads as a page does, from its title to its last link', () => {
  const entry = {
    title: 'Workshops',
    slug: 'workshops',
    excerpt: 'Clay for all',
    sections: [
      { id: 'sec_1', type: 'hero', fields: { heading: 'Come in', image: '/a.png', imageAlt: 'A kiln', ctaLabel: 'Book', ctaHref: '/book' } },
      { id: 'sec_2', type: 'text', fields: { body: 'Two *evenings*.' } },
      { id: 'sec_3', type: 'faq', fields: { heading: 'Questions', items: [{ question: 'When?', answer: 'In May.' }] } },
      { id: 'sec_4', type: 'quote', fields: { quote: 'Lovely\nmugs', author: 'Ada' } },
    ],
  } as EntryDocument; // oxfmt-ignore
  expect(entryMarkdown(entry)).toBe(
    [
      '# Workshops',
      '*Clay for all*',
      '## Come in',
      '![A kiln](/a.png)',
      '[Book](/book)',
      'Two *evenings*.',
      '## Questions',
      '### When?',
      'In May.',
      '> Lovely\n> mugs',
      'Ada',
    ].join('\n\n') + '\n',
  );
});
