import type { z } from 'zod';
import { InvalidInputError } from '#server/core/errors';

/** A zod path as people write it: `items[2].question`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => `"${key.slice(0, 60)}"`).join(', ');
}

function issueText(issue: z.core.$ZodIssue): string {
  const path = pathText(issue.path);
  if (issue.code === 'unrecognized_keys') return `${path === '' ? '' : `${path}: `}unknown field ${quoted(issue.keys)}`;
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

/**
 * Parses `value`, or throws an InvalidInputError whose message names `subject` and each wrong field.
 * `hint` is added to the message: what would have been right.
 */
export function checkInput<Output>(schema: z.ZodType<Output>, value: unknown, subject: string, hint?: string): Output {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 5).map(issueText);
  throw new InvalidInputError(`${subject}: ${issues.join('; ')}.${hint === undefined ? '' : ` ${hint}`}`, {
    details: { issues },
  });
}
