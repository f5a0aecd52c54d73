import { serverText } from '#server/core/messages/server-text';
import { z } from 'zod';
import { checkInput } from '#server/site/check-input';
import { type Section, type SectionContent, type SectionType, sectionTypes } from '#server/core/site/content';
import { unwrapped } from '#server/core/text/safe-text';
import { InvalidInputError } from '#server/core/errors';
import { siteTexts } from '#server/core/messages/site-texts';
import type { SectionDefinition } from '#server/core/sections/section-definition';
import { sectionDefinitions } from '#sections/fields';
import { parseHtml } from '#server/markup/parse-html';
import { fieldsLine } from '#server/site/field-descriptions';

/** What the registry knows of a section type, whatever its fields are. */
function definitionOf(type: SectionType): SectionDefinition {
  return sectionDefinitions[type];
}

/** One terse line about a section type and its fields (`?` optional); links start with /, #, mailto: or http(s)://. */
export function describeSectionType(type: SectionType): string {
  const { purpose, fields } = definitionOf(type);
  return `${purpose} ${fieldsLine(fields)}`;
}

/** Removes fields with the value null, because models send null for "none". */
function withoutNulls(fields: Section['fields']): Section['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/**
 * The fields of a section in their stored form: checked against its type, keys in the schema's order.
 * @param index position of the section in its entry, for `details.issues`. Default: it has none
 * @throws InvalidInputError that names each unknown or wrong field, or how HTML exceeds what can be parsed.
 */
export function checkSectionFields(type: SectionType, fields: Section['fields'], index?: number): Section['fields'] {
  const place = index === undefined ? undefined : `sections.${index}.fields`;
  const hint = `The fields of ${type} are: ${describeSectionType(type)}`;
  // JSON in, JSON out: schemas only add JSON values, and absent fields remain absent.
  const checked = checkInput(
    definitionOf(type).fields,
    withoutNulls(fields),
    `The ${type} section`,
    hint,
    place,
  ) as Section['fields'];
  // HTML beyond the parser's limits could only be shown as plain text, so the author gets an error while it can still
  // be fixed.
  if (type === 'html' && typeof checked['html'] === 'string') parseHtml(checked['html']);
  return checked;
}

/** True for a kind whose defaults contain text, which depends on the language of the site. */
export function hasDefaultTexts(type: SectionType): boolean {
  return Object.hasOwn(sectionDefinitions, type) && typeof definitionOf(type).defaults === 'function';
}

/** Values of a section with those of the kind for fields that it omits. @param language language tag of the site */
export function withDefaults({ type, fields }: SectionContent, language: string): Section['fields'] {
  const { defaults } = definitionOf(type);
  const own = typeof defaults === 'function' ? defaults(siteTexts(language).defaults) : defaults;
  return { ...own, ...withoutNulls(fields) };
}

/**
 * The fields of a new section: like `checkSectionFields`, but omitted required fields get their defaults, in English.
 * @throws InvalidInputError also for an unknown type.
 */
export function newSectionFields(type: SectionType, fields: Section['fields'], index?: number): Section['fields'] {
  if (!Object.hasOwn(sectionDefinitions, type)) {
    throw new InvalidInputError(serverText('section-type-unknown', { type, types: sectionTypes.join(', ') }));
  }
  return checkSectionFields(type, withDefaults({ type, fields }, 'en'), index);
}

/** The field of a section type that is a list of records, such as questions with answers; every type has at most one. */
export function listFieldOf(type: SectionType): string | undefined {
  const field = Object.entries(definitionOf(type).fields.shape).find(([, schema]) => {
    const list = unwrapped(schema);
    return list instanceof z.ZodArray && unwrapped(list.element) instanceof z.ZodObject;
  });
  return field?.[0];
}

/** True if a section shows nothing. */
export function isEmptySection({ type, fields }: Section): boolean {
  const content = fields[definitionOf(type).main ?? ''];
  return Array.isArray(content) ? content.length === 0 : typeof content === 'string' && content.trim() === '';
}
