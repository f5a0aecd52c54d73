import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import {
  type CompactionCommit,
  type CompactionFailure,
  type CompactionLease,
  type EngineSession,
  PAST_COMPACTIONS,
  type PruneCommit,
  type SummarizerPause,
} from '#server/context/ports';
import type { StoredView } from '#server/context/view';
import type { PartChanges } from '#server/conversation/step/answer-writer';
import type { CompactionRepository } from '#server/conversation/store/compaction-repository';
import type { MessageRepository } from '#server/conversation/store/message-repository';
import type { SessionRepository } from '#server/conversation/store/sessions/session-repository';
import type { Message } from '#server/core/conversation/messages';
import type { Part } from '#server/core/conversation/parts';
import type { NewPreference, PreferenceStore } from '#server/core/conversation/preferences';
import { ConflictError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { keepRenewing, newLease } from '#server/platform/database/leases';

/** Engine settings of the compaction lease; milliseconds. */
interface LeaseTimes {
  readonly compactionLease: number;
  readonly compactionLeaseRenewal: number;
  readonly compactionLeaseRetry: number;
}

/** Where the messages and compactions of all sessions are stored. */
export interface SessionStores {
  readonly sessions: SessionRepository;
  readonly messages: MessageRepository;
  readonly compactions: CompactionRepository;
  readonly preferences: PreferenceStore;
  /** Read each time, because they may change while the server runs. */
  readonly settings: { current(this: void): LeaseTimes };
}

const pauseSchema = z.object({
  modelId: z.string(),
  failures: z.number(),
  until: z.number(),
  round: z.number().optional(),
  calls: z.number().optional(),
});

/** A session in the database. */
export class StoredSession implements EngineSession {
  readonly id: string;
  readonly #stores: SessionStores;
  /** What `readAhead` has read and nothing has used yet. */
  #version: string | null = null;
  #view: StoredView | null = null;
  #isSettled = false;

  constructor(stores: SessionStores, id: string) {
    this.#stores = stores;
    this.id = id;
  }

  /**
   * Reads together what the next `settled`, `viewVersion` and `loadView` return. On a database server each read is a
   * round trip.
   */
  async readAhead(): Promise<StoredView> {
    const { compactions, messages } = this.#stores;
    // Issued in this order: a view that changes in between is newer than its version.
    const [{ isCompacting, version }, view] = await Promise.all([
      compactions.viewState(this.id),
      messages.loadView(this.id),
    ]);
    this.#isSettled = !isCompacting;
    // A running compaction is about to change the view.
    this.#version = isCompacting ? null : version;
    this.#view = isCompacting ? null : view;
    return view;
  }

  /** Drops what was read ahead. */
  forget(): void {
    this.#version = null;
    this.#view = null;
    this.#isSettled = false;
  }

  /** Takes note of a change to a part of the view that was read ahead. */
  noteChange(partId: string, changes: PartChanges): void {
    const view = this.#view;
    if (!view) return;
    const changed = (message: Message): Message =>
      message.parts.some(({ id }) => id === partId)
        ? { ...message, parts: message.parts.map((part) => (part.id === partId ? withChanges(part, changes) : part)) }
        : message;
    this.#view = { ...view, kept: view.kept.map(changed), messages: view.messages.map(changed) };
  }

  async loadView() {
    const view = this.#view;
    this.#view = null;
    return view ?? this.#stores.messages.loadView(this.id);
  }

  async viewVersion() {
    const version = this.#version;
    this.#version = null;
    return version ?? this.#stores.compactions.version(this.id);
  }

  loadBefore(seq: number) {
    return this.#stores.messages.loadBefore(this.id, seq);
  }

  async pastCompactions() {
    const { sessions, compactions } = this.#stores;
    const { compactionCount: count } = await sessions.get(this.id);
    const pause = pauseSchema.safeParse(await compactions.summarizerPause(this.id)).data ?? null;
    return { count, newest: await compactions.attempts(this.id, PAST_COMPACTIONS), pause };
  }

  preferences() {
    return this.#stores.preferences.keptWishes(this.id);
  }

  removedPreferences() {
    return this.#stores.preferences.wishesLetGo(this.id);
  }

  addPreferences(quotes: readonly NewPreference[]) {
    return this.#stores.preferences.keepWishes(this.id, quotes);
  }

  async saveCompaction({ owner }: CompactionLease, commit: CompactionCommit) {
    const { compaction } = await this.#stores.compactions.recordCompaction(this.id, commit, owner);
    return compaction;
  }

  async saveFailure(failure: CompactionFailure) {
    await this.#stores.compactions.recordFailure(this.id, failure);
  }

  savePrune(commit: PruneCommit) {
    return this.#stores.compactions.recordPrune(this.id, commit);
  }

  savePause(pause: SummarizerPause | null) {
    return this.#stores.compactions.setSummarizerPause(this.id, pause);
  }

  async settled(signal?: AbortSignal) {
    const isSettled = this.#isSettled;
    this.#isSettled = false;
    if (isSettled) return;
    while (await this.#stores.compactions.isCompacting(this.id)) await this.#untilRetry(signal);
  }

  /** Renews the lease while it is held; a renewal also detects that another process has cancelled the compaction. */
  async holdLease(wait: boolean, signal?: AbortSignal): Promise<CompactionLease> {
    const { id } = this;
    const { compactions, settings } = this.#stores;
    const { compactionLease, compactionLeaseRenewal } = settings.current();
    const lease = newLease(compactionLease);
    while (!(await compactions.acquire(id, lease))) {
      if (!wait) throw new ConflictError(serverText('compaction-is-running'));
      await this.#untilRetry(signal);
    }
    const cancelled = new AbortController();
    // After a lost lease, saveCompaction refuses.
    const stopRenewing = keepRenewing(async () => {
      if (await compactions.acquire(id, lease)) return;
      if (!(await compactions.isCancelled(id, lease.leaseOwner))) return;
      cancelled.abort(new DOMException('The compaction was cancelled.', 'AbortError'));
    }, compactionLeaseRenewal);
    return {
      owner: lease.leaseOwner,
      cancelled: cancelled.signal,
      async [Symbol.asyncDispose]() {
        stopRenewing();
        await compactions.release(id, lease.leaseOwner);
      },
    };
  }

  /** @throws the signal's reason */
  async #untilRetry(signal: AbortSignal | undefined): Promise<void> {
    const { compactionLeaseRetry } = this.#stores.settings.current();
    await delay(compactionLeaseRetry, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** The part after the change, which fits its type. */
function withChanges(part: Part, { content, state, tokens }: PartChanges): Part {
  return {
    ...part,
    ...(content && { content }),
    ...(state && { state }),
    ...(tokens !== undefined && { tokens }),
  } as Part;
}
