import { describe, expect, it } from 'vitest';
import { applyOperations } from '#server/site/document-operations';
import {
  summarizeCreation,
  summarizeOperations,
  summarizeRestore,
  summarizeSettings,
} from '#server/site/change-summary';
import { DEFAULT_SETTINGS } from '#server/site/site-settings';
import type { EntryDocument, PatchOp } from '#server/core/site/content';

const pricing: EntryDocument = {
  title: 'Pricing',
  slug: 'pricing',
  excerpt: 'What it costs.',
  sections: [
    { id: 'sec_hero', type: 'hero', fields: { heading: 'Prices' } },
    { id: 'sec_pic1', type: 'image', fields: { src: '/a.svg', alt: '' } },
  ],
};
const addFaq: PatchOp = { op: 'insert-section', section: { id: 'sec_faq1', type: 'faq', fields: {} } };

function summaryOf(...operations: PatchOp[]): string {
  const applied = applyOperations(pricing, operations);
  return summarizeOperations(applied.operations, pricing).text;
}

describe('summarizeOperations', () => {
  it.each<[PatchOp, string]>([
    [addFaq, 'Added a FAQ section to "Pricing"'],
    [
      { op: 'insert-section', section: { id: 'sec_pic2', type: 'image', fields: {} } },
      'Added a picture section to "Pricing"',
    ],
    [{ op: 'remove-section', sectionId: 'sec_pic1' }, 'Removed the picture section from "Pricing"'],
    [{ op: 'move-section', sectionId: 'sec_pic1', index: 0 }, 'Moved the picture section to position 1 in "Pricing"'],
    [
      { op: 'set-section', sectionId: 'sec_hero', fields: { heading: 'Fair prices', ctaLabel: 'Go' } },
      'Changed the heading and button label of the hero section in "Pricing"',
    ],
    [{ op: 'set', field: 'title', value: 'Prices' }, 'Renamed "Pricing" to "Prices"'],
    [{ op: 'set', field: 'slug', value: 'prices' }, 'Changed the address of "Pricing" to prices'],
    [{ op: 'set', field: 'tags', value: ['a'] }, 'Changed the tags of "Pricing"'],
    [{ op: 'unset', field: 'excerpt' }, 'Removed the short description of "Pricing"'],
  ])('%j: %s', (operation, summary) => expect(summaryOf(operation)).toBe(summary));

  it('joins several changes and counts the rest', () => {
    const moves: PatchOp[] = [1, 0, 1].map((index) => ({ op: 'move-section', sectionId: 'sec_hero', index }));
    expect(summaryOf(addFaq, { op: 'unset', field: 'excerpt' })).toBe(
      'Changed "Pricing": added a FAQ section and removed the short description',
    );
    expect(summaryOf(addFaq, { op: 'remove-section', sectionId: 'sec_faq1' }, ...moves)).toBe(
      'Changed "Pricing": added a FAQ section, removed the FAQ section, moved the hero section to position 2 and 2 more',
    );
  });

  it('cuts a long title', () => {
    expect(summarizeOperations([{ op: 'unset', field: 'tags' }], { ...pricing, title: 'x'.repeat(200) }).text).toBe(
      `Removed the tags of "${'x'.repeat(59)}…"`,
    );
  });
});

it('summarizes creation, restoring and settings', () => {
  expect(summarizeCreation('page', pricing).text).toBe('Created the page "Pricing" with 2 sections');
  expect(summarizeCreation('post', { ...pricing, sections: [] }).text).toBe('Created the post "Pricing"');
  expect(summarizeRestore('Pricing', 4, 1).text).toBe('Restored "Pricing" to revision 4 (1 change)');
  const clay = { ...DEFAULT_SETTINGS, siteName: 'Clay', tagline: '' };
  expect(
    summarizeSettings(['siteName', 'tagline'], clay, { ...clay, siteName: 'Clay & Co', tagline: 'By hand' }).text,
  ).toBe('Changed the site name from "Clay" to "Clay & Co" and tagline to "By hand"');
});
