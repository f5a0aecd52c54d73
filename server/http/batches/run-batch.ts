import { setTimeout as delay } from 'node:timers/promises';
import { NotFoundError, SiteUnavailableError } from '#server/core/errors';
import type { CodedMessage } from '#server/core/coded-message';
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
  const { content, origin, signal, describeError, entryTimeLimit } = context;
  const items: BatchItem[] = [];
  let failure: BatchError | null = null;
  for (const id of batch.ids) {
    if (failure !== null || signal.aborted) {
      items.push({ id, title: null, outcome: 'skipped', change: null, error: failure && fieldsOf(failure) });
      continue;
    }
    let title: string | null = null;
    let isTried = false;
    try {
      const entry = await content.find(id);
      if (entry?.id !== id) throw new NotFoundError('entry', id);
      ({ title } = entry.draft);
      isTried = true;
      const { change, notes, noteMessages } = await inTime(write(content, entry, batch, origin), entryTimeLimit);
      const outcome = change === null ? 'unchanged' : 'done';
      items.push({ id, title, outcome, change, error: null, ...(change && { notes, noteMessages }) });
    } catch (error) {
      const described = describeError(error);
      if (described.isGeneral) failure = described;
      const outcome = !described.isGeneral ? 'refused' : isTried ? 'unknown' : 'skipped';
      items.push({ id, title, outcome, change: null, error: fieldsOf(described) });
    }
  }
  return { items };
}

/** The result of a write; a write that takes longer goes on, and what becomes of it is in the journal. */
async function inTime(writing: Promise<Written>, limit: number): Promise<Written> {
  const ended = new AbortController();
  const late = delay(limit, null, { signal: ended.signal }).catch(() => null);
  const written = await Promise.race([writing, late]).finally(() => ended.abort());
  if (written !== null) return written;
  const text = serverText('batch-entry-late', { count: limit / 1_000 });
  throw new SiteUnavailableError(serverText('site-maybe-written', { reason: text }));
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
