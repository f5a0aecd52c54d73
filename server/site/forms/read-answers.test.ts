import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerNames, formFieldKinds, type FormFieldSpec, MAX_ANSWER } from '#server/core/site/site-forms';
import { readAnswers } from '#server/site/forms/read-answers';
import { anyCharacter } from '#tests/support/any-character';

const one = (field: Partial<FormFieldSpec>, value: string) => {
  const { answers, problems } = readAnswers(
    [{ label: 'It', kind: 'text', required: false, ...field }],
    new URLSearchParams({ '-It': value }),
  );
  return answers[0]?.value ?? problems['-It'] ?? null;
};

describe('an answer', () => {
  it.each<[Partial<FormFieldSpec>, string, string | null]>([
    [{}, '  A\r\nB\u0000\u0007 ', 'A B'],
    [{ kind: 'textarea' }, ' A\r\n\r\nB\u0007 ', 'A\n\nB'],
    [{}, '', null],
    [{ required: true }, ' \n ', 'missing'],
    [{}, 'x'.repeat(MAX_ANSWER.text + 1), 'long'],
    [{ kind: 'email' }, 'mara@club.example', 'mara@club.example'],
    [{ kind: 'email' }, 'mara@club', 'email'],
    [{ kind: 'email' }, 'mara@club.example, all@club.example', 'email'],
    [{ kind: 'phone' }, '+44 (0)1326 555-0123', '+44 (0)1326 555-0123'],
    [{ kind: 'phone' }, 'call me', 'phone'],
    [{ kind: 'number' }, '-3.5', '-3.5'],
    [{ kind: 'number' }, 'four', 'number'],
    [{ kind: 'number' }, '1e999', 'number'],
    [{ kind: 'choice', options: ['Red', 'Blue'] }, 'Blue', 'Blue'],
    [{ kind: 'choice', options: ['Red', 'Blue'] }, 'Green', 'choice'],
    [{ kind: 'choice' }, 'Whatever', 'Whatever'],
    [{ kind: 'consent', required: true }, '', 'missing'],
    [{ kind: 'consent', required: true }, 'yes', 'yes'],
    [{ kind: 'consent' }, 'no', 'choice'],
  ])('%j with %j: %j', (field, value, expected) => expect(one(field, value)).toBe(expected));
});

const anyFields = fc.array(
  fc.record({
    label: fc.constantFrom('Name', 'Name (2)', 'E-mail', '_website'),
    kind: fc.constantFrom(...formFieldKinds),
    required: fc.boolean(),
    options: fc.option(fc.array(fc.string(), { maxLength: 2 }), { nil: undefined }),
  }),
  { maxLength: 5 },
);

it('an answer is within its limit and belongs to a field; every field has one, even if wrong', () => {
  fc.assert(
    fc.property(
      anyFields,
      fc.array(fc.string({ unit: anyCharacter, maxLength: 400 }), { maxLength: 6 }),
      (fields, texts) => {
        const names = answerNames(fields);
        const given = new URLSearchParams(texts.map((text, index) => [names[index] ?? text, text]));
        const { answers, problems, values } = readAnswers(fields, given);
        for (const { label, kind, value } of answers) {
          expect(fields.some((field) => field.label === label && field.kind === kind)).toBe(true);
          expect(value.length).toBeLessThanOrEqual(MAX_ANSWER[kind]);
          expect(value.isWellFormed()).toBe(true);
          expect(value).not.toMatch(/[^\P{Cc}\n\t]/u);
        }
        const empty = Object.entries(values).filter(([name, value]) => value === '' && !(name in problems));
        expect(answers.length + Object.keys(problems).length + empty.length).toBe(new Set(names).size);
      },
    ),
  );
});
