import { translator } from '#components/i18n.ts';
import { type NumberInput, rangeText } from '#components/settings/form/number-text.ts';
import { withLabels } from '#components/settings/form/setting-text.ts';
import { localizedText } from '#components/message-text.ts';
import { issuesOf, messageOf } from '#components/api/api-error.ts';
import { sentence } from '#components/ui/dialogs/submit';
import { hasAnswerShare } from '#server/core/admin/program-compaction';
import { parseOrigins } from '#server/core/origins';
import type { SettingInput, SettingIssue, SettingValue } from '#server/core/admin/settings-report';

const t = translator('settings');

export type ProgramsInput = Extract<SettingInput, { kind: 'programs' }>;
/** Values of one provider for other programs, by name; absent: the default. */
export type ProgramRules = Readonly<Record<string, string | number>>;

/** Problem of a single value; null if it is valid. */
export function valueProblem(input: SettingInput, value: SettingValue): string | null {
  if (input.kind === 'number') return numberProblem(value, input);
  if (input.kind === 'model') return modelProblem(value as string);
  if (input.kind === 'origins') return originsProblem(value as string);
  if (input.kind === 'programs') {
    const problems = Object.values(value).map((rules) => programsProblem(input, rules as ProgramRules));
    return problems.find((problem) => problem !== null) ?? null;
  }
  if (input.kind !== 'numbers') return null;
  for (const [key, each] of Object.entries(value)) {
    const problem = numberProblem(each as SettingValue, { ...input, whole: true });
    if (problem !== null) return t('problems.within', { key, problem });
  }
  return null;
}

/** Problem of a number; null if it is valid. An empty field has the value `''`, which is a problem. */
export function numberProblem(value: SettingValue, input: NumberInput): string | null {
  const { min, max, whole, displayUnit } = input;
  const isGood =
    typeof value === 'number' &&
    value >= min &&
    value <= max &&
    (whole ? Number.isInteger(value) : !Number.isNaN(value));
  if (isGood) return null;
  const range = rangeText(input);
  return whole && displayUnit === 'number' ? t('problems.whole', { range }) : t('problems.number', { range });
}

/** A threshold for other programs as a number field. */
export function programNumber(input: ProgramsInput, key: 'compactAt' | 'endAt'): NumberInput {
  return { ...input[key], whole: false, displayUnit: 'percent' };
}

/** Problem of the values of one provider for other programs; null if they are valid. */
export function programsProblem(input: ProgramsInput, rules: ProgramRules): string | null {
  const { compactAt = input.compactAt.default, endAt = input.endAt.default } = rules;
  const problem =
    numberProblem(compactAt, programNumber(input, 'compactAt')) ?? numberProblem(endAt, programNumber(input, 'endAt'));
  return problem ?? (hasAnswerShare(rules) ? null : t('problems.programs'));
}

function modelProblem(value: string): string | null {
  if (value === '') return t('problems.empty');
  return /\s/.test(value) ? t('problems.spaces') : null;
}

function originsProblem(value: string): string | null {
  return value.trim() === '' || parseOrigins(value) !== null ? null : t('problems.origins');
}

/**
 * Problems reported by the server, by the setting at which the user can correct them.
 * @param changed names of the settings that were sent
 */
export function settingIssues(error: unknown, changed: readonly string[]): Readonly<Record<string, string>> {
  const issues = (issuesOf(error) as readonly SettingIssue[]).filter(
    ({ path }) => t.find(`labels.${path}`) !== undefined || path.includes('.'),
  );
  const found = issues.map((issue) => {
    const [name = '', ...inside] = issue.path.split('.');
    const text = localizedText(issue.reason, issue.message);
    if (inside.length > 0) return [name, `${inside.join('.')}: ${text}.`] as const;
    // Of two conflicting settings, possibly only one was changed: the problem is shown there.
    if (issue.related !== undefined && !changed.includes(name) && changed.includes(issue.related)) {
      return [issue.related, labelledSentence(`${name} ${text}`)] as const;
    }
    return [name, labelledSentence(text)] as const;
  });
  return Object.fromEntries(found.toReversed());
}

/** Why the server refused to save, with the labels of the settings that it names. */
export function refusalOfSettings(error: unknown): string {
  return withLabels(messageOf(error));
}

const labelledSentence = (text: string) => sentence(withLabels(text));
