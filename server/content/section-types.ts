import type { z } from 'zod';
import type { Section, SectionType } from '#server/core/content';
import { sectionTypes } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { sectionFieldSchemas } from '#server/core/section-fields';
import { checkInput } from '#server/content/check-input';

interface SectionTypeInfo {
  /** What it shows, and its fields (`?` optional), in one line for a model. */
  readonly description: string;
  /** Values of required fields that were left out on creation. */
  readonly defaults: Section['fields'];
}

const sectionTypeInfo: Record<SectionType, SectionTypeInfo> = {
  hero: {
    description: 'Opening of a page. heading, subheading?, image?, imageAlt?, ctaLabel?, ctaHref?',
    defaults: { heading: 'New heading' },
  },
  text: { description: 'Running text. heading?, body (markdown)', defaults: { body: '' } },
  image: { description: 'One picture. src, alt, caption?', defaults: { src: '/images/placeholder.svg', alt: '' } },
  gallery: { description: 'Pictures side by side. heading?, images: [{src, alt, caption?}]', defaults: { images: [] } },
  features: {
    description: 'Short points in columns. heading?, intro?, items: [{title, body}]',
    defaults: { items: [] },
  },
  quote: { description: 'Someone’s words. quote, author?, role?', defaults: { quote: 'New quote' } },
  faq: { description: 'Questions and answers. heading?, items: [{question, answer}]', defaults: { items: [] } },
  'call-to-action': {
    description: 'Asks for one step. heading, body?, buttonLabel, buttonHref',
    defaults: { heading: 'Get in touch', buttonLabel: 'Contact us', buttonHref: '/contact' },
  },
  form: {
    description: 'Form. heading?, intro?, fields: [{label, kind: text|email|textarea, required}], submitLabel',
    defaults: {
      fields: [
        { label: 'Your name', kind: 'text', required: true },
        { label: 'E-mail', kind: 'email', required: true },
        { label: 'Message', kind: 'textarea', required: true },
      ],
      submitLabel: 'Send',
    },
  },
  'posts-list': { description: 'The newest posts. heading?, count (1-50), tag?', defaults: { count: 3 } },
};

/** One terse line about a section type and its fields; links start with /, #, mailto: or http(s)://. */
export function describeSectionType(type: SectionType): string {
  return sectionTypeInfo[type].description;
}

/** Fields with the value null are fields left out: models send null for "none". */
function withoutNulls(fields: Section['fields']): Section['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/**
 * The fields of a section as they are stored: checked against its type, keys in the schema's order.
 * @throws InvalidInputError naming each unknown or wrong field.
 */
export function checkSectionFields(type: SectionType, fields: Section['fields']): Section['fields'] {
  const hint = `The fields of ${type} are: ${describeSectionType(type)}`;
  const schema: z.ZodType = sectionFieldSchemas[type];
  // JSON in, JSON out: no schema adds a value that is not, and absent fields stay absent.
  return checkInput(schema, withoutNulls(fields), `The ${type} section`, hint) as Section['fields'];
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
