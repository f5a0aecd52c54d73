import { useState } from 'react';
import type { Address } from '#components/api/routes.ts';
import { useApi } from '#components/api/use-api.ts';
import { api } from '#components/api/api-client.ts';
import { ApiError, issuesOf, messageOf } from '#components/api/api-error.ts';
import { showWritten } from '#components/workspace/content-cache.ts';
import { noteTexts } from '#components/message-text.ts';
import { translator } from '#components/i18n.ts';
import { toast } from 'sonner';
import { sentence } from '#components/ui/dialogs/submit';
import { toastWithAction } from '#components/ui/dialogs/toasts';
import type { NotesOfWrite } from '#server/core/message-data';
import type { ChangeSet } from '#server/core/site/changes';

const t = translator('siteSettings');
const tShared = translator('shared');

/** Result of a write: its change, and notes about what the site did otherwise than requested. */
interface Written extends NotesOfWrite {
  readonly change: ChangeSet;
}

/**
 * How a single document of the site, such as its menu or settings, is read and written. `Report`: the answer of the
 * API.
 */
interface SiteDocument<T, Report> {
  readonly address: Address<Report>;
  readonly read: (report: Report) => T;
  /** Changes the stored value from `base` to `value`, unless another revision is stored. */
  readonly write: (value: T, base: T, ifRevision: number) => Promise<Written>;
  /** The draft after another value was stored: edits since `before` are kept, the rest takes the stored value. */
  readonly rebase: (draft: T, before: T, stored: T) => T;
  /** Message after saving. */
  readonly saved: string;
}

/** A document of the site while it is being edited. */
export interface SiteDocumentEditor<T> {
  /** Null while loading. */
  readonly draft: T | null;
  /** The stored value. */
  readonly base: T | null;
  readonly error: Error | undefined;
  readonly reload: () => Promise<unknown>;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** Problems by path: `siteName`, `0.children.1.href`. */
  readonly problems: Readonly<Record<string, string>>;
  /** Reason why nothing was saved; null: none. */
  readonly failure: string | null;
  /**
   * If another person has saved a change during the edit: the value that was stored before it, until the draft is saved
   * or discarded. Otherwise null.
   */
  readonly overtaken: T | null;
  readonly change: (change: (draft: T) => T) => void;
  readonly discard: () => void;
  /** @returns false if the server refused */
  readonly save: () => Promise<boolean>;
}

/** A draft, and the stored value and revision that it was made from. */
interface Edit<T> {
  readonly revision: number;
  readonly base: T;
  readonly draft: T;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Edits a document of the site. It is saved as a whole, unless another person has saved it since it was loaded. */
export function useSiteDocument<T, Report extends { readonly revision: number }>({
  address,
  read,
  write,
  rebase,
  saved,
}: SiteDocument<T, Report>): SiteDocumentEditor<T> {
  const { data, error, mutate } = useApi(address);
  const [edit, setEdit] = useState<Edit<T> | null>(null);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [overtaken, setOvertaken] = useState<T | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const isDirty = edit !== null && !same(edit.draft, edit.base);

  const clearProblems = () => {
    setProblems({});
    setFailure(null);
  };
  /**
   * Takes over the stored value, and keeps edits since `before`. Default: since the value that the draft was made from.
   */
  const rebaseOn = (report: Report, before?: T) => {
    const stored = read(report);
    setEdit((now) => ({
      revision: report.revision,
      base: stored,
      draft: now === null ? stored : rebase(now.draft, before ?? now.base, stored),
    }));
  };
  // Shows changes by others immediately, unless this page has unsaved edits.
  if (data !== undefined && (edit === null || (data.revision > edit.revision && !isDirty && !isSaving))) {
    rebaseOn(data);
  }
  const reload = async (before?: T) => {
    const report = await mutate();
    if (report !== undefined) rebaseOn(report, before);
  };
  const undo = async (changeId: string) => {
    showWritten(await api.undoChange(changeId));
    await reload();
    toast(t('undone'));
  };
  return {
    draft: edit?.draft ?? null,
    base: edit?.base ?? null,
    error,
    reload: () => mutate(),
    isDirty,
    isSaving,
    problems,
    failure,
    overtaken,
    change(change) {
      clearProblems();
      setEdit((now) => now && { ...now, draft: change(now.draft) });
    },
    discard() {
      clearProblems();
      setOvertaken(null);
      setEdit((now) => now && { ...now, draft: now.base });
    },
    async save() {
      if (edit === null) return false;
      clearProblems();
      setIsSaving(true);
      const { draft: sent, base, revision } = edit;
      try {
        const { change, ...result } = await write(sent, base, revision);
        setOvertaken(null);
        await reload(sent);
        showWritten([change]);
        toastWithAction([saved, ...noteTexts(result)].join('. '), t('undo'), () => undo(change.id));
        return true;
      } catch (problem) {
        if (problem instanceof ApiError && problem.code === 'conflict') {
          await reload();
          setOvertaken(base);
          setFailure(t('overtaken'));
          return false;
        }
        const issues = issuesOf(problem);
        setProblems(Object.fromEntries(issues.map(({ path, message }) => [path, sentence(message)])));
        setFailure(issues.length > 0 ? t('refused') : tShared('common.failed', { reason: messageOf(problem) }));
        return false;
      } finally {
        setIsSaving(false);
      }
    },
  };
}
