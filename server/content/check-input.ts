import { z } from 'zod';
import { tagsSchema } from '#server/core/document-fields';
import { InvalidInputError } from '#server/core/errors';
import { problemOf } from '#server/core/input-problems';
import { line, requiredLine } from '#server/core/safe-text';

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

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown field ${quoted(issue.keys)}`;
  return issue.message;
}

/**
 * Parses `value`, or throws an InvalidInputError whose message names `subject` and each wrong field.
 * `hint` is added to the message: what would have been right.
 * @param field that the value stands in (`seo`, `sections.1.fields`), for `details.issues`. Default: it is the whole
 */
export function checkInput<Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  subject: string,
  hint?: string,
  field?: string,
): Output {
  const parsed = schema.safeParse(value, { error: (issue) => problemOf(issue as z.core.$ZodIssue, issue.input) });
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

/** Most characters of a description: as many as a section takes of one. */
const MAX_ALT_LENGTH = 300;

const assetDetails = z.strictObject({
  alt: line(MAX_ALT_LENGTH).optional(),
  filename: requiredLine(100)
    .regex(/^[^/\\]*$/, 'must not contain slashes')
    .optional(),
  tags: tagsSchema.optional(),
});

/** Description, filename and tags of a picture; a value that is left out stays as it is. */
export type AssetDetails = z.infer<typeof assetDetails>;

/** @throws InvalidInputError naming the field */
export function checkAssetDetails(details: {
  readonly [Field in keyof AssetDetails]: unknown;
}): AssetDetails {
  const given = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
  return checkInput(assetDetails, given, 'The picture');
}
