import { z } from 'zod';
import { checkInput } from '#server/content/check-input';
import type { TypeDetail } from '#server/core/site-lists';
import { type Section, type SectionType, sectionTypes } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { textKinds, unwrapped } from '#server/core/safe-text';
import { sectionFieldSchemas } from '#server/core/section-fields';
import { parseHtml } from '#server/markup/parse-html';

/** A section type beside the schema of its fields (server/core/section-fields). */
interface SectionTypeInfo {
  /** Purpose in a few words, for the model. */
  readonly purpose: string;
  /** Values of required fields that were left out on creation. */
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

/** Fields with the value null are fields left out: models send null for "none". */
function withoutNulls(fields: Section['fields']): Section['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/**
 * The fields of a section as they are stored: checked against its type, keys in the schema's order.
 * @param index place of the section in its entry, for `details.issues`. Default: it has none
 * @throws InvalidInputError naming each unknown or wrong field, or how HTML goes beyond what can be parsed.
 */
export function checkSectionFields(type: SectionType, fields: Section['fields'], index?: number): Section['fields'] {
  const place = index === undefined ? undefined : `sections.${index}.fields`;
  const hint = `The fields of ${type} are: ${describeSectionType(type)}`;
  const schema: z.ZodType = sectionFieldSchemas[type];
  // JSON in, JSON out: no schema adds a value that is not, and absent fields stay absent.
  const checked = checkInput(schema, withoutNulls(fields), `The ${type} section`, hint, place) as Section['fields'];
  // HTML beyond the parser's limits could only be shown as words: its author is told while it can be mended.
  if (type === 'html' && typeof checked['html'] === 'string') parseHtml(checked['html']);
  return checked;
}

/**
 * The fields of a new section: as `checkSectionFields`, required fields that were left out get their default.
 * @throws InvalidInputError also for an unknown type.
 */
export function newSectionFields(type: SectionType, fields: Section['fields'], index?: number): Section['fields'] {
  if (!Object.hasOwn(sectionTypeInfo, type)) {
    throw new InvalidInputError(`There is no section type "${type}". The types are ${sectionTypes.join(', ')}.`);
  }
  return checkSectionFields(type, { ...sectionTypeInfo[type].defaults, ...withoutNulls(fields) }, index);
}

/** Tells whether a section shows nothing. */
export function isEmptySection({ type, fields }: Section): boolean {
  const content = fields[sectionTypeInfo[type].main ?? ''];
  return Array.isArray(content) ? content.length === 0 : typeof content === 'string' && content.trim() === '';
}

type Field = TypeDetail['fields'][number];

function isOptional(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodOptional;
}

/** `{src, alt, caption?}` */
function shapeText(schema: z.ZodObject): string {
  const names = Object.entries(schema.shape).map(([name, field]) => nameText(name, field));
  return `{${names.join(', ')}}`;
}

/** Kind of a value that is not plain text. */
function valueText(schema: z.core.$ZodType): string | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) return shapeText(inner);
  if (inner instanceof z.ZodArray) return `[${valueText(inner.element) ?? 'text'}]`;
  if (inner instanceof z.ZodEnum) return inner.options.join('|');
  return undefined;
}

/** `count (1-50)`, `body (markdown)`, `images: [{src, alt, caption?}]`, `heading?`. */
function nameText(name: string, schema: z.core.$ZodType): string {
  const inner = unwrapped(schema);
  const marked = `${name}${isOptional(schema) ? '?' : ''}`;
  if (inner instanceof z.ZodNumber) return `${marked} (${inner.minValue}-${inner.maxValue})`;
  if (textKinds.get(inner)?.kind === 'markdown') return `${marked} (markdown)`;
  const value = valueText(inner);
  return value === undefined ? marked : `${marked}: ${value}`;
}

/** All fields in one line: `heading?, body (markdown)`. */
export function fieldsLine(schema: z.ZodObject): string {
  return Object.entries(schema.shape)
    .map(([name, field]) => nameText(name, field))
    .join(', ');
}

function kindOf(schema: z.core.$ZodType): string {
  const inner = unwrapped(schema);
  const text = textKinds.get(inner)?.kind;
  if (text !== undefined) return text;
  if (inner instanceof z.ZodArray) return `list of ${valueText(inner.element) ?? kindOf(inner.element)}`;
  if (inner instanceof z.ZodEnum || inner instanceof z.ZodObject) return valueText(inner) ?? 'text';
  if (inner instanceof z.ZodNumber) return 'whole number';
  return inner instanceof z.ZodBoolean ? 'true or false' : 'text';
}

function limitOf(schema: z.core.$ZodType): string | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodNumber) return `${inner.minValue} to ${inner.maxValue}`;
  return inner instanceof z.ZodString && inner.maxLength !== null
    ? `at most ${inner.maxLength.toLocaleString('en-US')} characters`
    : undefined;
}

/** Every field of a schema: what it takes, and its limit. */
export function fieldDetails(schema: z.ZodObject): Field[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const hint = limitOf(field);
    return { name, required: !isOptional(field), kind: kindOf(field), ...(hint !== undefined && { hint }) };
  });
}
