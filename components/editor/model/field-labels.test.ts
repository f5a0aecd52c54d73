import { expect, it } from 'vitest';
import { fieldLabels, kindName, pageFieldLabels } from '#components/editor/model/field-labels.ts';
import { fieldName, sectionTypeName } from '#server/core/site/field-names';
import { sectionTypes } from '#server/core/site/content';

it('uses the same names for sections and fields as the change summaries', () => {
  for (const type of sectionTypes) expect(sectionTypeName(type).toLowerCase()).toBe(kindName(type).toLowerCase());
  expect(fieldName('excerpt')).toBe(pageFieldLabels('excerpt').label.toLowerCase());
  for (const name of ['subheading', 'ctaLabel', 'ctaHref', 'imageAlt'])
    expect(fieldName(name)).toBe(fieldLabels('hero', name).label.toLowerCase());
});
