import { expect, it } from 'vitest';
import { fieldWords, kindWords, pageFieldWords } from '#components/editor/field-words';
import { fieldName, sectionTypeName } from '#server/core/field-names';
import { sectionTypes } from '#server/core/content';

it('calls sections and fields as what is told about their changes does', () => {
  for (const type of sectionTypes) expect(sectionTypeName(type).toLowerCase()).toBe(kindWords[type].name.toLowerCase());
  expect(fieldName('excerpt')).toBe(pageFieldWords.excerpt.label.toLowerCase());
  for (const name of ['subheading', 'ctaLabel', 'ctaHref', 'imageAlt'])
    expect(fieldName(name)).toBe(fieldWords('hero', name).label.toLowerCase());
});
