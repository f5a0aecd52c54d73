import { z } from 'zod';
import { checkInput } from '#server/site/check-input';
import { type Section, type SectionType, sectionTypes } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';
import { sectionFieldSchemas } from '#server/core/site/section-fields';
import { parseHtml } from '#server/markup/parse-html';
import { fieldsLine } from '#server/site/field-descriptions';

/* The section types with their defaults. The schemas of their fields are in `core/site/section-fields`. */

/** A section type, apart from the schema of its fields. */
interface SectionTypeInfo {
  /** Purpose in a few words, for the model. */
  readonly purpose: string;
  /** Values of required fields that were omitted on creation. */
  readonly defaults: Section['fields'];
  /** The field without which the section shows nothing. */
  readonly main?: string;
}

const sectionTypeInfo: Record<SectionType, SectionTypeInfo> = {
  hero: { purpose: 'Opening of a page.', defaults: { heading: 'New heading' } },
  text: { purpose: 'Running text.', defaults: { body: '' }, main: 'body' },
  image: { purpose: 'One picture.', defaults: { src: '/images/placeholder.svg', alt: '' } },
  gallery: { purpose: 'Pictures side by side.', defaults: { images: [] }, main: 'images' },
  features: { purpose: 'Short points in columns.', defaults: { items: [] }, main: 'items' },
  quote: { purpose: 'Someone’s words.', defaults: { quote: 'New quote' } },
  faq: { purpose: 'Questions and answers.', defaults: { items: [] }, main: 'items' },
  'call-to-action': {
    purpose: 'Asks for one step.',
    defaults: { heading: 'Get in touch', buttonLabel: 'Contact us', buttonHref: '/contact' },
  },
  form: {
    purpose: 'Form. What visitors send is for people to read, under Messages: no tool shows it.',
    defaults: {
      fields: [
        { label: 'Your name', kind: 'text', required: true },
        { label: 'E-mail', kind: 'email', required: true },
        { label: 'Message', kind: 'textarea', required: true },
      ],
      submitLabel: 'Send',
    },
  },
  html: { purpose: 'What no other type can hold; written as HTML, cleaned when shown.', defaults: { html: '' } },
  'posts-list': { purpose: 'The newest posts.', defaults: { count: 3 } },
};

/** One terse line about a section type and its fields (`?` optional); links start with /, #, mailto: or http(s)://. */
export function describeSectionType(type: SectionType): string {
  return `${sectionTypeInfo[type].purpose} ${fieldsLine(sectionFieldSchemas[type])}`;
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
  const schema: z.ZodType = sectionFieldSchemas[type];
  // JSON in, JSON out: schemas only add JSON values, and absent fields remain absent.
  const checked = checkInput(schema, withoutNulls(fields), `The ${type} section`, hint, place) as Section['fields'];
  // HTML beyond the parser's limits could only be shown as plain text, so the author gets an error while it can still
  // be fixed.
  if (type === 'html' && typeof checked['html'] === 'string') parseHtml(checked['html']);
  return checked;
}

/**
 * The fields of a new section: like `checkSectionFields`, but omitted required fields get their defaults.
 * @throws InvalidInputError also for an unknown type.
 */
export function newSectionFields(type: SectionType, fields: Section['fields'], index?: number): Section['fields'] {
  if (!Object.hasOwn(sectionTypeInfo, type)) {
    throw new InvalidInputError(`There is no section type "${type}". The types are ${sectionTypes.join(', ')}.`);
  }
  return checkSectionFields(type, { ...sectionTypeInfo[type].defaults, ...withoutNulls(fields) }, index);
}

/** True if a section shows nothing. */
export function isEmptySection({ type, fields }: Section): boolean {
  const content = fields[sectionTypeInfo[type].main ?? ''];
  return Array.isArray(content) ? content.length === 0 : typeof content === 'string' && content.trim() === '';
}
