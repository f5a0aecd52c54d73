import { useState } from 'react';
import useSWR from 'swr';
import { api } from '#components/api/api-client';
import { ApiError, issuesOf, messageOf } from '#components/api/api-error';
import { showWritten } from '#components/desk/content-cache';
import { inYourWords } from '#components/served-words';
import { siteSettingsStrings } from '#components/site/words';
import { toast } from '#components/toast';
import { sentence } from '#components/ui/submit';
import { toastWithAction } from '#components/ui/toasts';
import { strings } from '#components/words';
import type { ChangeSet } from '#server/core/changes';

const say = siteSettingsStrings;

/** How a document of the site, of which there is one, is read and written. */
interface SiteDocument<T, Report> {
  /** Where it is read; written there, too. */
  readonly address: string;
  readonly method: 'PATCH' | 'PUT';
  readonly read: (report: Report) => T;
  /** What is sent to make the stored value another. */
  readonly body: (value: T, base: T) => object;
  /** A draft once something else is stored: what was written since `before` stays, all else is as it is there. */
  readonly rebase: (draft: T, before: T, stored: T) => T;
  /** Told when it is saved. */
  readonly saved: string;
}

/** A document of the site as it is being edited. */
export interface SiteDocumentEditor<T> {
  /** Null: it is not loaded. */
  readonly draft: T | null;
  /** What is stored now. */
  readonly base: T | null;
  readonly error: Error | undefined;
  readonly reload: () => Promise<unknown>;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** Problems by place: `siteName`, `0.children.1.href`. */
  readonly problems: Readonly<Record<string, string>>;
  /** Reason why nothing was saved. */
  readonly failure: string | null;
  /** Somebody else has saved something meanwhile: what was stored before that, until it is saved or discarded. */
  readonly overtaken: T | null;
  readonly change: (change: (draft: T) => T) => void;
  readonly discard: () => void;
  /** @returns false when the server refused */
  readonly save: () => Promise<boolean>;
}

interface Edit<T> {
  readonly revision: number;
  readonly base: T;
  readonly draft: T;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Edits a document of the site: saved as a whole, unless somebody else has saved it meanwhile. */
export function useSiteDocument<T, Report extends { readonly revision: number }>({
  address,
  method,
  read,
  body,
  rebase,
  saved,
}: SiteDocument<T, Report>): SiteDocumentEditor<T> {
  const { data, error, mutate } = useSWR<Report, Error>(address);
  const [edit, setEdit] = useState<Edit<T> | null>(null);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [overtaken, setOvertaken] = useState<T | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const isDirty = edit !== null && !same(edit.draft, edit.base);

  const forget = () => {
    setProblems({});
    setFailure(null);
  };
  /** Shows what is stored, and keeps what was written since `before`. */
  const takeBelow = (report: Report, before?: T) => {
    const stored = read(report);
    setEdit((now) => ({
      revision: report.revision,
      base: stored,
      draft: now === null ? stored : rebase(now.draft, before ?? now.base, stored),
    }));
  };
  // What others change is shown at once, unless something is being written here.
  if (data !== undefined && (edit === null || (data.revision > edit.revision && !isDirty && !isSaving))) {
    takeBelow(data);
  }
  const reload = async (before?: T) => {
    const report = await mutate();
    if (report !== undefined) takeBelow(report, before);
  };
  const undo = async (changeId: string) => {
    showWritten(await api.undoChange(changeId));
    await reload();
    toast(say.undone);
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
      forget();
      setEdit((now) => now && { ...now, draft: change(now.draft) });
    },
    discard() {
      forget();
      setOvertaken(null);
      setEdit((now) => now && { ...now, draft: now.base });
    },
    async save() {
      if (edit === null) return false;
      forget();
      setIsSaving(true);
      const { draft: sent, base, revision } = edit;
      try {
        const { change, notes = [] } = await api.json<{
          readonly change: ChangeSet;
          readonly notes?: readonly string[];
        }>(method, `${address}?ifRevision=${revision}`, body(sent, base));
        setOvertaken(null);
        await reload(sent);
        showWritten([change]);
        toastWithAction([saved, ...notes.map(inYourWords)].join('. '), say.undo, () => undo(change.id));
        return true;
      } catch (problem) {
        if (problem instanceof ApiError && problem.code === 'conflict') {
          await reload();
          setOvertaken(base);
          setFailure(say.overtaken);
          return false;
        }
        const issues = issuesOf(problem) as readonly { readonly path: string; readonly message: string }[];
        setProblems(Object.fromEntries(issues.map(({ path, message }) => [path, sentence(message)])));
        setFailure(issues.length > 0 ? say.refused : strings.common.failed(messageOf(problem)));
        return false;
      } finally {
        setIsSaving(false);
      }
    },
  };
}
