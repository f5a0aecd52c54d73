import type { z } from 'zod';

/** Characters of a name that nobody knows which are told back. */
const MAX_QUOTED = 60;

const figures = new Intl.NumberFormat('en-US');

/** Says what is wrong with a value, in plain words that follow the name of its place. */
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
      return `takes no ${issue.keys.map((key) => JSON.stringify(key.slice(0, MAX_QUOTED))).join(', ')}`;
    default:
      return issue.message;
  }
}

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
  const number = figures.format(limit);
  if (origin === 'string') return `${number} ${limit === 1 ? 'character' : 'characters'}`;
  return origin === 'array' ? `${number} ${limit === 1 ? 'item' : 'items'}` : number;
}

function given(value: unknown): string {
  if (typeof value === 'string' || Array.isArray(value))
    return value.length === 0 ? '' : ` (has ${figures.format(value.length)})`;
  return typeof value === 'number' ? ` (is ${value})` : '';
}
