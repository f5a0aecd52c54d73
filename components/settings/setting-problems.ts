import { withLabels } from '#components/settings/setting-text.ts';
import { issuesOf } from '#components/api/api-error.ts';
import { settingsStrings } from '#components/settings/words.ts';
import { sentence } from '#components/ui/dialogs/submit';
import { parseOrigins } from '#server/core/origins';
import type { SettingInput, SettingIssue, SettingValue } from '#server/core/admin/settings-report';

/** Problem of a single value; null if it is valid. */
export function valueProblem(input: SettingInput, value: SettingValue): string | null {
  if (input.kind === 'number') return numberProblem(value, input);
  if (input.kind === 'model') return modelProblem(value as string);
  if (input.kind === 'origins') return originsProblem(value as string);
  if (input.kind !== 'numbers') return null;
  for (const [key, each] of Object.entries(value)) {
    const problem = numberProblem(each as SettingValue, { ...input, whole: true });
    if (problem !== null) return settingsStrings.problems.within(key, problem);
  }
  return null;
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

/** Problem of a number; null if it is valid. An empty field has the value `''`, which is a problem. */
export function numberProblem(value: SettingValue, { min, max, whole }: NumberRange): string | null {
  const isGood =
    typeof value === 'number' &&
    value >= min &&
    value <= max &&
    (whole ? Number.isInteger(value) : !Number.isNaN(value));
  if (isGood) return null;
  return whole ? settingsStrings.problems.whole(min, max) : settingsStrings.problems.number(min, max);
}

function modelProblem(value: string): string | null {
  if (value === '') return settingsStrings.problems.empty;
  return /\s/.test(value) ? settingsStrings.problems.spaces : null;
}

function originsProblem(value: string): string | null {
  return value.trim() === '' || parseOrigins(value) !== null ? null : settingsStrings.problems.origins;
}

/**
 * Step of the arrow keys for a number: for whole numbers, a tenth of the power of ten below or at the value; at least
 * 1.
 */
export function stepOf({ min, max, whole }: NumberRange, value: number): number {
  if (!whole) return max - min > 20 ? 0.1 : 0.01;
  return Math.max(1, 10 ** (Math.floor(Math.log10(Math.max(1, Math.abs(value)))) - 1));
}

/**
 * Problems reported by the server, by the setting at which the user can correct them.
 * @param changed names of the settings that were sent
 */
export function settingIssues(error: unknown, changed: readonly string[]): Readonly<Record<string, string>> {
  const issues = (issuesOf(error) as readonly SettingIssue[]).filter(
    ({ path }) => path in settingsStrings.labels || path.includes('.'),
  );
  const found = issues.map((issue) => {
    const [name = '', ...inside] = issue.path.split('.');
    if (inside.length > 0) return [name, `${inside.join('.')}: ${issue.message}.`] as const;
    // Of two conflicting settings, possibly only one was changed: the problem is shown there.
    if (issue.related !== undefined && !changed.includes(name) && changed.includes(issue.related)) {
      return [issue.related, labelledSentence(`${name} ${issue.message}`)] as const;
    }
    return [name, labelledSentence(issue.message)] as const;
  });
  return Object.fromEntries(found.toReversed());
}

const labelledSentence = (text: string) => sentence(withLabels(text));
