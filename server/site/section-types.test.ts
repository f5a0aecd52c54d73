import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#server/core/json';
import { sectionTypes } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';
import { checkSectionFields, describeSectionType, newSectionFields } from '#server/site/section-types';

const text = (body: JsonValue) => () => checkSectionFields('text', { body });
const cta = (buttonHref: string) => () => newSectionFields('call-to-action', { buttonHref });

describe('section fields', () => {
  it.each(sectionTypes)('a new %s section without fields is complete and valid', (type) => {
    const fields = newSectionFields(type, {});
    expect(checkSectionFields(type, fields)).toEqual(fields);
    for (const name of Object.keys(fields)) expect(describeSectionType(type)).toContain(name);
  });

  it('refuses an unknown field by name and says which fields there are', () => {
    const wrong = () => newSectionFields('hero', { heading: 'Hi', titel: 'x' });
    expect(wrong).toThrow(InvalidInputError);
    expect(wrong).toThrow(/hero section: unknown field "titel".*subheading\?/);
  });

  it('refuses HTML that could not be shown, with advice', () => {
    const deep = () => checkSectionFields('html', { html: '<div>'.repeat(201) });
    expect(deep).toThrow(InvalidInputError);
    expect(deep).toThrow(/more than 200 deep.*Split it into several sections/);
  });

  it('takes null as "left out", but not for a required field of an existing section', () => {
    expect(newSectionFields('text', { heading: null, body: 'x' })).toEqual({ body: 'x' });
    expect(() => checkSectionFields('text', { body: null })).toThrow(/body/);
  });

  it('puts keys in one order, so that equal fields are equal text', () => {
    const fields = checkSectionFields('hero', { ctaHref: '/a', ctaLabel: 'Go', heading: 'Hi' });
    expect(JSON.stringify(fields)).toBe('{"heading":"Hi","ctaLabel":"Go","ctaHref":"/a"}');
  });

  it('refuses an address that the field does not take (addresses.test.ts has all forms)', () => {
    expect(cta('javascript:alert(1)')).toThrow(/buttonHref/);
    expect(cta('#top')).not.toThrow();
    expect(() => checkSectionFields('image', { src: '#top', alt: '' })).toThrow(/src/);
  });

  it('refuses control characters and halves of characters, with the reason', () => {
    expect(text('a\u0000b')).toThrow(/body: must not contain control characters/);
    expect(text('a\ud83db')).toThrow(/lone surrogate/);
    expect(text('tab\t, line\nand emoji 😀')).not.toThrow();
  });

  it('bounds texts and lists', () => {
    expect(text('x'.repeat(50_001))).toThrow(/at most 50,000 characters/);
    const items = Array.from({ length: 51 }, () => ({ title: 'a', body: 'b' }));
    expect(() => checkSectionFields('features', { items })).toThrow(/at most 50 items/);
  });

  it('keeps headings on one line and trims them', () => {
    expect(checkSectionFields('text', { heading: '  Hi ', body: '' })).toEqual({ heading: 'Hi', body: '' });
    expect(() => checkSectionFields('text', { heading: 'a\nb', body: '' })).toThrow(/one line/);
  });
});
