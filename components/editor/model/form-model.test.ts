import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { fieldLabels, layoutName, pageFieldLabels } from '#components/editor/model/field-labels.ts';
import { layouts, sketches } from '#sections/kinds';
import {
  blankItem,
  checkItem,
  documentForm,
  type FormField,
  sectionForm,
} from '#components/editor/model/form-model.ts';
import { checkSectionFields } from '#server/site/section-types';
import { type SectionType, sectionTypes } from '#server/core/site/content';
import { documentFieldSchemas } from '#server/core/site/document-fields';
import type { JsonObject, JsonValue } from '#server/core/json';
import { unwrapped } from '#server/core/text/safe-text';
import { sectionDefinitions } from '#sections/fields';

/** Names of all fields of a schema, read without the form: `items.question`. */
function placesIn(schema: z.core.$ZodType): string[] {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) return placesIn(inner.element);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([name, field]) => [
    name,
    ...placesIn(field as z.core.$ZodType).map((below) => `${name}.${below}`),
  ]);
}

const placesOf = (fields: readonly FormField[]): string[] =>
  fields.flatMap(({ name, fields: below }) => [name, ...placesOf(below).map((place) => `${name}.${place}`)]);

const someText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    'two\nlines',
    'x'.repeat(90),
    'x'.repeat(2_001),
    '/contact',
    'javascript:alert(1)',
    '\u0007',
  ),
);

/** A value as a user may enter it in the control of a field: often valid, not always. */
function entered(field: FormField): fc.Arbitrary<JsonValue> {
  switch (field.kind) {
    case 'switch':
      return fc.boolean();
    case 'number':
      return fc.oneof(fc.integer({ min: -1, max: 60 }), fc.constantFrom(0.5, ''));
    case 'choice':
      return fc.constantFrom(...field.choices);
    case 'link':
    case 'image':
      return fc.oneof(
        fc.constantFrom('/images/kiln.svg', 'https://a.example/x', '#prices', '//evil.example'),
        someText,
      );
    case 'texts':
      return fc.array(someText, { maxLength: 3 });
    case 'list':
      return fc.array(enteredFields(field.fields), { maxLength: 3 });
    case 'group':
      return enteredFields(field.fields);
    default:
      return someText;
  }
}

function enteredFields(fields: readonly FormField[]): fc.Arbitrary<JsonObject> {
  const values = Object.fromEntries(fields.map((field) => [field.name, entered(field)]));
  const requiredKeys = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
  const complete = fc.record(values, { requiredKeys });
  return fc.oneof(
    { weight: 4, arbitrary: complete },
    fc.record(values, { requiredKeys: [] }),
  ) as fc.Arbitrary<JsonObject>;
}

const anySection = fc
  .constantFrom(...sectionTypes)
  .chain((type) => enteredFields(sectionForm(type)).map((fields) => ({ type, fields })));

function storedBy(type: SectionType, fields: JsonObject): JsonObject | null {
  try {
    return checkSectionFields(type, fields);
  } catch {
    return null;
  }
}

it.each(sectionTypes)('every field of %s has a control and labels', (type) => {
  const form = sectionForm(type);
  expect(placesOf(form)).toEqual(placesIn(sectionDefinitions[type].fields));
  for (const name of placesOf(form).map((place) => place.split('.').at(-1) ?? ''))
    expect(fieldLabels(type, name).label, name).not.toBe(name);
  for (const layout of layouts[type]) expect(layoutName(type, layout), layout).toBeDefined();
  expect(layoutName(type, '') !== undefined).toBe(layouts[type].length > 0);
  expect(sketches[type]).not.toEqual([]);
});

it('every field of a page has a control and a label', () => {
  const places = Object.entries(documentFieldSchemas).flatMap(([name, schema]) => [
    name,
    ...placesIn(schema).map((below) => `${name}.${below}`),
  ]);
  expect(placesOf(Object.values(documentForm))).toEqual(places);
  const own = new Set(['slug', 'parent']);
  for (const place of places.filter((each) => !own.has(each)))
    expect(pageFieldLabels(place).label, place).not.toBe(place);
});

it('a form accepts exactly what the server accepts, in its stored form', () => {
  let taken = 0;
  fc.assert(
    fc.property(anySection, ({ type, fields }) => {
      const { value, problems } = checkItem(sectionForm(type), fields);
      const stored = storedBy(type, fields);
      expect(value ?? null).toEqual(stored);
      expect(problems.length > 0).toBe(stored === null);
      if (stored === null) return;
      taken += 1;
      // What is stored comes through the form unchanged.
      expect(checkItem(sectionForm(type), stored).value).toEqual(stored);
    }),
    { numRuns: 1_000 },
  );
  expect(taken).toBeGreaterThan(100);
});

it('a new item has all that an item must have, and is not saved before it is filled in', () => {
  const [items] = sectionForm('faq').filter(({ name }) => name === 'items');
  const blank = blankItem(items?.fields ?? []);
  expect(blank).toEqual({ question: '', answer: '' });
  expect(checkItem(items?.fields ?? [], blank).value).toBeUndefined();
  expect(checkItem(items?.fields ?? [], { question: 'Why?', answer: 'So.' }).value).toBeDefined();
});
