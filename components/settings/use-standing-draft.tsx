import { useState } from 'react';
import { toast } from 'sonner';
import { api } from '#components/api/api-client';
import { ApiError, messageOf } from '#components/api/api-error';
import { contentChanged } from '#components/desk/content-cache';
import {
  differs,
  draftOf,
  instructionsOf,
  rebasedDraft,
  type StandingDraft,
  standingProblems,
} from '#components/settings/standing-draft';
import { settingsStrings } from '#components/settings/words';
import { Button } from '#components/ui/buttons';
import { toastWithAction } from '#components/ui/toasts';
import type { StandingInstructions, StandingReport } from '#server/core/content';

const say = settingsStrings.standing;

/** The standing instructions as they are being edited, and the ways on. */
export interface StandingEditor {
  readonly draft: StandingDraft;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** Problems by field; see standingProblems. */
  readonly problems: Readonly<Record<string, string>>;
  /** Why nothing was saved. */
  readonly failure: string | null;
  readonly change: (changes: Partial<StandingDraft>) => void;
  /** Takes what is saved now. */
  readonly discard: () => void;
  /** @returns false when the server refused */
  readonly save: () => Promise<boolean>;
}

/**
 * @param onSaved told of what is stored now
 * @param reload reads what is stored
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

  const forget = () => {
    setProblems({});
    setFailure(null);
  };
  const take = (report: StandingReport) => {
    forget();
    setEdit({ base: report, draft: draftOf(report) });
  };
  /** As `take`, but for what was written while the server was asked. */
  const takeBelow = (report: StandingReport, sent?: StandingInstructions) =>
    setEdit((now) => ({ base: report, draft: rebasedDraft(now.draft, sent ?? now.base, report) }));
  // What another page or the assistant has changed meanwhile is shown, unless something is being written here.
  if (saved.revision !== base.revision && !isDirty && !isSaving) take(saved);

  const undo = async (changeId: string) => {
    await api.undoChange(changeId);
    const report = await reload();
    if (report) takeBelow(report);
    contentChanged();
    toast(say.undone);
  };

  return {
    draft,
    isDirty,
    isSaving,
    problems,
    failure,
    change(changes) {
      forget();
      setEdit((now) => ({ ...now, draft: { ...now.draft, ...changes } }));
    },
    discard: () => take(saved),
    async save() {
      forget();
      setIsSaving(true);
      const sent = instructionsOf(draft);
      try {
        const answer = await api.saveStandingInstructions({ ...sent, ifRevision: base.revision });
        takeBelow(answer.standingInstructions, sent);
        onSaved(answer.standingInstructions);
        toastWithAction(say.saved, say.undo, () => undo(answer.change.id));
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
  if (error instanceof ApiError && error.code === 'conflict') return say.overtaken;
  const reason = messageOf(error);
  // A sum that is too large is no single field's fault.
  return isAtField && !reason.includes('tokens') ? settingsStrings.save.refused : settingsStrings.save.failed(reason);
}

interface StandingBarProps {
  readonly saved: StandingReport;
  readonly editor: StandingEditor;
  readonly onSave: () => void;
}

/** Token cost of the standing instructions, and the buttons for unsaved changes. */
export function StandingBar({ saved: { tokens, maxTokens }, editor, onSave }: StandingBarProps) {
  const { isDirty, isSaving, failure } = editor;
  return (
    <div className="pt-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="min-w-0 flex-1 basis-52 text-sm text-ink-2 tabular-nums">
          {say.tokens(tokens, maxTokens)}
          {isDirty && <span className="ml-2 font-medium text-amber">{settingsStrings.sources.changed}</span>}
        </p>
        <div className="flex gap-2">
          {isDirty && (
            <Button variant="ghost" className="h-9" disabled={isSaving} onClick={editor.discard}>
              {settingsStrings.save.discard}
            </Button>
          )}
          {/* Once all is saved, it keeps the focus. */}
          <Button
            variant="primary"
            className="h-9"
            aria-disabled={!isDirty || isSaving}
            onClick={() => isDirty && !isSaving && onSave()}
          >
            {isSaving ? settingsStrings.save.saving : say.save}
          </Button>
        </div>
      </div>
      <div aria-hidden className="mt-3 h-1 overflow-hidden rounded-full bg-rule">
        <div
          className="h-full rounded-full bg-accent"
          style={{ width: `${Math.min(100, (100 * tokens) / maxTokens)}%` }}
        />
      </div>
      {failure !== null && (
        <p role="alert" className="mt-3 text-sm text-red">
          {failure}
        </p>
      )}
    </div>
  );
}
