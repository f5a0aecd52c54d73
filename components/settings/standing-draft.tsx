import { useState } from 'react';
import { toast } from '#components/toast';
import { api } from '#components/api/api-client';
import { ApiError, issuesOf, messageOf } from '#components/api/api-error';
import { contentChanged } from '#components/desk/content-cache';
import { settingsStrings } from '#components/settings/words';
import { Button } from '#components/ui/buttons';
import { sentence } from '#components/ui/submit';
import { toastWithAction } from '#components/ui/toasts';
import type { StandingInstructions, StandingReport } from '#server/core/content';

/** A row that keeps its identity while it is edited and moved. */
export interface RuleRow {
  readonly key: number;
  readonly text: string;
}
export interface WordRow {
  readonly key: number;
  readonly term: string;
  readonly meaning: string;
}

/** The standing instructions as they are being edited; rows may still be empty. */
export interface StandingDraft {
  readonly voice: string;
  readonly glossary: readonly WordRow[];
  readonly rules: readonly RuleRow[];
}

let lastKey = 0;
/** Key of a new row. */
export const newKey = (): number => (lastKey += 1);

export function draftOf({ voice, glossary, rules }: StandingInstructions): StandingDraft {
  return {
    voice,
    glossary: glossary.map(({ term, meaning }) => ({ key: newKey(), term, meaning })),
    rules: rules.map((text) => ({ key: newKey(), text })),
  };
}

const isEmptyWord = ({ term, meaning }: WordRow) => term.trim() === '' && meaning.trim() === '';
const isEmptyRule = ({ text }: RuleRow) => text.trim() === '';

/** The instructions a draft amounts to, without empty rows. */
export function instructionsOf({ voice, glossary, rules }: StandingDraft): StandingInstructions {
  return {
    voice: voice.trim(),
    glossary: glossary.flatMap((row) =>
      isEmptyWord(row) ? [] : [{ term: row.term.trim(), meaning: row.meaning.trim() }],
    ),
    rules: rules.flatMap((row) => (isEmptyRule(row) ? [] : [row.text.trim()])),
  };
}

/** True if saving would change anything. */
export function differs(draft: StandingDraft, { voice, glossary, rules }: StandingInstructions): boolean {
  const saved = { voice, glossary: glossary.map(({ term, meaning }) => ({ term, meaning })), rules };
  return JSON.stringify(instructionsOf(draft)) !== JSON.stringify(saved);
}

/**
 * A draft after something else was stored: what was written since stays, else it is what is stored now. A draft that says
 * the same keeps its rows, and with them the one that is being written.
 * @param before what the draft was made of, or what was sent of it
 */
export function rebasedDraft(
  draft: StandingDraft,
  before: StandingInstructions,
  stored: StandingInstructions,
): StandingDraft {
  return differs(draft, before) || !differs(draft, stored) ? draft : draftOf(stored);
}

/** The items with one of them moved by so many places; the same where it cannot go there. */
export function moved<T extends { readonly key: number }>(rows: readonly T[], key: number, by: number): readonly T[] {
  const from = rows.findIndex((row) => row.key === key);
  const to = from + by;
  const row = rows[from];
  return row === undefined || to < 0 || to >= rows.length ? rows : rows.toSpliced(from, 1).toSpliced(to, 0, row);
}

/** Problems the server reported, by field: `voice`, `term-3`, `meaning-3`, `rule-7` with the key of the row. */
export function standingProblems(error: unknown, draft: StandingDraft): Readonly<Record<string, string>> {
  const sent = {
    glossary: draft.glossary.filter((row) => !isEmptyWord(row)),
    rules: draft.rules.filter((row) => !isEmptyRule(row)),
  };
  const issues = issuesOf(error) as readonly { readonly path: string; readonly message: string }[];
  const found = issues.flatMap(({ path, message: text }): (readonly [string, string])[] => {
    const [list = '', index = '', field = ''] = path.split('.');
    if (list === 'voice') return [['voice', text]];
    // What is wrong with a list as a whole is no single row's fault.
    if (index === '') return [];
    if (list === 'rules') return rowProblem('rule', sent.rules[Number(index)], text);
    return list === 'glossary' ? rowProblem(field || 'term', sent.glossary[Number(index)], text) : [];
  });
  return Object.fromEntries(found.toReversed().map(([name, text]) => [name, sentence(text)]));
}

function rowProblem(field: string, row: { readonly key: number } | undefined, text: string) {
  return row === undefined ? [] : [[`${field}-${row.key}`, text] as const];
}

const say = settingsStrings.standing;

/** The standing instructions as they are being edited, and the ways on. */
export interface StandingEditor {
  readonly draft: StandingDraft;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** Problems by field; see standingProblems. */
  readonly problems: Readonly<Record<string, string>>;
  /** Reason why nothing was saved. */
  readonly failure: string | null;
  readonly change: (changes: Partial<StandingDraft>) => void;
  /** Restores the stored instructions. */
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
  /** Takes a report, but keeps what was written while the server was asked. */
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
