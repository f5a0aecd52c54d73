import type { z } from 'zod';
import type { Section, SectionType } from '#server/core/content';
import { sectionTypes } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { parseHtml } from '#server/markup/parse-html';
import { sectionFieldSchemas } from '#server/core/section-fields';
import { checkInput } from '#server/content/check-input';
import { fieldsLine } from '#server/content/describe-fields';

interface SectionTypeInfo {
  /** What it shows. */
  readonly purpose: string;
  /** Values of required fields that were left out on creation. */
  readonly defaults: Section['fields'];
}

const sectionTypeInfo: Record<SectionType, SectionTypeInfo> = {
  hero: { purpose: 'Opening of a page.', defaults: { heading: 'New heading' } },
  text: { purpose: 'Running text.', defaults: { body: '' } },
  image: { purpose: 'One picture.', defaults: { src: '/images/placeholder.svg', alt: '' } },
  gallery: { purpose: 'Pictures side by side.', defaults: { images: [] } },
  features: { purpose: 'Short points in columns.', defaults: { items: [] } },
  quote: { purpose: 'Someone’s words.', defaults: { quote: 'New quote' } },
  faq: { purpose: 'Questions and answers.', defaults: { items: [] } },
  'call-to-action': {
    purpose: 'Asks for one step.',
    defaults: { heading: 'Get in touch', buttonLabel: 'Contact us', buttonHref: '/contact' },
  },
  form: {
    purpose: 'Form.',
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

/** Fields with the value null are fields left out: models send null for "none". */
function withoutNulls(fields: Section['fields']): Section['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/**
 * The fields of a section as they are stored: checked against its type, keys in the schema's order.
 * @throws InvalidInputError naming each unknown or wrong field, or how HTML goes beyond what can be parsed.
 */
export function checkSectionFields(type: SectionType, fields: Section['fields']): Section['fields'] {
  const hint = `The fields of ${type} are: ${describeSectionType(type)}`;
  const schema: z.ZodType = sectionFieldSchemas[type];
  // JSON in, JSON out: no schema adds a value that is not, and absent fields stay absent.
  const checked = checkInput(schema, withoutNulls(fields), `The ${type} section`, hint) as Section['fields'];
  // HTML beyond the parser's limits could only be shown as words: its author is told while it can be mended.
  if (type === 'html' && typeof checked['html'] === 'string') parseHtml(checked['html']);
  return checked;
}

/**
 * The fields of a new section: as `checkSectionFields`, required fields that were left out get their default.
 * @throws InvalidInputError also for an unknown type.
 */
export function newSectionFields(type: SectionType, fields: Section['fields']): Section['fields'] {
  if (!Object.hasOwn(sectionTypeInfo, type)) {
    throw new InvalidInputError(`There is no section type "${type}". The types are ${sectionTypes.join(', ')}.`);
  }
  return checkSectionFields(type, { ...sectionTypeInfo[type].defaults, ...withoutNulls(fields) });
}
