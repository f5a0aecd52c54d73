import type { z } from 'zod';
import type { CodedMessage, ServerText } from '#server/core/coded-message';
import { inlineText, isServerText, messageOfText, uncodedText } from '#server/core/message-data';
import { shorten } from '#server/core/text/short-text';
import { valueRules } from '#server/core/value-rules';

/** Maximum number of unknown fields that a message names. */
const MAX_NAMED_FIELDS = 10;
/** Maximum characters of such a name, which comes from the caller. */
const MAX_NAME_CHARS = 60;

const numberFormat = new Intl.NumberFormat('en-US');

/** Maximum characters of the message of a problem, which may quote the request. */
const MAX_ISSUE_CHARS = 200;

/** A problem of one field, in `details.issues`. */
type FieldIssue = {
  readonly path: string;
  readonly message: string;
  /** `message` as data; absent without a code. */
  readonly reason?: CodedMessage;
};

/** Names of the rules by their texts, which issues carry. */
const ruleNames = new Map<string, string>(Object.entries(valueRules).map(([name, text]) => [text, name]));

/**
 * A problem that zod has found, as the end of a sentence about the field: `must be a text`.
 * @param issue of a parse with `{ error: defaultProblem }`, or with a message of its schema
 */
export function problemText(issue: z.core.$ZodIssue): ServerText {
  const text = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  const rule = ruleNames.get(text);
  if (rule !== undefined) return { code: `rule.${rule}`, params: {}, text };
  switch (issue.code) {
    case 'invalid_type':
      return inlineText('problem-kind', { kind: issue.expected }, text);
    case 'too_big':
      return inlineText('problem-most', { of: issue.origin, limit: Number(issue.maximum) }, text);
    case 'too_small':
      return inlineText('problem-least', { of: issue.origin, limit: Number(issue.minimum) }, text);
    case 'invalid_value':
      return inlineText('problem-choice', { values: issue.values.map((each) => JSON.stringify(each)) }, text);
    case 'unrecognized_keys':
      return inlineText('problem-fields', { fields: namedKeys(issue) }, text);
    case 'custom':
      return isServerText(issue.params?.['problem']) ? issue.params['problem'] : uncodedText(text);
    default:
      return uncodedText(text);
  }
}

/** A problem as `details.issues` of an error carry it. */
export function issueOf(path: string, problem: ServerText): FieldIssue {
  const reason = messageOfText(problem);
  return { path, message: shorten(problem.text, MAX_ISSUE_CHARS), ...(reason && { reason }) };
}

/** The name of the field at a path, for people; a path without a known field stays as it is. */
export function fieldOfPath(path: string): ServerText {
  const name = path.split(/[.[\]]/).findLast((part) => /^[a-z]/i.test(part));
  return { code: `field.${name ?? ''}`, params: {}, text: path };
}

/** Error map of a parse: plain text for problems whose schema has no message of its own. */
export function defaultProblem(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== 'invalid_format') return problemOf(issue as z.core.$ZodIssue, issue.input);
  if (issue.format === 'url') return valueRules.url;
  return issue.format === 'datetime' ? valueRules.time : valueRules.form;
}

function namedKeys({ keys }: { readonly keys: readonly string[] }): string {
  return keys
    .slice(0, MAX_NAMED_FIELDS)
    .map((key) => JSON.stringify(key.slice(0, MAX_NAME_CHARS)))
    .join(', ');
}

/** Describes a problem that zod has found, as the end of a sentence about the field: `must be a text`. */
export function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? valueRules.missing : `must be ${kindOf(issue.expected)}`;
    case 'too_big':
      return `${isCounted(issue.origin) ? 'may have' : 'may be'} at most ${amount(issue.maximum, issue.origin)}${given(value)}`;
    case 'too_small':
      return `${isCounted(issue.origin) ? 'must have' : 'must be'} at least ${amount(issue.minimum, issue.origin)}${given(value)}`;
    case 'invalid_value':
      return `${value === undefined ? 'is missing: it must' : 'must'} be ${issue.values.map((each) => JSON.stringify(each)).join(' or ')}`;
    case 'unrecognized_keys':
      return `takes no ${namedKeys(issue)}`;
    default:
      return issue.message;
  }
}

/** Kinds of values in plain words, by zod's name; others are used as they are. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  record: 'an object',
  int: 'a whole number',
  boolean: 'true or false',
};

const kindOf = (expected: string) => KINDS[expected] ?? `${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`;

const isCounted = (origin: string) => origin === 'string' || origin === 'array';

function amount(limit: number | bigint, origin: string): string {
  const number = numberFormat.format(limit);
  if (origin === 'string') return `${number} ${limit === 1 ? 'character' : 'characters'}`;
  return origin === 'array' ? `${number} ${limit === 1 ? 'item' : 'items'}` : number;
}

/** The present size or number of the value, in brackets. */
function given(value: unknown): string {
  if (typeof value === 'string' || Array.isArray(value))
    return value.length === 0 ? '' : ` (has ${numberFormat.format(value.length)})`;
  return typeof value === 'number' ? ` (is ${value})` : '';
}
