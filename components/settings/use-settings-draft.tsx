import { useState } from 'react';
import { toast } from 'sonner';
import { api } from '#components/api/api-client';
import { messageOf } from '#components/api/api-error';
import {
  changedNames,
  draftProblems,
  settingIssues,
  type SettingsDraft,
  shownValue,
  withChange,
  withChangeMeanwhile,
  withoutSaved,
} from '#components/settings/setting-draft';
import { settingsStrings } from '#components/settings/words';
import type { SettingsReport, SettingValue } from '#server/core/settings-report';

/** Unsaved changes of the settings page, and how to save them. */
export interface DraftState {
  /** Names of changed settings. */
  readonly changed: readonly string[];
  /** Problems by setting, found here or reported by the server. */
  readonly problems: Readonly<Record<string, string>>;
  readonly isSaving: boolean;
  /** Why nothing could be saved, where it is no single setting's fault. */
  readonly failure: string | null;
  readonly valueOf: (name: string) => SettingValue;
  /** Null goes back to what counts where nothing is stored. */
  readonly change: (name: string, value: SettingValue | null) => void;
  /** Takes back the change of one setting. */
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
