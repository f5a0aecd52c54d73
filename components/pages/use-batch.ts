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
import type { BatchAction } from '#server/core/site/bulk/batches';
import type { ChangeSet } from '#server/core/site/changes';

const t = translator('pages.batch');
const tChanges = translator('changes');

/** What to do with the selected entries. */
export type BatchRequest =
  | { readonly action: 'publish' | 'unpublish' | 'trash' }
  | { readonly action: 'author'; readonly author: string }
  | { readonly action: 'move'; readonly parent: string | null }
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
  /** What the site reported about its writes, in sentences. */
  readonly notes: readonly string[];
  /** Number of entries of which it is unknown whether they were changed. */
  readonly uncertain: number;
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
  readonly uncertain: number;
  readonly problem: string | null;
}

/** A step without any effect. */
const NO_EFFECT: Omit<Step, 'tried'> = {
  changes: [],
  unchanged: 0,
  refused: [],
  notes: [],
  uncertain: 0,
  problem: null,
};

/** How the ids of a batch are sent. */
interface Task {
  /** Ids of one request. */
  readonly size: number;
  readonly perform: (ids: readonly string[], signal: AbortSignal) => Promise<Step>;
}

/** Entries of one request: a connected site needs about a second for each, and a cancel waits for all of them. */
const ENTRIES_PER_REQUEST = 20;
/** Largest page of the journal: the changes of one request, and as many of others meanwhile. */
const MAX_CHANGES = 100;
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
        uncertain: present.uncertain + step.uncertain,
        problem: step.problem ?? (tried.size === 0 ? t('noProgress') : null),
      };
      setRun(present);
    }
    setRun({ ...present, isEnded: true, isStopping: false });
    contentChanged(present.changes);
    reloadPreview();
    if (isGone.current) reportAfterLeaving(present);
  }

  async function begin(action: BatchRun['action'], ids: readonly string[], wanted: Task): Promise<void> {
    task.current = wanted;
    const begun = { action, total: ids.length, done: 0, isEnded: false, isStopping: false, waiting: ids };
    await proceed({ ...begun, ...NO_EFFECT }, wanted);
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
      await begin(wanted.action, ids, {
        size: ENTRIES_PER_REQUEST,
        perform: async (some, signal) => {
          const step = await performBatch(wanted, some, signal).catch((error: unknown) =>
            withoutAnswer(error, some, { after: last, isOwn: (change) => isOfBatch(change, wanted, userId) }),
          );
          last = step.changes.at(-1)?.id ?? last;
          return step;
        },
      });
    },
    /** Takes back what the ended batch did, newest first; what others have changed since stays. */
    undo: ({ action, changes }: BatchRun) =>
      begin(action === 'undo' ? 'redo' : 'undo', changes.map(({ id }) => id).toReversed(), {
        size: CHANGES_PER_UNDO,
        perform: (some) => undoSome(some, changes),
      }),
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

/** Tells what a batch did whose screen was left, with an undo. */
function reportAfterLeaving({ done, total, changes, refused, problem }: BatchRun): void {
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
    const ids = changes.map(({ id }) => id).toReversed();
    for (let from = 0; from < ids.length; from += CHANGES_PER_UNDO)
      contentChanged((await undoSome(ids.slice(from, from + CHANGES_PER_UNDO), changes)).changes);
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
    uncertain: items.filter(({ outcome }) => outcome === 'unknown').length,
    problem: failed ? reasonOf(failed) : null,
  };
}

/** The actions of the journal that a batch leads to. */
const ACTIONS_OF: Readonly<Record<BatchRequest['action'], readonly ChangeSet['action'][]>> = {
  publish: ['publish'],
  unpublish: ['unpublish', 'schedule'],
  trash: ['delete'],
  tag: ['update'],
  author: ['update'],
  move: ['update'],
};

/** The field that a batch changes; actions that are not listed change none. */
const FIELD_OF: Partial<Record<BatchRequest['action'], string>> = { tag: 'tags', author: 'author', move: 'parent' };

/** True for a change that only this batch of this user can have made, apart from the same by hand at the same time. */
function isOfBatch({ action, origin, operations }: ChangeSet, request: BatchRequest, userId: string | null): boolean {
  const field = FIELD_OF[request.action];
  const isOwn = origin.actor === 'user' && userId !== null && origin.userId === userId;
  const isOfField = field === undefined || operations.every((each) => 'field' in each && each.field === field);
  return isOwn && isOfField && ACTIONS_OF[request.action].includes(action);
}

/**
 * What a request did whose answer was lost: its changes are in the journal, so that an undo of the batch includes them.
 * @param after id of the last known change; null: none is known
 * @throws `failure` if the server refused the request, or cannot be asked
 */
async function withoutAnswer(
  failure: unknown,
  ids: readonly string[],
  { after, isOwn }: { readonly after: string | null; readonly isOwn: (change: ChangeSet) => boolean },
): Promise<Step> {
  if (wasRefused(failure) || after === null) throw failure;
  const { items } = await api.get(paths.changesAfter(after, MAX_CHANGES)).catch(() => {
    throw failure;
  });
  const changes = items.filter((change) => ids.includes(change.targetId) && isOwn(change));
  const tried = ids.filter((id) => changes.some(({ targetId }) => targetId === id));
  return { ...NO_EFFECT, tried, changes, uncertain: ids.length - tried.length, problem: problemOf(failure) };
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
  return { ...NO_EFFECT, tried: [], uncertain: wasRefused(error) ? 0 : ids.length, problem: problemOf(error) };
}

function problemOf(error: unknown): string {
  return error instanceof DOMException && error.name === 'AbortError' ? t('notWaited') : messageOf(error);
}
