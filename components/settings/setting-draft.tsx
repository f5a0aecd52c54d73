import { withLabels } from '#components/settings/setting-text';
import { useState } from 'react';
import { toast } from 'sonner';
import { api } from '#components/api/api-client';
import { issuesOf, messageOf } from '#components/api/api-error';
import { settingsStrings } from '#components/settings/words';
import { sentence } from '#components/ui/submit';
import { parseOrigins } from '#server/core/addresses';
import type { SettingInput, SettingIssue, SettingsReport, SettingValue } from '#server/core/settings-report';

/** Changes that are not saved, by setting; null goes back to what counts where nothing is stored. */
type SettingsDraft = Readonly<Record<string, SettingValue | null>>;

/** The value that a field shows. */
export function shownValue(report: SettingsReport, draft: SettingsDraft, name: string): SettingValue {
  const changed = draft[name];
  if (changed === undefined) return report.values[name]!;
  return changed ?? report.base[name]!;
}

/** The draft with one more change; a change back to what is in force is none. */
export function withChange(
  report: SettingsReport,
  draft: SettingsDraft,
  name: string,
  value: SettingValue | null,
): SettingsDraft {
  const { [name]: _, ...others } = draft;
  const isNone = value === null ? report.sources[name] !== 'stored' : isSame(value, report.values[name]!);
  return isNone ? others : { ...others, [name]: value };
}

/**
 * The draft with a change made while another value is being saved: the value in force now will then be a change.
 * @param value undefined: as in force
 */
export function withChangeMeanwhile(
  report: SettingsReport,
  draft: SettingsDraft,
  name: string,
  value: SettingValue | null | undefined,
): SettingsDraft {
  const inForce = report.sources[name] === 'stored' ? report.values[name]! : null;
  return { ...draft, [name]: value === undefined ? inForce : value };
}

/** The names that differ from what is in force: somebody else may have saved the same meanwhile. */
export function changedNames(report: SettingsReport, draft: SettingsDraft): string[] {
  return Object.entries(draft).flatMap(([name, value]) =>
    value !== undefined && name in withChange(report, {}, name, value) ? [name] : [],
  );
}

/** Problem of a single value; null: it can be sent. */
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

/** A field that holds no number has an empty text. */
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

/** Problems of the draft, by setting. */
export function draftProblems(report: SettingsReport, draft: SettingsDraft): Readonly<Record<string, string>> {
  const inputs = new Map(report.reference.map(({ name, input }) => [name, input]));
  return Object.fromEntries(
    changedNames(report, draft).flatMap((name) => {
      const input = inputs.get(name);
      const problem = input && valueProblem(input, shownValue(report, draft, name));
      return problem ? [[name, problem]] : [];
    }),
  );
}

/** Step of the arrow keys for a number: a digit or two below its first. */
export function stepOf({ min, max, whole }: NumberRange, value: number): number {
  if (!whole) return max - min > 20 ? 0.1 : 0.01;
  return Math.max(1, 10 ** (Math.floor(Math.log10(Math.max(1, Math.abs(value)))) - 1));
}

function isSame(one: SettingValue, other: SettingValue): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** The draft without saved changes: keeps those made again while `saved` was in progress, or not sent with it. */
export function withoutSaved(draft: SettingsDraft, saved: SettingsDraft): SettingsDraft {
  return Object.fromEntries(
    Object.entries(draft).filter(([name, value]) => !Object.hasOwn(saved, name) || saved[name] !== value),
  );
}

/** Properties every field of a setting takes. */
export interface FieldProps<Value> {
  readonly id: string;
  readonly labelId: string;
  readonly describedBy: string;
  readonly isInvalid: boolean;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** Problems the server reported, by the setting where the user can correct them. */
export function settingIssues(error: unknown, changed: readonly string[]): Readonly<Record<string, string>> {
  const issues = (issuesOf(error) as readonly SettingIssue[]).filter(
    ({ path }) => path in settingsStrings.labels || path.includes('.'),
  );
  const found = issues.map((issue) => {
    const [name = '', ...inside] = issue.path.split('.');
    if (inside.length > 0) return [name, `${inside.join('.')}: ${issue.message}.`] as const;
    // Of two that do not fit together only one may have been changed: there it is corrected.
    if (issue.related !== undefined && !changed.includes(name) && changed.includes(issue.related)) {
      return [issue.related, labelledSentence(`${name} ${issue.message}`)] as const;
    }
    return [name, labelledSentence(issue.message)] as const;
  });
  return Object.fromEntries(found.toReversed());
}

const labelledSentence = (text: string) => sentence(withLabels(text));

/** Unsaved changes of the settings page, and how to save them. */
export interface DraftState {
  /** Names of changed settings. */
  readonly changed: readonly string[];
  /** Problems by setting, found here or reported by the server. */
  readonly problems: Readonly<Record<string, string>>;
  readonly isSaving: boolean;
  /** Reason why nothing was saved, if it concerns no single setting. */
  readonly failure: string | null;
  readonly valueOf: (name: string) => SettingValue;
  /** Null goes back to what counts where nothing is stored. */
  readonly change: (name: string, value: SettingValue | null) => void;
  /** Drops the change of one setting. */
  readonly restore: (name: string) => void;
  readonly discard: () => void;
  /** @returns false when something has to be corrected first, or the server refused */
  readonly save: () => Promise<boolean>;
}

/** Keeps the changes of the settings page until they are saved; all of them are saved together, or none. */
export function useSettingsDraft(report: SettingsReport, onSaved: (report: SettingsReport) => void): DraftState {
  const [draft, setDraft] = useState<SettingsDraft>({});
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const changed = changedNames(report, draft);
  const problems = { ...refused, ...draftProblems(report, draft) };

  const forget = () => {
    setRefused({});
    setFailure(null);
  };

  return {
    changed,
    problems,
    isSaving,
    failure,
    valueOf: (name) => shownValue(report, draft, name),
    change(name, value) {
      forget();
      const add = isSaving ? withChangeMeanwhile : withChange;
      setDraft((before) => add(report, before, name, value));
    },
    restore(name) {
      forget();
      setDraft((before) => {
        if (isSaving) return withChangeMeanwhile(report, before, name, undefined);
        const { [name]: _, ...others } = before;
        return others;
      });
    },
    discard() {
      forget();
      setDraft({});
    },
    async save() {
      if (isSaving || Object.keys(draftProblems(report, draft)).length > 0) return false;
      forget();
      setIsSaving(true);
      try {
        const patch = Object.fromEntries(changed.map((name) => [name, draft[name]!]));
        onSaved(await api.saveSettings(patch));
        setDraft((now) => withoutSaved(now, patch));
        toast(settingsStrings.save.saved(changed.length));
        return true;
      } catch (error) {
        const issues = settingIssues(error, changed);
        setRefused(issues);
        const reason = messageOf(error);
        const isKnown = Object.keys(issues).length > 0;
        setFailure(isKnown ? settingsStrings.save.refused : settingsStrings.save.failed(reason));
        return false;
      } finally {
        setIsSaving(false);
      }
    },
  };
}
