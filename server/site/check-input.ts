import { z } from 'zod';
import { boundProblems } from '#server/core/bounded-schema';
import { InvalidInputError } from '#server/core/errors';
import { defaultProblem, fieldOfPath, issueOf, problemText } from '#server/core/text/input-problems';
import { inlineText } from '#server/core/message-data';

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
  const parsed = boundProblems(schema).safeParse(value, { error: defaultProblem });
  if (parsed.success) return parsed.data;
  const found = parsed.error.issues.slice(0, 5).map((issue) => {
    const problem = problemText(issue);
    const text = issue.code === 'unrecognized_keys' ? `unknown field ${quoted(issue.keys)}` : problem.text;
    return { path: issue.path, problem: { ...problem, text } };
  });
  const sentences = found.map(({ path, problem }) => {
    if (path.length === 0) return problem;
    const at = pathText(path);
    return inlineText('field-problem', { field: fieldOfPath(at), problem }, `${at}: ${problem.text}`);
  });
  const text = `${subject}: ${sentences.map((each) => each.text).join('; ')}.${hint === undefined ? '' : ` ${hint}`}`;
  throw new InvalidInputError(inlineText('input-refused', { subject, problems: sentences, hint: hint ?? null }, text), {
    details: {
      issues: found.map(({ path, problem }) =>
        issueOf([...(field === undefined ? [] : [field]), ...path].join('.'), problem),
      ),
    },
  });
}
