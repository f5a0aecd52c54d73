import { translator } from '#components/i18n.ts';
import { useState } from 'react';
import { toast } from 'sonner';
import { api } from '#components/api/api-client.ts';
import type { SettingsReport, SettingValue } from '#server/core/admin/settings-report';
import { refusalOfSettings, settingIssues, valueProblem } from '#components/settings/form/setting-problems.ts';

const t = translator('settings');

/** Unsaved changes, by setting; null resets a setting to its value without a stored one. */
type SettingsDraft = Readonly<Record<string, SettingValue | null>>;

/** The value that the field of a setting shows: the unsaved one, else the one in force. */
export function shownValue(report: SettingsReport, draft: SettingsDraft, name: string): SettingValue {
  const changed = draft[name];
  if (changed === undefined) return report.values[name]!;
  return changed ?? report.base[name]!;
}

/** The draft with one more change; a value that equals the one in force is no change and is removed. */
export function withChange(
  report: SettingsReport,
  draft: SettingsDraft,
  name: string,
  value: SettingValue | null,
): SettingsDraft {
  const { [name]: _, ...others } = draft;
  const isNone = value === null ? report.sources[name] !== 'stored' : isSame(value, report.values[name]);
  return isNone ? others : { ...others, [name]: value };
}

/**
 * The draft with a change made while another value is being saved: the value now in force will then count as a change.
 * @param value undefined for the value in force
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

/** Names whose values differ from those in force; another person may have saved the same values meanwhile. */
export function changedNames(report: SettingsReport, draft: SettingsDraft): string[] {
  return Object.entries(draft).flatMap(([name, value]) =>
    value !== undefined && name in withChange(report, {}, name, value) ? [name] : [],
  );
}

/** Problems of the draft, by setting. */
function draftProblems(report: SettingsReport, draft: SettingsDraft): Readonly<Record<string, string>> {
  const inputs = new Map(report.reference.map(({ name, input }) => [name, input]));
  return Object.fromEntries(
    changedNames(report, draft).flatMap((name) => {
      const input = inputs.get(name);
      const problem = input && valueProblem(input, shownValue(report, draft, name));
      return problem ? [[name, problem]] : [];
    }),
  );
}

function isSame(one: SettingValue | undefined, other: SettingValue | undefined): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}

/**
 * The draft without saved changes: keeps changes made again while `saved` was being saved, and those not sent with it.
 */
export function withoutSaved(draft: SettingsDraft, saved: SettingsDraft): SettingsDraft {
  return Object.fromEntries(
    Object.entries(draft).filter(([name, value]) => !Object.hasOwn(saved, name) || saved[name] !== value),
  );
}

/** Unsaved changes of the settings page, and how to save them. */
export interface DraftState {
  /** Names of changed settings. */
  readonly changed: readonly string[];
  /** Problems by setting, found by this page or reported by the server. */
  readonly problems: Readonly<Record<string, string>>;
  readonly isSaving: boolean;
  /** Reason why nothing was saved, if it does not concern a single setting. */
  readonly failure: string | null;
  readonly valueOf: (name: string) => SettingValue;
  /** Null resets the setting to its value without a stored one. */
  readonly change: (name: string, value: SettingValue | null) => void;
  /** Drops the change of one setting. */
  readonly restore: (name: string) => void;
  /** Drops all changes. */
  readonly discard: () => void;
  /** @returns false if a value must be corrected first, or the server refused */
  readonly save: () => Promise<boolean>;
}

/** Holds the changes of the settings page until they are saved; they are saved together or not at all. */
export function useSettingsDraft(report: SettingsReport, onSaved: (report: SettingsReport) => void): DraftState {
  const [draft, setDraft] = useState<SettingsDraft>({});
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const changed = changedNames(report, draft);
  const problems = { ...refused, ...draftProblems(report, draft) };

  const clearProblems = () => {
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
      clearProblems();
      const add = isSaving ? withChangeMeanwhile : withChange;
      setDraft((before) => add(report, before, name, value));
    },
    restore(name) {
      clearProblems();
      setDraft((before) => {
        if (isSaving) return withChangeMeanwhile(report, before, name, undefined);
        const { [name]: _, ...others } = before;
        return others;
      });
    },
    discard() {
      clearProblems();
      setDraft({});
    },
    async save() {
      if (isSaving || Object.keys(draftProblems(report, draft)).length > 0) return false;
      clearProblems();
      setIsSaving(true);
      try {
        const patch = Object.fromEntries(changed.map((name) => [name, draft[name]!]));
        onSaved(await api.saveSettings(patch));
        setDraft((now) => withoutSaved(now, patch));
        toast(t('save.saved', { count: changed.length }));
        return true;
      } catch (error) {
        const issues = settingIssues(error, changed);
        setRefused(issues);
        const reason = refusalOfSettings(error);
        const isKnown = Object.keys(issues).length > 0;
        setFailure(isKnown ? t('save.refused') : t('save.failed', { reason }));
        return false;
      } finally {
        setIsSaving(false);
      }
    },
  };
}
