import { useEffect, useRef, useState } from 'react';
import { toast } from 'sonner';
import { api } from '#components/api/api-client.ts';
import { useMe } from '#components/access/access-client.ts';
import { paths } from '#components/api/paths.ts';
import { ApiError, messageOf, wasRefused } from '#components/api/api-error.ts';
import { noteTexts, refusalText } from '#components/message-text.ts';
import { flushEditors } from '#components/editor/model/page-editor.ts';
import { contentChanged, reloadPreview } from '#components/workspace/content-cache.ts';
import { translator } from '#components/i18n.ts';
import { toastWithAction } from '#components/ui/dialogs/toasts';
import {
  type BatchRequest,
  type BatchSearch,
  CHANGES_PER_PAGE,
  findOwnChanges,
  withLateChanges,
} from '#components/pages/batch-changes.ts';
import type { BatchAction } from '#server/core/site/bulk/batches';
import type { ChangeSet } from '#server/core/site/changes';

const t = translator('pages.batch');
const tChanges = translator('changes');

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
  /** What the site reported about its writes, in sentences. */
  readonly notes: readonly string[];
  /** Ids of entries, of an undo also of changes, of which it is unknown whether they were changed. */
  readonly uncertain: readonly string[];
  /** Ids that were not sent. */
  readonly waiting: readonly string[];
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
  readonly notes: readonly string[];
  readonly uncertain: readonly string[];
  readonly problem: string | null;
}

/** A step without any effect. */
const NO_EFFECT: Omit<Step, 'tried'> = {
  changes: [],
  unchanged: 0,
  refused: [],
  notes: [],
  uncertain: [],
  problem: null,
};

/** How the ids of a batch are sent. */
interface Task {
  /** Ids of one request. */
  readonly size: number;
  readonly perform: (ids: readonly string[], signal: AbortSignal) => Promise<Step>;
  /** Where its late writes are found; null: nowhere. */
  readonly search: BatchSearch | null;
}

/** Entries of one request: a connected site needs about a second for each, and a cancel waits for all of them. */
const ENTRIES_PER_REQUEST = 20;
/** Changes of one request of an undo, which is all or nothing. */
const CHANGES_PER_UNDO = 50;

/** Runs actions on many entries, one at a time: with progress, a cancel between two requests, and an undo of the whole. */
export function useBatch() {
  const userId = useMe()?.id ?? null;
  const [run, setRun] = useState<BatchRun | null>(null);
  const isCancelled = useRef(false);
  /** Ends the request that is under way. */
  const request = useRef(new AbortController());
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isCancelled.current = true;
      isGone.current = true;
    };
  }, []);

  const task = useRef<Task | null>(null);
  const isRunning = run !== null && !run.isEnded;
  useEffect(() => {
    if (!isRunning) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isRunning]);

  /** Sends the waiting ids of a run. */
  async function proceed(begun: BatchRun, { size, perform }: Task): Promise<void> {
    isCancelled.current = false;
    let present: BatchRun = { ...begun, isEnded: false, problem: null };
    setRun(present);
    while (present.waiting.length > 0 && !isCancelled.current && present.problem === null) {
      const ids = present.waiting.slice(0, size);
      request.current = new AbortController();
      const { signal } = request.current;
      const step = await perform(ids, signal).catch((error: unknown) => failedStep(error, ids));
      const tried = new Set(step.tried);
      const waiting = present.waiting.filter((id) => !tried.has(id));
      present = {
        ...present,
        waiting,
        done: present.total - waiting.length,
        isStopping: isCancelled.current,
        changes: [...present.changes, ...step.changes],
        unchanged: present.unchanged + step.unchanged,
        refused: [...present.refused, ...step.refused],
        notes: [...new Set([...present.notes, ...step.notes])],
        uncertain: [...new Set([...present.uncertain, ...step.uncertain])],
        problem: step.problem ?? (tried.size === 0 ? t('noProgress') : null),
      };
      setRun(present);
    }
    setRun({ ...present, isEnded: true, isStopping: false });
    contentChanged(present.changes);
    reloadPreview();
    if (isGone.current) reportAfterLeaving(present, task.current?.search ?? null);
  }

  async function begin(begun: BatchRun, wanted: Task): Promise<void> {
    task.current = wanted;
    await proceed(begun, wanted);
  }

  return {
    run,
    /** @param onStart called once nothing prevents the start */
    start: async (wanted: BatchRequest, ids: readonly string[], onStart: () => void) => {
      // Otherwise visitors would see pages without the last input.
      if (wanted.action === 'publish' && !(await flushEditors())) throw new Error(t('isUnsaved'));
      // What is in the journal after this one may be of this batch.
      const newest = await api.get(paths.changes({}, 1)).catch(() => null);
      onStart();
      let last = newest?.items[0]?.id ?? null;
      const searchAfter = (after: string | null): BatchSearch | null =>
        after === null ? null : { request: wanted, userId, after, readAfter };
      await begin(startOf(wanted.action, ids), {
        size: ENTRIES_PER_REQUEST,
        perform: async (some, signal) => {
          const step = await performBatch(wanted, some, signal).catch((error: unknown) =>
            withoutAnswer(error, some, searchAfter(last)),
          );
          last = step.changes.at(-1)?.id ?? last;
          return step;
        },
        search: searchAfter(last),
      });
    },
    /** Takes back what the ended batch did, newest first; what others have changed since stays. */
    undo: async (ended: BatchRun) => {
      const action = ended.action === 'undo' ? 'redo' : 'undo';
      // Now, so that it is not started twice.
      setRun(startOf(action, newestFirst(ended.changes)));
      const { changes, uncertain } = await knownOf(ended, task.current?.search ?? null);
      await begin(
        { ...startOf(action, newestFirst(changes)), uncertain },
        { size: CHANGES_PER_UNDO, perform: (some) => undoSome(some, changes), search: null },
      );
    },
    /** Goes on with what a cancelled or failed run has not sent. */
    resume: async (ended: BatchRun) => {
      if (task.current !== null) await proceed(ended, task.current);
    },
    /** Stops after the present request. */
    cancel: () => {
      isCancelled.current = true;
      setRun((before) => before && { ...before, isStopping: true });
    },
    /** After a cancel: does not wait for the answer of the present request. An undo is all or nothing, and is waited for. */
    leave: () => request.current.abort(),
    close: () => setRun(null),
  };
}

/** A run that has done nothing yet. */
function startOf(action: BatchRun['action'], ids: readonly string[]): BatchRun {
  return { ...NO_EFFECT, action, total: ids.length, done: 0, isEnded: false, isStopping: false, waiting: ids };
}

const newestFirst = (changes: readonly ChangeSet[]) => changes.map(({ id }) => id).toReversed();

const readAfter = async (id: string) => (await api.get(paths.changesAfter(id, CHANGES_PER_PAGE))).items;

/** What is known of an ended run by now; if the journal cannot be read, what was known before. */
async function knownOf(ended: BatchRun, search: BatchSearch | null) {
  return search === null ? ended : withLateChanges(ended, search).catch(() => ended);
}

/** Tells what a batch did whose screen was left, with an undo. */
function reportAfterLeaving(ended: BatchRun, search: BatchSearch | null): void {
  const { done, total, changes, refused, problem } = ended;
  const message = [
    t('left', { done, total }),
    ...(refused.length > 0 ? [t('refusedCount', { count: refused.length })] : []),
    ...(problem === null ? [] : [problem]),
  ].join(' ');
  if (changes.length === 0) {
    toast(message);
    return;
  }
  toastWithAction(message, tChanges('undo'), async () => {
    const known = await knownOf(ended, search);
    const ids = newestFirst(known.changes);
    for (let from = 0; from < ids.length; from += CHANGES_PER_UNDO)
      contentChanged((await undoSome(ids.slice(from, from + CHANGES_PER_UNDO), known.changes)).changes);
  });
}

async function performBatch(request: BatchRequest, ids: readonly string[], signal: AbortSignal): Promise<Step> {
  const { items } = await api.request('POST', '/api/content/batch', { body: { ...request, ids } }, { signal });
  const reasonOf = ({ error }: (typeof items)[number]) => refusalText(error?.reason, error?.message ?? '');
  const failed = items.find(({ outcome, error }) => ['skipped', 'unknown'].includes(outcome) && error !== null);
  return {
    tried: items.flatMap(({ id, outcome }) => (outcome === 'skipped' ? [] : id)),
    changes: items.flatMap(({ change }) => change ?? []),
    unchanged: items.filter(({ outcome }) => outcome === 'unchanged').length,
    refused: items
      .filter(({ outcome }) => outcome === 'refused')
      .map((item) => ({ id: item.id, title: item.title ?? item.id, reason: reasonOf(item) })),
    notes: items.flatMap((item) => noteTexts(item).map((note) => `${item.title ?? item.id}: ${note}`)),
    uncertain: items.flatMap(({ id, outcome }) => (outcome === 'unknown' ? id : [])),
    problem: failed ? reasonOf(failed) : null,
  };
}

/**
 * What a request did whose answer was lost: its changes are in the journal, so that an undo of the batch includes them.
 * @param search after the last known change; null: none is known
 * @throws `failure` if the server refused the request, or cannot be asked
 */
async function withoutAnswer(failure: unknown, ids: readonly string[], search: BatchSearch | null): Promise<Step> {
  if (wasRefused(failure) || search === null) throw failure;
  const changes = await findOwnChanges(ids, search).catch(() => {
    throw failure;
  });
  const isFound = (id: string) => changes.some(({ targetId }) => targetId === id);
  const uncertain = ids.filter((id) => !isFound(id));
  return { ...NO_EFFECT, tried: ids.filter(isFound), changes, uncertain, problem: problemOf(failure) };
}

/** Undoes changes together; if one of them cannot be undone, each by itself, so that the others are. */
async function undoSome(ids: readonly string[], changes: readonly ChangeSet[]): Promise<Step> {
  const nothing = { ...NO_EFFECT, tried: ids };
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

/** A request without an answer. Unless the server refused it, it may have changed some of the entries. */
function failedStep(error: unknown, ids: readonly string[]): Step {
  return { ...NO_EFFECT, tried: [], uncertain: wasRefused(error) ? [] : ids, problem: problemOf(error) };
}

function problemOf(error: unknown): string {
  return error instanceof DOMException && error.name === 'AbortError' ? t('notWaited') : messageOf(error);
}
