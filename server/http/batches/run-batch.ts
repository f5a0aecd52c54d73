import { setTimeout as delay } from 'node:timers/promises';
import { NotFoundError, SiteUnavailableError } from '#server/core/errors';
import type { CodedMessage, ServerText } from '#server/core/coded-message';
import type { BatchAction, BatchItem } from '#server/core/site/bulk/batches';
import type { ChangeOrigin, ChangeSet } from '#server/core/site/changes';
import type { Entry } from '#server/core/site/content';
import { foldText } from '#server/core/fold-text';
import { serverText } from '#server/core/messages/server-text';
import type { NotesOfWrite } from '#server/core/message-data';
import type { SiteServices } from '#server/services';

/** What to do with each entry of a batch. */
export interface Batch {
  readonly action: BatchAction;
  readonly ids: readonly string[];
  /** For `tag`: tags to add. */
  readonly add: readonly string[];
  /** For `tag`: tags to remove, in any case and with or without accents. */
  readonly remove: readonly string[];
  /** For `author`: the name; empty: none. */
  readonly author: string;
  /** For `move`: id of the page above; null: none. */
  readonly parent: string | null;
}

/** An error as a batch reports it for one entry. */
export interface BatchError {
  readonly code: string;
  readonly message: string;
  readonly reason: CodedMessage | null;
  /** True if it concerns the whole site or server, so that the remaining entries are not tried. */
  readonly isGeneral: boolean;
}

/** Surroundings of a batch. */
export interface BatchContext {
  /** Judges the rights of the caller with each write. */
  readonly content: SiteServices['content'];
  readonly origin: ChangeOrigin;
  /** Ends the batch before the next entry. */
  readonly signal: AbortSignal;
  /** Time that one entry may take, so that a slow connected site does not hold the batch; ms. */
  readonly entryTimeLimit: number;
  /** Called with the error of a step that fails after its entry was reported as late. */
  readonly onLateFailure: (failure: unknown) => void;
  readonly describeError: (error: unknown) => BatchError;
}

interface Written extends NotesOfWrite {
  readonly entry: Entry;
  readonly change: ChangeSet | null;
}

/**
 * Performs an action on several entries, one after the other: each is a change of its own, and a refusal of one does not
 * stop the others. Never throws for an entry.
 */
export async function runBatch(batch: Batch, context: BatchContext) {
  const { content, origin, signal, describeError } = context;
  const items: BatchItem[] = [];
  let failure: BatchError | null = null;
  for (const id of batch.ids) {
    if (failure !== null || signal.aborted) {
      items.push({ id, title: null, outcome: 'skipped', change: null, error: failure && fieldsOf(failure) });
      continue;
    }
    let title: string | null = null;
    let isTried = false;
    const time = limitTime(context);
    try {
      const entry = await time.within(content.find(id), (late) => late);
      if (entry?.id !== id) throw new NotFoundError('entry', id);
      ({ title } = entry.draft);
      isTried = true;
      const { change, notes, noteMessages } = await time.within(write(content, entry, batch, origin), (late) =>
        serverText('site-maybe-written', { reason: late }),
      );
      const outcome = change === null ? 'unchanged' : 'done';
      items.push({ id, title, outcome, change, error: null, ...(change && { notes, noteMessages }) });
    } catch (error) {
      const described = describeError(error);
      if (described.isGeneral) failure = described;
      const outcome = !described.isGeneral ? 'refused' : isTried ? 'unknown' : 'skipped';
      items.push({ id, title, outcome, change: null, error: fieldsOf(described) });
    } finally {
      time.end();
    }
  }
  return { items };
}

const LATE = Symbol('late');

/** Starts the time of one entry, which its steps share. */
function limitTime({ entryTimeLimit, onLateFailure }: BatchContext) {
  const ended = new AbortController();
  let isLate = false;
  const late = delay(entryTimeLimit, LATE, { signal: ended.signal }).catch(() => LATE);
  return {
    /**
     * The result of a step; a write that takes longer goes on, and what becomes of it is in the journal.
     *
     * @throws SiteUnavailableError with the text, if the time ends first
     */
    async within<Result>(step: Promise<Result>, textOf: (reason: ServerText) => ServerText): Promise<Result> {
      step.catch((failure: unknown) => {
        if (isLate) onLateFailure(failure);
      });
      const result = await Promise.race([step, late]);
      if (result !== LATE) return result as Result;
      isLate = true;
      throw new SiteUnavailableError(textOf(serverText('batch-entry-late', { count: entryTimeLimit / 1_000 })));
    },
    end: () => ended.abort(),
  };
}

function fieldsOf({ code, message, reason }: BatchError) {
  return { code, message, reason };
}

async function write(
  content: SiteServices['content'],
  entry: Entry,
  batch: Batch,
  origin: ChangeOrigin,
): Promise<Written> {
  switch (batch.action) {
    case 'publish':
      return content.publish(entry.id, origin);
    case 'unpublish':
      if (entry.published !== null) return content.unpublish(entry.id, origin);
      // Otherwise it would go online at its time.
      return entry.publishAt === null ? { entry, change: null } : content.schedule(entry.id, null, origin);
    case 'trash':
      return content.trash(entry.id, origin);
    case 'tag': {
      const tags = changedTags(entry.draft.tags ?? [], batch);
      if (tags === null) return { entry, change: null };
      const operation =
        tags.length === 0
          ? ({ op: 'unset', field: 'tags' } as const)
          : ({ op: 'set', field: 'tags', value: tags } as const);
      return content.patch(entry.id, [operation], origin, { ifRevision: entry.revision });
    }
    case 'author':
      return setField(content, entry, 'author', batch.author === '' ? null : batch.author, origin);
    case 'move':
      return setField(content, entry, 'parent', batch.parent, origin);
  }
}

/** Sets a field of a draft; null removes it. */
async function setField(
  content: SiteServices['content'],
  entry: Entry,
  field: 'author' | 'parent',
  value: string | null,
  origin: ChangeOrigin,
): Promise<Written> {
  if ((entry.draft[field] ?? null) === value) return { entry, change: null };
  const operation = value === null ? ({ op: 'unset', field } as const) : ({ op: 'set', field, value } as const);
  return content.patch(entry.id, [operation], origin, { ifRevision: entry.revision });
}

/** The tags of an entry after a batch; null: they are the same. Added tags come last; an existing tag keeps its spelling. */
function changedTags(tags: readonly string[], { add, remove }: Pick<Batch, 'add' | 'remove'>): string[] | null {
  const removed = new Set(remove.map(foldText));
  const kept = tags.filter((tag) => !removed.has(foldText(tag)));
  const present = new Set(kept.map(foldText));
  const added = add.filter((tag) => {
    const isNew = !present.has(foldText(tag));
    present.add(foldText(tag));
    return isNew;
  });
  return kept.length === tags.length && added.length === 0 ? null : [...kept, ...added];
}
