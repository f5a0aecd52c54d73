import { z } from 'zod';
import { boundProblems } from '#server/core/bounded-schema';
import { InvalidInputError } from '#server/core/errors';
import { problemOf } from '#server/core/input-problems';

/** A zod path in readable notation: `items[2].question`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function quoted(keys: readonly string[]): string {
  return keys
    .slice(0, 10)
    .map((key) => `"${key.slice(0, 60)}"`)
    .join(', ');
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown field ${quoted(issue.keys)}`;
  return issue.message;
}

/**
 * Parses `value`, or throws an InvalidInputError whose message names `subject` and each wrong field. `hint` is appended
 * to the message and explains what would be valid.
 * @param field path of the value (`seo`, `sections.1.fields`), for `details.issues`. Default: the value is the whole
 * input
 */
export function checkInput<Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  subject: string,
  hint?: string,
  field?: string,
): Output {
  const parsed = boundProblems(schema).safeParse(value, {
    error: (issue) => problemOf(issue as z.core.$ZodIssue, issue.input),
  });
  if (parsed.success) return parsed.data;
  const found = parsed.error.issues.slice(0, 5).map((issue) => ({ path: issue.path, message: messageOf(issue) }));
  const sentences = found.map(({ path, message }) => [pathText(path), message].filter(Boolean).join(': '));
  throw new InvalidInputError(`${subject}: ${sentences.join('; ')}.${hint === undefined ? '' : ` ${hint}`}`, {
    details: {
      issues: found.map(({ path, message }) => ({
        path: [...(field === undefined ? [] : [field]), ...path].join('.'),
        message,
      })),
    },
  });
}
