import type { z } from 'zod';
import type { Tool } from '#server/tools/tool';

/** Wrong fields that are named; who mends these sees the others the next time. */
const MAX_NAMED = 4;
/** Characters of a name or value that the model made up. */
const MAX_QUOTED = 60;

const figures = new Intl.NumberFormat('en-US');

/** Says in one sentence what is wrong with a tool's input, with the limit that it breaks; null where nothing is. */
export function inputProblem({ input }: Pick<Tool, 'input'>, value: unknown): string | null {
  const parsed = input.safeParse(value);
  if (parsed.success) return null;
  const { issues } = parsed.error;
  const more = issues.length > MAX_NAMED ? `; and ${figures.format(issues.length - MAX_NAMED)} more` : '';
  return `Invalid input: ${issues
    .slice(0, MAX_NAMED)
    .map((issue) => issueText(issue, value))
    .join('; ')}${more}.`;
}

function issueText(issue: z.core.$ZodIssue, input: unknown): string {
  const path = pathText(issue.path);
  const said = problemOf(issue, valueAt(input, issue.path)).replace(/\.$/, '');
  return path === '' ? said : `${path} ${said}`;
}

function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
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
      return `has no ${issue.keys.map((key) => JSON.stringify(key.slice(0, MAX_QUOTED))).join(', ')}`;
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

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    input,
  );
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key).slice(0, MAX_QUOTED);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}
