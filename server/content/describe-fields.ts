import { z } from 'zod';
import type { TypeDetail } from '#server/content/content-backend';
import { textKinds } from '#server/core/safe-text';

type Field = TypeDetail['fields'][number];

/** The schema of a value that is there, as it is given. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? unwrapped(schema.unwrap()) : schema;
}

function isOptional(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodOptional;
}

/** `{src, alt, caption?}` */
function shapeText(schema: z.ZodObject): string {
  const names = Object.entries(schema.shape).map(([name, field]) => nameText(name, field));
  return `{${names.join(', ')}}`;
}

/** What a value is, where it is not plain text. */
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
