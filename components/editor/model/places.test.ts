import { expect, it } from 'vitest';
import { operationsFor, valueAt, withValue } from '#components/editor/model/places.ts';
import type { EntryDocument } from '#server/core/site/content';
import { valuesReplacedBy } from '#server/core/site/write-checks/replaced-values';

const faq = {
  items: [
    { question: 'When?', answer: 'Now.' },
    { question: 'Where?', answer: 'Here.' },
  ],
};
const page: EntryDocument = {
  title: 'Home',
  slug: 'home',
  seo: { title: 'Home of clay' },
  sections: [{ id: 'sec_faq1', type: 'faq', fields: { heading: 'Questions', ...faq } }],
};
const at = (field: string, sectionId: string | null = 'sec_faq1') => ({ sectionId, field });

it('reads a value at any depth; what is not there is null', () => {
  expect(valueAt(page, at('items.1.question'))).toBe('Where?');
  expect(valueAt(page, at('items.2.question'))).toBeNull();
  expect(valueAt(page, at('seo.title', null))).toBe('Home of clay');
  expect(valueAt(page, at('heading', 'sec_gone'))).toBeNull();
  expect(valueAt(page, at('constructor.name'))).toBeNull();
});

it('writes the whole field around a value, and returns the replaced value', () => {
  const operations = operationsFor(page, at('items.1.answer'), 'There.');
  const items = [faq.items[0], { question: 'Where?', answer: 'There.' }];
  expect(operations).toEqual([{ op: 'set-section', sectionId: 'sec_faq1', fields: { items } }]);
  expect(valuesReplacedBy(page, operations)).toEqual([{ ...at('items'), value: faq.items }]);
  expect(withValue(page, at('items.1.answer'), 'There.').sections[0]?.fields).toEqual({ heading: 'Questions', items });
});

it('removes an optional value by null, and parents that become empty', () => {
  expect(operationsFor(page, at('heading'), null)).toMatchObject([{ fields: { heading: null } }]);
  expect(operationsFor(page, at('seo.title', null), null)).toEqual([{ op: 'unset', field: 'seo' }]);
  expect(operationsFor(page, at('seo.description', null), 'Clay')).toEqual([
    { op: 'set', field: 'seo', value: { title: 'Home of clay', description: 'Clay' } },
  ]);
  expect(operationsFor(page, at('title', null), null)).toEqual([{ op: 'set', field: 'title', value: '' }]);
  expect(withValue(page, at('seo.title', null), null)).not.toHaveProperty('seo');
});

it('knows a section before its removal; a move has no previous value', () => {
  const [section] = page.sections;
  expect(valuesReplacedBy(page, [{ op: 'remove-section', sectionId: 'sec_faq1' }])).toEqual([
    { sectionId: 'sec_faq1', field: null, value: section?.fields },
  ]);
  expect(valuesReplacedBy(page, [{ op: 'move-section', sectionId: 'sec_faq1', index: 0 }])).toEqual([]);
});
