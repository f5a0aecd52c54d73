import { translator } from '#components/i18n.ts';
import { useState } from 'react';
import { toast } from 'sonner';
import { api } from '#components/api/api-client.ts';
import { ApiError, messageOf } from '#components/api/api-error.ts';
import { contentChanged } from '#components/workspace/content-cache.ts';
import { toastWithAction } from '#components/ui/dialogs/toasts';
import type { StandingInstructions, StandingReport } from '#server/core/site/standing-instructions';
import type { MessageCode } from '#server/core/messages/message-codes';
import {
  differs,
  draftOf,
  instructionsOf,
  rebasedDraft,
  type StandingDraft,
  standingProblems,
} from '#components/settings/standing-draft.ts';

const t = translator('settings');

const texts = translator('settings.standing');

/** The standing instructions while they are being edited, with the actions on them. */
export interface StandingEditor {
  readonly draft: StandingDraft;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** Problems by field; see standingProblems. */
  readonly problems: Readonly<Record<string, string>>;
  /** Reason why nothing was saved; null: none. */
  readonly failure: string | null;
  readonly change: (changes: Partial<StandingDraft>) => void;
  /** Restores the stored instructions. */
  readonly discard: () => void;
  /** @returns false if the server refused */
  readonly save: () => Promise<boolean>;
}

/**
 * Edits the standing instructions.
 * @param saved the stored instructions
 * @param onSaved receives the instructions that were stored
 * @param reload reads the stored instructions again
 */
export function useStandingDraft(
  saved: StandingReport,
  onSaved: (report: StandingReport) => void,
  reload: () => Promise<StandingReport | undefined>,
): StandingEditor {
  const [{ base, draft }, setEdit] = useState(() => ({ base: saved, draft: draftOf(saved) }));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const isDirty = differs(draft, base);

  const clearProblems = () => {
    setProblems({});
    setFailure(null);
  };
  const replaceDraft = (report: StandingReport) => {
    clearProblems();
    setEdit({ base: report, draft: draftOf(report) });
  };
  /** Takes over stored instructions, but keeps edits made during the request. */
  const rebase = (report: StandingReport, sent?: StandingInstructions) =>
    setEdit((now) => ({ base: report, draft: rebasedDraft(now.draft, sent ?? now.base, report) }));
  // Shows changes by another page or the assistant, unless this page has unsaved edits.
  if (saved.revision !== base.revision && !isDirty && !isSaving) replaceDraft(saved);

  const undo = async (changeId: string) => {
    await api.undoChange(changeId);
    const report = await reload();
    if (report) rebase(report);
    contentChanged();
    toast(texts('undone'));
  };

  return {
    draft,
    isDirty,
    isSaving,
    problems,
    failure,
    change(changes) {
      clearProblems();
      setEdit((now) => ({ ...now, draft: { ...now.draft, ...changes } }));
    },
    discard: () => replaceDraft(saved),
    async save() {
      clearProblems();
      setIsSaving(true);
      const sent = instructionsOf(draft);
      try {
        const answer = await api.saveStandingInstructions({ ...sent, ifRevision: base.revision });
        rebase(answer.standingInstructions, sent);
        onSaved(answer.standingInstructions);
        toastWithAction(texts('saved'), texts('undo'), () => undo(answer.change.id));
        contentChanged();
        return true;
      } catch (error) {
        const found = standingProblems(error, draft);
        setProblems(found);
        setFailure(failureText(error, Object.keys(found).length > 0));
        if (error instanceof ApiError && error.code === 'conflict') void reload();
        return false;
      } finally {
        setIsSaving(false);
      }
    },
  };
}

function failureText(error: unknown, isAtField: boolean): string {
  if (error instanceof ApiError && error.code === 'conflict') return texts('overtaken');
  const reason = messageOf(error);
  // Exceeding the token limit is no problem of a single field.
  const isTooLong = error instanceof ApiError && error.reason === ('standing-too-long' satisfies MessageCode);
  return isAtField && !isTooLong ? t('save.refused') : t('save.failed', { reason });
}
