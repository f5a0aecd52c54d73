import { z } from 'zod';
import { textKinds, unwrapped } from '#server/core/text/safe-text';
import type { TypeDetail } from '#server/core/site/type-descriptions';

/* Describes the fields of a zod schema to models and API clients. */

type Field = TypeDetail['fields'][number];

function isOptional(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodOptional;
}

/** `{src, alt, caption?}`. The choices of a field are listed once: `{firstDay: monday|tuesday, lastDay?}`. */
function shapeText(schema: z.ZodObject): string {
  const listed = new Set<string>();
  const names = Object.entries(schema.shape).map(([name, field]) => {
    const inner = unwrapped(field);
    const choices = inner instanceof z.ZodEnum ? inner.options.join('|') : null;
    if (choices !== null && listed.has(choices)) return `${name}${isOptional(field) ? '?' : ''}`;
    if (choices !== null) listed.add(choices);
    return nameText(name, field);
  });
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

/** Every field of a schema with its accepted values and its limit. */
export function fieldDetails(schema: z.ZodObject): Field[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const hint = limitOf(field);
    return { name, required: !isOptional(field), kind: kindOf(field), ...(hint !== undefined && { hint }) };
  });
}
