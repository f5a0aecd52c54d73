import { z } from 'zod';

/** Use of a text that is not plain text: `markdown`, `html`, `link`, `image`. */
export const textKinds = z.registry<{ kind: 'markdown' | 'html' | 'link' | 'image' }>();

/** The schema of a value that is there, as it is given. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? unwrapped(schema.unwrap()) : schema;
}

/** Message of a schema for too much: `must have at most 2,000 characters`. */
export function atMost(max: number, what = 'characters'): string {
  return `must have at most ${max.toLocaleString('en-US')} ${what}`;
}

/** C0 and C1 controls and DEL, except tab, line feed and carriage return. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** Finds a problem with a text's characters, as the end of a sentence; null when it is fine. */
function characterProblem(text: string): string | null {
  if (!text.isWellFormed()) return 'must not contain half a character (a lone surrogate)';
  if (CONTROL_CHARACTERS.test(text)) return 'must not contain control characters';
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

/** One line of text, at most `max` characters; outer whitespace is dropped. */
export function line(max: number) {
  return prose(max)
    .trim()
    .check(checked((text) => (/[\r\n]/.test(text) ? 'must be one line' : null)));
}

/** One line that says something. */
export function requiredLine(max: number) {
  return line(max).min(1, 'must not be empty');
}

/** Text that says something. */
export function requiredProse(max: number) {
  return prose(max).check(checked((text) => (text.trim() === '' ? 'must not be empty' : null)));
}

const MAX_URL_LENGTH = 2_000;

/** `//host` and `/\host` start with a slash, but browsers read them as another site. */
function urlProblem(pattern: RegExp, allowed: string): (url: string) => string | null {
  return (url) => {
    if (/\s/.test(url)) return 'must not contain spaces';
    return pattern.test(url) && !/^\/[/\\]/.test(url) ? null : `must start with ${allowed}`;
  };
}

/** Target of a link: http(s), a path on this site, an anchor or an e-mail address. Never `javascript:`. */
export const linkSchema = requiredLine(MAX_URL_LENGTH)
  .check(checked(urlProblem(/^(https?:\/\/[^/]|\/|#|mailto:.)/i, '/, #, mailto: or http(s)://')))
  .register(textKinds, { kind: 'link' });

/** Target of a link within the site: a path, with a query or a place on the page. */
export const pageLinkSchema = requiredLine(MAX_URL_LENGTH)
  .check(checked(urlProblem(/^\//, '/, as a page of this site does')))
  .register(textKinds, { kind: 'link' });

/** Address of an image: http(s) or a path on this site. */
export const imageSourceSchema = requiredLine(MAX_URL_LENGTH)
  .check(checked(urlProblem(/^(https?:\/\/[^/]|\/)/i, '/ or http(s)://')))
  .register(textKinds, { kind: 'image' });
