import { expect, it } from 'vitest';
import { fieldWords, kindWords, pageFieldWords } from '#components/editor/model/field-words.ts';
import { fieldName, sectionTypeName } from '#server/core/site/field-names';
import { sectionTypes } from '#server/core/site/content';

it('uses the same names for sections and fields as the change summaries', () => {
  for (const type of sectionTypes) expect(sectionTypeName(type).toLowerCase()).toBe(kindWords[type].name.toLowerCase());
  expect(fieldName('excerpt')).toBe(pageFieldWords.excerpt.label.toLowerCase());
  for (const name of ['subheading', 'ctaLabel', 'ctaHref', 'imageAlt'])
    expect(fieldName(name)).toBe(fieldWords('hero', name).label.toLowerCase());
});
