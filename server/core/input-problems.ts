import type { z } from 'zod';

/** Maximum number of unknown fields that a message names. */
const MAX_NAMED_FIELDS = 10;
/** Maximum characters of such a name, which comes from the caller. */
const MAX_NAME_CHARS = 60;

const numberFormat = new Intl.NumberFormat('en-US');

/** Describes a problem that zod has found, as the end of a sentence about the field: `must be a text`. */
export function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? 'is missing' : `must be ${kindOf(issue.expected)}`;
    case 'too_big':
      return `${isCounted(issue.origin) ? 'may have' : 'may be'} at most ${amount(issue.maximum, issue.origin)}${given(value)}`;
    case 'too_small':
      return `${isCounted(issue.origin) ? 'must have' : 'must be'} at least ${amount(issue.minimum, issue.origin)}${given(value)}`;
    case 'invalid_value':
      return `${value === undefined ? 'is missing: it must' : 'must'} be ${issue.values.map((each) => JSON.stringify(each)).join(' or ')}`;
    case 'unrecognized_keys':
      return `takes no ${issue.keys
        .slice(0, MAX_NAMED_FIELDS)
        .map((key) => JSON.stringify(key.slice(0, MAX_NAME_CHARS)))
        .join(', ')}`;
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
