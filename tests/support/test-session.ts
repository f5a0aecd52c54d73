import type { CompactionRecord } from '#server/core/conversation/compactions';
import { PRUNE_STRATEGY } from '#server/core/conversation/labels';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Usage } from '#server/core/conversation/messages';
import { InMemorySession, type Mark } from '#server/conversation/store/in-memory-session';
import type { CompactionCommit, CompactionLease } from '#server/context/ports';

/** As long as the real store lets a dead holder's lease live; milliseconds. */
const LEASE_MS = 5_000;

/**
 * A session in memory, with leases and undo: it behaves like a stored one (in-memory-session.test.ts compares them), but
 * without a file, so that thousands of histories can be tried.
 */
export class TestSession extends InMemorySession {
  /** Of each prune, what it made of its parts. */
  readonly #marks = new Map<string, ReadonlyMap<string, Mark>>();
  #lease: { owner: string; expiresAt: number } | null = null;

  constructor(now: () => number, id = 'ses_test') {
    super(now, id);
  }

  setUsage(messageId: string, usage: Usage): void {
    this.messages = this.messages.map((message) => (message.id === messageId ? { ...message, usage } : message));
  }

  /** The texts of all summaries, also of those that later ones replaced. */
  summaries(): string[] {
    const parts = this.messages.flatMap((message) => message.parts);
    return parts.flatMap((part) => (part.type === 'compaction-marker' ? part.content.summary : []));
  }

  isCompacting(): boolean {
    return this.#isLeased();
  }

  undo(compactionId: string): CompactionRecord {
    const record = this.records.find(({ id }) => id === compactionId);
    if (!record) throw new NotFoundError('compaction', compactionId);
    if (record.status !== 'completed') throw new ConflictError('This compaction does not stand.');
    if (this.#isLeased()) throw new ConflictError('This conversation is being compacted.');
    if (record.strategy === PRUNE_STRATEGY) this.#restore(record);
    else if (this.standing()?.id !== compactionId) throw new ConflictError('Undo the newer compaction first.');
    const undone: CompactionRecord = { ...record, status: 'undone' };
    this.records = this.records.map((each) => (each.id === compactionId ? undone : each));
    return undone;
  }

  /** Calling what it gives brings back what is stored now. */
  remember(): () => void {
    const [messages, records] = [[...this.messages], [...this.records]];
    return () => Object.assign(this, { messages: [...messages], records: [...records] });
  }

  override async saveCompaction(lease: CompactionLease, commit: CompactionCommit) {
    if (this.#lease?.owner !== lease.owner) {
      throw new ConflictError('Another process has taken over the compaction of this conversation.');
    }
    return super.saveCompaction(lease, commit);
  }

  override async settled(): Promise<void> {
    while (this.#isLeased()) await new Promise((resolve) => setImmediate(resolve));
  }

  override async holdLease(wait: boolean): Promise<CompactionLease> {
    while (this.#isLeased()) {
      if (!wait) throw new ConflictError('This conversation is being compacted already.');
      await new Promise((resolve) => setImmediate(resolve));
    }
    const owner = createId('own');
    this.#lease = { owner, expiresAt: this.now() + LEASE_MS };
    return {
      owner,
      [Symbol.asyncDispose]: () => {
        if (this.#lease?.owner === owner) this.#lease = null;
        return Promise.resolve();
      },
    };
  }

  protected override record(
    record: Parameters<InMemorySession['record']>[0],
    marks?: ReadonlyMap<string, Mark>,
  ): CompactionRecord {
    const full = super.record(record, marks);
    if (marks) this.#marks.set(full.id, marks);
    return full;
  }

  #isLeased(): boolean {
    return this.#lease !== null && this.#lease.expiresAt > this.now();
  }

  #restore({ id, prunedPartIds }: CompactionRecord): void {
    const others = this.records.filter((record) => record.status === 'completed' && record.id !== id);
    this.mapParts((part) => {
      if (!prunedPartIds.includes(part.id)) return part;
      const mark = others.findLast((record) => this.#marks.get(record.id)?.has(part.id));
      if (mark) return { ...part, ...this.#marks.get(mark.id)?.get(part.id) };
      return { ...part, compactedAt: null, excerptChars: null, tokens: part.originalTokens, originalTokens: null };
    });
  }
}
