import { answerNames, type AnswerProblem, type FormFieldSpec, MAX_ANSWER } from '#server/core/site/site-forms';
import type { Answer } from '#server/core/site/submissions';

/** A visitor's answers, checked against the form's fields. */
interface ReadAnswers {
  /** Answers to the fields that were filled in, in the order of the form. */
  readonly answers: readonly Answer[];
  /** By field name. */
  readonly problems: Readonly<Record<string, AnswerProblem>>;
  /** The values as sent, so that the form can be shown again. */
  readonly values: Readonly<Record<string, string>>;
}

/** An email address by the rules of browsers (HTML, "valid e-mail address"), with a dot in its domain. */
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i;
/** A phone number as people write it: at least five digits and the usual separators. */
const PHONE = /^\+?(?=(?:\D*\d){5})[\d\s()./-]+(?:(?:x|ext\.?)\s*\d+)?$/i;

/** Validates the input of each field of a form; input without a field is ignored. */
export function readAnswers(fields: readonly FormFieldSpec[], given: URLSearchParams): ReadAnswers {
  const names = answerNames(fields);
  const answers: Answer[] = [];
  const problems: Record<string, AnswerProblem> = {};
  const values: Record<string, string> = {};
  for (const [index, field] of fields.entries()) {
    const name = names[index] ?? '';
    const sent = plain(given.get(name) ?? '', field);
    // Of an input that is too long, only as much is returned as a person could review.
    values[name] = sent.slice(0, MAX_ANSWER[field.kind] * 2);
    const problem = problemOf(field, sent);
    if (problem !== null) problems[name] = problem;
    else if (sent !== '') answers.push({ label: field.label, kind: field.kind, value: sent });
  }
  return { answers, problems, values };
}

/** Removes control characters; for single-line fields also line breaks. */
function plain(text: string, { kind }: FormFieldSpec): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '');
  return (kind === 'textarea' ? clean : clean.replaceAll(/\s+/g, ' ')).trim();
}

function problemOf({ kind, required, options = [] }: FormFieldSpec, value: string): AnswerProblem | null {
  if (value === '') return required ? 'missing' : null;
  if (value.length > MAX_ANSWER[kind]) return 'long';
  switch (kind) {
    case 'email':
      return EMAIL.test(value) ? null : 'email';
    case 'phone':
      return PHONE.test(value) ? null : 'phone';
    case 'number':
      return Number.isFinite(Number(value)) ? null : 'number';
    case 'choice':
      return options.length === 0 || options.includes(value) ? null : 'choice';
    case 'consent':
      return value === 'yes' ? null : 'choice';
    case 'text':
    case 'textarea':
      return null;
  }
}
