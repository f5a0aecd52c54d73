import { useEffect, useRef, useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { ApiError, messageOf } from '#components/api/api-error.ts';
import { refusalText } from '#components/message-text.ts';
import { flushEditors } from '#components/editor/model/page-editor.ts';
import { contentChanged, reloadPreview } from '#components/workspace/content-cache.ts';
import { translator } from '#components/i18n.ts';
import { toastWithAction } from '#components/ui/dialogs/toasts';
import type { BatchAction } from '#server/core/site/batches';
import type { ChangeSet } from '#server/core/site/changes';

const t = translator('pages.batch');
const tChanges = translator('changes');

/** What to do with the selected entries. */
export type BatchRequest =
  | { readonly action: Exclude<BatchAction, 'tag'> }
  | { readonly action: 'tag'; readonly add: readonly string[]; readonly remove: readonly string[] };

/** An entry that could not be changed, and why. */
interface Refusal {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
}

/** A batch that runs or has ended. */
export interface BatchRun {
  /** `undo`: takes an earlier batch back; `redo`: takes that back. */
  readonly action: BatchAction | 'undo' | 'redo';
  readonly total: number;
  readonly done: number;
  readonly isEnded: boolean;
  /** True after a cancel, until the request that is under way has been answered. */
  readonly isStopping: boolean;
  readonly changes: readonly ChangeSet[];
  readonly unchanged: number;
  readonly refused: readonly Refusal[];
  /** Why the batch ended early; null: it did not, or was cancelled. */
  readonly problem: string | null;
}

/** What one request of a batch did. */
interface Step {
  /** Ids that need not be sent again. */
  readonly tried: readonly string[];
  readonly changes: readonly ChangeSet[];
  readonly unchanged: number;
  readonly refused: readonly Refusal[];
  readonly problem: string | null;
}

/** Entries of one request: a connected site needs about a second for each, and a cancel waits for all of them. */
const ENTRIES_PER_REQUEST = 20;
/** Changes of one request of an undo, which is all or nothing. */
const CHANGES_PER_UNDO = 50;

/** Runs actions on many entries, one at a time: with progress, a cancel between two requests, and an undo of the whole. */
export function useBatch() {
  const [run, setRun] = useState<BatchRun | null>(null);
  const isCancelled = useRef(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isCancelled.current = true;
      isGone.current = true;
    };
  }, []);

  async function work(
    action: BatchRun['action'],
    ids: readonly string[],
    size: number,
    perform: (ids: readonly string[]) => Promise<Step>,
  ): Promise<void> {
    isCancelled.current = false;
    let present: BatchRun = {
      action,
      total: ids.length,
      done: 0,
      isEnded: false,
      isStopping: false,
      changes: [],
      unchanged: 0,
      refused: [],
      problem: null,
    };
    setRun(present);
    let waiting = [...ids];
    while (waiting.length > 0 && !isCancelled.current && present.problem === null) {
      const step = await perform(waiting.slice(0, size)).catch((error: unknown) => failedStep(error));
      const tried = new Set(step.tried);
      waiting = waiting.filter((id) => !tried.has(id));
      present = {
        ...present,
        done: present.total - waiting.length,
        isStopping: isCancelled.current,
        changes: [...present.changes, ...step.changes],
        unchanged: present.unchanged + step.unchanged,
        refused: [...present.refused, ...step.refused],
        problem: step.problem ?? (tried.size === 0 ? t('noProgress') : null),
      };
      setRun(present);
    }
    setRun({ ...present, isEnded: true, isStopping: false });
    contentChanged(present.changes);
    reloadPreview();
    const { changes } = present;
    if (isGone.current && changes.length > 0)
      toastWithAction(t('left', { done: present.done, total: present.total }), tChanges('undo'), async () => {
        const { undone } = await api.undoThese({ changeIds: changes.map(({ id }) => id) });
        contentChanged(undone);
      });
  }

  return {
    run,
    start: async (request: BatchRequest, ids: readonly string[]) => {
      // Otherwise visitors would see pages without the last input.
      if (request.action === 'publish' && !(await flushEditors())) throw new Error(t('isUnsaved'));
      await work(request.action, ids, ENTRIES_PER_REQUEST, (some) => performBatch(request, some));
    },
    /** Takes back what the ended batch did, newest first; what others have changed since stays. */
    undo: async ({ action, changes }: BatchRun) => {
      const ids = changes.map(({ id }) => id).toReversed();
      await work(action === 'undo' ? 'redo' : 'undo', ids, CHANGES_PER_UNDO, (some) => undoSome(some, changes));
    },
    cancel: () => {
      isCancelled.current = true;
      setRun((before) => before && { ...before, isStopping: true });
    },
    close: () => setRun(null),
  };
}

async function performBatch(request: BatchRequest, ids: readonly string[]): Promise<Step> {
  const { items } = await api.request('POST', '/api/content/batch', {
    body: { ...request, ids },
  });
  const reasonOf = ({ error }: (typeof items)[number]) => refusalText(error?.reason, error?.message ?? '');
  const failed = items.find(({ outcome, error }) => outcome === 'skipped' && error !== null);
  return {
    tried: items.flatMap(({ id, outcome }) => (outcome === 'skipped' ? [] : id)),
    changes: items.flatMap(({ change }) => change ?? []),
    unchanged: items.filter(({ outcome }) => outcome === 'unchanged').length,
    refused: items
      .filter(({ outcome }) => outcome === 'refused')
      .map((item) => ({ id: item.id, title: item.title ?? item.id, reason: reasonOf(item) })),
    problem: failed ? reasonOf(failed) : null,
  };
}

/** Undoes changes together; if one of them cannot be undone, each by itself, so that the others are. */
async function undoSome(ids: readonly string[], changes: readonly ChangeSet[]): Promise<Step> {
  const nothing = { tried: ids, changes: [], unchanged: 0, refused: [], problem: null };
  try {
    const { undone } = await api.undoThese({ changeIds: ids });
    return { ...nothing, changes: undone };
  } catch (error) {
    if (!(error instanceof ApiError) || ![403, 404, 409].includes(error.status)) throw error;
    const [id] = ids;
    if (ids.length === 1 && id !== undefined) {
      const title = changes.find((change) => change.id === id)?.title ?? id;
      return { ...nothing, refused: [{ id, title, reason: error.message }] };
    }
    const steps: Step[] = [];
    for (const each of ids) steps.push(await undoSome([each], changes));
    return {
      ...nothing,
      changes: steps.flatMap((step) => step.changes),
      refused: steps.flatMap((step) => step.refused),
    };
  }
}

function failedStep(error: unknown): Step {
  return { tried: [], changes: [], unchanged: 0, refused: [], problem: messageOf(error) };
}
