import { api } from '#components/api/api-client';
import type { FollowedEvent } from '#components/api/follow-events';
import { PRUNE_STRATEGY } from '#server/core/engine-words';
import type { CompactionData, PruneData, SessionEventData } from '#server/core/events';

/** A finished compaction, prune or undo of a conversation. */
export type CompactionNotice =
  | { readonly kind: 'compacted'; readonly data: SessionEventData['compaction:complete'] }
  | { readonly kind: 'pruned'; readonly data: PruneData }
  | { readonly kind: 'undone'; readonly data: SessionEventData['compaction:undone'] };

/** Change of the model's view: tool results were taken out of it, or messages have made room for a summary. */
export type ViewChange = 'pruned' | 'summarized';

/** While one runs, we look this often whether it still does: its process may have died; ms. */
const LOOK_EVERY = 5_000;

/** The compactions of a session, whoever runs them and why: since when one runs, and what the last ones did. */
export class SessionCompactions {
  readonly #sessionId: string;
  readonly #onChange: (since: number | null) => void;
  /** Called when the model may see something else than before. */
  readonly #onViewChange: (change: ViewChange) => void;
  readonly #listeners = new Set<(notice: CompactionNotice) => void>();
  #since: number | null = null;
  /** Counts the ends that were told: a look that was overtaken by one is void. */
  #ends = 0;
  #looking: ReturnType<typeof setInterval> | null = null;

  constructor(sessionId: string, onChange: (since: number | null) => void, onViewChange: (change: ViewChange) => void) {
    this.#sessionId = sessionId;
    this.#onChange = onChange;
    this.#onViewChange = onViewChange;
  }

  /** Calls `listener` once for each notice while the conversation is watched. Returns the function that ends it. */
  onNotice(listener: (notice: CompactionNotice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Handles an event of the session. */
  hear(event: FollowedEvent): void {
    switch (event.name) {
      case 'compaction:start':
        return this.#show(this.#since ?? Date.now());
      case 'compaction:failed':
        this.#end();
        return this.#onViewChange('summarized');
      case 'compaction:complete':
        this.#end();
        return this.#tell({ kind: 'compacted', data: event.data });
      case 'prune:complete':
        return this.#tell({ kind: 'pruned', data: event.data });
      case 'compaction:undone':
        return this.#tell({ kind: 'undone', data: event.data });
      default:
    }
  }

  /** Handles a compaction part in the stream of a turn, also when it is replayed. */
  follow({ phase }: CompactionData): void {
    if (phase === 'start') this.#show(this.#since ?? Date.now());
    else this.#end();
  }

  /** Asks the server whether a compaction runs, and since when. Failures are ignored; it asks again. */
  async refresh(): Promise<void> {
    const before = this.#ends;
    const wasRunning = this.#since !== null;
    const session = await api.readSession(this.#sessionId).catch(() => null);
    if (!session || this.#ends !== before) return;
    if (session.currentlyCompacting) return this.#show(session.compactingSince ?? Date.now());
    // One that has begun since we asked is not what the answer is about.
    if (!wasRunning) return;
    this.#show(null);
    this.#onViewChange('summarized');
  }

  /** Summarizes now. Resolves to false when there is nothing to summarize. @throws ApiError; `cancelled` when it was */
  async compact(instructions?: string): Promise<boolean> {
    this.#show(this.#since ?? Date.now());
    const before = this.#ends;
    try {
      const outcome = await api.compact(this.#sessionId, instructions === undefined ? {} : { instructions });
      // Otherwise its end was told, and what runs by now is another one.
      if (this.#ends === before) this.#end();
      this.#onViewChange('summarized');
      return outcome.status !== 'skipped';
    } catch (error) {
      // It may have been refused because another one runs.
      void this.refresh();
      throw error;
    }
  }

  /** Stops the one that runs. Resolves to false when none does any more. @throws ApiError */
  cancel(): Promise<boolean> {
    return api.cancelCompaction(this.#sessionId);
  }

  /**
   * Undoes a compaction or a prune.
   * @throws ApiError that says why not
   */
  async undo(compactionId: string): Promise<void> {
    await api.undoCompaction(this.#sessionId, compactionId);
    this.#onViewChange('summarized');
  }

  close(): void {
    this.#show(null);
  }

  #tell(notice: CompactionNotice): void {
    for (const listener of this.#listeners) listener(notice);
    const isPrune = notice.kind === 'pruned' || (notice.kind === 'undone' && notice.data.strategy === PRUNE_STRATEGY);
    this.#onViewChange(isPrune ? 'pruned' : 'summarized');
  }

  #end(): void {
    this.#ends += 1;
    this.#show(null);
  }

  #show(since: number | null): void {
    if (since === this.#since) return;
    this.#since = since;
    if (this.#looking) clearInterval(this.#looking);
    this.#looking = since === null ? null : setInterval(() => void this.refresh(), LOOK_EVERY);
    this.#onChange(since);
  }
}
