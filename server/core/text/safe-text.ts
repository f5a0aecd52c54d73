import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { addressProblem } from '#server/core/addresses';

/* Schemas of texts in content, which refuse control characters and unsafe addresses. */

/** Registry of the schemas of texts that are not plain text. */
export const textKinds = z.registry<{
  kind: 'markdown' | 'html' | 'link' | 'image';
  /** True for a picture that shows nothing which the text beside it does not say: it needs no description. */
  isDecorative?: boolean;
}>();

/** Returns a schema without its optional and nullable wrappers; of a pipe, the input schema. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? unwrapped(schema.unwrap()) : schema;
}

/** Message of a schema for values that are too long: `must have at most 2,000 characters`. */
export function atMost(max: number, what = 'characters'): string {
  return `must have at most ${max.toLocaleString('en-US')} ${what}`;
}

/** C0 and C1 controls and DEL, except tab, line feed and carriage return. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** Finds a problem with a text's characters, as the end of a sentence; null if the text is valid. */
function characterProblem(text: string): string | null {
  if (!text.isWellFormed()) return valueRules.halfCharacter;
  if (CONTROL_CHARACTERS.test(text)) return valueRules.characters;
  return null;
}

function checked(check: (text: string) => string | null) {
  return (context: z.core.ParsePayload<string>): void => {
    const problem = check(context.value);
    if (problem !== null) context.issues.push({ code: 'custom', message: problem, input: context.value });
  };
}

/** Text of any number of lines, at most `max` characters (UTF-16 units), markdown included. */
export function prose(max: number) {
  return z.string().max(max, atMost(max)).check(checked(characterProblem));
}

/** One line of text, at most `max` characters; leading and trailing whitespace is dropped. */
export function line(max: number) {
  return prose(max)
    .trim()
    .check(checked((text) => (/[\r\n]/.test(text) ? valueRules.oneLine : null)));
}

/** One line of text, not empty. */
export function requiredLine(max: number) {
  return line(max).min(1, valueRules.empty);
}

/** Text of any number of lines, not blank. */
export function requiredProse(max: number) {
  return prose(max).check(checked((text) => (text.trim() === '' ? valueRules.empty : null)));
}

/** Maximum characters of an address: browsers and servers accept about so much everywhere. */
const MAX_URL_LENGTH = 2_000;

/** Target of a link: http(s), a path on this site, an anchor or an e-mail address. Never `javascript:`. */
export const linkSchema = requiredLine(MAX_URL_LENGTH)
  .check(checked((url) => addressProblem(url, 'link')))
  .register(textKinds, { kind: 'link' });

/** Target of a link within the site: a path, with a query or a fragment. */
export const pageLinkSchema = requiredLine(MAX_URL_LENGTH)
  .check(checked((url) => addressProblem(url, 'page')))
  .register(textKinds, { kind: 'link' });

/** Address of an image: http(s) or a path on this site. */
export const imageSourceSchema = requiredLine(MAX_URL_LENGTH)
  .check(checked((url) => addressProblem(url, 'picture')))
  .register(textKinds, { kind: 'image' });
