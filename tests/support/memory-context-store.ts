import { NO_GAIN, PRUNE_STRATEGY, type CompactionRecord } from '#server/core/compactions';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Message, NewMessage, Usage } from '#server/core/messages';
import type { NewPart, Part } from '#server/core/parts';
import type {
  CompactionCommit,
  CompactionFailure,
  CompactionLease,
  ContextStore,
  PruneCommit,
} from '#server/context/ports';
import type { StoredView } from '#server/context/view';
import type { WorkingContext } from '#server/context/working-context';

/** As long as the real store lets a dead holder's lease live; milliseconds. */
const LEASE_MS = 5_000;
/** What a prune made of one part. */
type Mark = Pick<Part, 'compactedAt' | 'tokens' | 'excerptChars'>;

/** Compactions that the breaker looks at, at most. */
const PAST_COMPACTIONS = 20;

/**
 * The context store of one session, in memory: it does what the real one does (memory-context-store.test.ts
 * compares them), only without a file, so that thousands of histories can be tried.
 */
export class MemoryContextStore implements ContextStore {
  readonly sessionId: string;
  readonly #now: () => number;
  #messages: Message[] = [];
  #records: CompactionRecord[] = [];
  /** Of each prune, what it made of its parts. */
  readonly #marks = new Map<string, ReadonlyMap<string, Mark>>();
  #workingContext: WorkingContext | null = null;
  /** What each compaction left behind. */
  readonly #workingContexts = new Map<string, WorkingContext>();
  #compactionCount = 0;
  #lease: { owner: string; expiresAt: number } | null = null;

  constructor(now: () => number, sessionId = 'ses_test') {
    this.#now = now;
    this.sessionId = sessionId;
  }

  /** Stores messages behind the others. */
  appendMany(messages: readonly NewMessage[]): Message[] {
    const createdAt = this.#now();
    const stored = messages.map((message, index) =>
      this.#toMessage(message, this.#messages.length + index + 1, createdAt, false),
    );
    this.#messages.push(...stored);
    return stored;
  }

  setUsage(messageId: string, usage: Usage): void {
    this.#messages = this.#messages.map((message) => (message.id === messageId ? { ...message, usage } : message));
  }

  /** Every message that was said, summaries left out. */
  originals(): Message[] {
    return this.#messages.filter((message) => !message.isSummary);
  }

  /** The newest first. */
  list(): CompactionRecord[] {
    return this.#records
      .map((record, index) => ({ record, index }))
      .toSorted((a, b) => b.record.createdAt - a.record.createdAt || b.index - a.index)
      .map(({ record }) => record);
  }

  undo(compactionId: string): CompactionRecord {
    const record = this.#records.find(({ id }) => id === compactionId);
    if (!record) throw new NotFoundError('compaction', compactionId);
    if (record.status !== 'completed') throw new ConflictError('This compaction does not stand.');
    if (this.#isLeased()) throw new ConflictError('This conversation is being compacted.');
    if (record.strategy === PRUNE_STRATEGY) this.#restore(record);
    else if (this.#standing()?.id !== compactionId) throw new ConflictError('Undo the newer compaction first.');
    const undone: CompactionRecord = { ...record, status: 'undone' };
    this.#records = this.#records.map((each) => (each.id === compactionId ? undone : each));
    if (record.strategy !== PRUNE_STRATEGY) {
      this.#workingContext = this.#workingContexts.get(this.#standing()?.id ?? '') ?? null;
    }
    return undone;
  }

  loadView(sessionId: string): Promise<StoredView> {
    this.#check(sessionId);
    const said = this.originals();
    const standing = this.#standing();
    const summary = this.#messages.find(({ id }) => id === standing?.summaryMessageId) ?? null;
    if (!standing || !summary) return Promise.resolve({ leading: [], summary: null, kept: [], messages: said });
    const first = this.#messages.find(({ id }) => id === standing.firstKeptMessageId);
    const fromSeq = standing.firstKeptMessageId === null ? summary.seq + 1 : (first?.seq ?? 0);
    const byIds = (ids: readonly string[]) => this.#messages.filter(({ id }) => ids.includes(id));
    return Promise.resolve({
      leading: byIds(standing.keptBeforeSummary),
      summary,
      kept: byIds(standing.keptAfterSummary),
      messages: said.filter(({ seq }) => seq >= fromSeq),
    });
  }

  loadBefore(sessionId: string, seq: number): Promise<Message[]> {
    this.#check(sessionId);
    return Promise.resolve(this.originals().filter((message) => message.seq < seq));
  }

  pastCompactions(sessionId: string) {
    this.#check(sessionId);
    const newest = this.list().filter(
      ({ status, strategy, error }) =>
        strategy !== PRUNE_STRATEGY && (status === 'completed' || (status === 'failed' && error === NO_GAIN)),
    );
    return Promise.resolve({ count: this.#compactionCount, newest: newest.slice(0, PAST_COMPACTIONS) });
  }

  loadWorkingContext(sessionId: string): Promise<WorkingContext | null> {
    this.#check(sessionId);
    return Promise.resolve(this.#workingContext);
  }

  async saveCompaction(sessionId: string, lease: Pick<CompactionLease, 'owner'>, commit: CompactionCommit) {
    this.#check(sessionId);
    const createdAt = this.#now();
    if (this.#lease?.owner !== lease.owner) {
      throw new ConflictError('Another process has taken over the compaction of this conversation.');
    }
    const { summary, summaryTokens, workingContext, previousSummaryId, ...figures } = commit;
    if (((await this.loadView(sessionId)).summary?.id ?? null) !== previousSummaryId) {
      throw new ConflictError('Another compaction came between.');
    }
    const messagesCompacted = commit.compactedMessageIds.length;
    const marker = {
      summary,
      compactedAt: createdAt,
      messagesCompacted,
      originalTokens: commit.tokensBefore,
      round: commit.round,
    };
    const part: NewPart = { type: 'compaction-marker', content: marker, tokens: summaryTokens };
    const draft: NewMessage = { role: 'assistant', modelId: commit.modelId, parts: [part] };
    const message = this.#toMessage(draft, this.#messages.length + 1, createdAt, true);
    this.#messages.push(message);
    this.#workingContext = workingContext;
    this.#compactionCount += 1;
    const record = this.#record({ ...figures, messagesCompacted, summaryMessageId: message.id, createdAt });
    this.#workingContexts.set(record.id, workingContext);
    return record;
  }

  async saveFailure(sessionId: string, { error, ...failure }: CompactionFailure): Promise<void> {
    this.#check(sessionId);
    const round = this.#compactionCount + 1;
    const tokensAfter = failure.tokensBefore;
    this.#record({ ...failure, round, status: 'failed', tokensAfter, error, createdAt: this.#now() });
  }

  async savePrune(sessionId: string, { parts, ...prune }: PruneCommit): Promise<void> {
    this.#check(sessionId);
    const createdAt = this.#now();
    // Of a part named twice, the first counts: then it is cleared already.
    const byId = new Map(parts.toReversed().map((part) => [part.partId, part]));
    const marks = new Map<string, Mark>();
    this.#mapParts((part) => {
      const change = byId.get(part.id);
      const isLonger = part.excerptChars !== null && (part.tokens ?? 0) > (change?.tokensAfter ?? 0);
      if (!change || (part.compactedAt !== null && !isLonger)) return part;
      const { tokensAfter: tokens, excerptChars = null } = change;
      const mark = { compactedAt: createdAt, tokens, excerptChars };
      marks.set(part.id, mark);
      return { ...part, ...mark, originalTokens: part.originalTokens ?? part.tokens };
    });
    const ids = [...new Set(parts.map(({ partId }) => partId))].filter((id) => marks.has(id));
    const round = this.#compactionCount + 1;
    const { id } = this.#record({ ...prune, round, strategy: PRUNE_STRATEGY, prunedPartIds: ids, createdAt });
    this.#marks.set(id, marks);
  }

  async settled(sessionId: string): Promise<void> {
    this.#check(sessionId);
    while (this.#isLeased()) await new Promise((resolve) => setImmediate(resolve));
  }

  async holdLease(sessionId: string, wait: boolean): Promise<CompactionLease> {
    this.#check(sessionId);
    while (this.#isLeased()) {
      if (!wait) throw new ConflictError('This conversation is being compacted already.');
      await new Promise((resolve) => setImmediate(resolve));
    }
    const owner = createId('own');
    this.#lease = { owner, expiresAt: this.#now() + LEASE_MS };
    return {
      owner,
      [Symbol.asyncDispose]: () => {
        if (this.#lease?.owner === owner) this.#lease = null;
        return Promise.resolve();
      },
    };
  }

  #isLeased(): boolean {
    return this.#lease !== null && this.#lease.expiresAt > this.#now();
  }

  #check(sessionId: string): void {
    if (sessionId !== this.sessionId) throw new NotFoundError('session', sessionId);
  }

  #standing(): CompactionRecord | undefined {
    return this.list().find(({ status, strategy }) => status === 'completed' && strategy !== PRUNE_STRATEGY);
  }

  #restore({ id, prunedPartIds }: CompactionRecord): void {
    const others = this.#records.filter((record) => record.status === 'completed' && record.id !== id);
    this.#mapParts((part) => {
      if (!prunedPartIds.includes(part.id)) return part;
      const mark = others.findLast((record) => this.#marks.get(record.id)?.has(part.id));
      if (mark) return { ...part, ...this.#marks.get(mark.id)?.get(part.id) };
      return { ...part, compactedAt: null, excerptChars: null, tokens: part.originalTokens, originalTokens: null };
    });
  }

  #mapParts(change: (part: Part) => Part): void {
    this.#messages = this.#messages.map((message) => ({ ...message, parts: message.parts.map(change) }));
  }

  #record(
    record: Pick<CompactionRecord, 'round' | 'strategy' | 'trigger' | 'tokensBefore' | 'tokensAfter' | 'createdAt'> &
      Partial<CompactionRecord>,
  ): CompactionRecord {
    const full: CompactionRecord = {
      id: createId('cmp'),
      sessionId: this.sessionId,
      status: 'completed',
      messagesCompacted: 0,
      compactedMessageIds: [],
      prunedPartIds: [],
      keptBeforeSummary: [],
      keptAfterSummary: [],
      firstKeptMessageId: null,
      summaryMessageId: null,
      modelId: null,
      contextWindow: null,
      durationMs: 0,
      usage: null,
      error: null,
      ...record,
    };
    this.#records.push(full);
    return full;
  }

  #toMessage(draft: NewMessage, seq: number, createdAt: number, isSummary: boolean): Message {
    const id = draft.id ?? createId('msg');
    const { sessionId } = this;
    return {
      id,
      sessionId,
      seq,
      role: draft.role,
      status: draft.status ?? 'complete',
      isSummary,
      parentId: draft.parentId ?? null,
      turnId: draft.turnId ?? null,
      modelId: draft.modelId ?? null,
      finishReason: null,
      error: null,
      usage: null,
      metadata: null,
      createdAt,
      parts: draft.parts.map((part, order) => toPart(part, { messageId: id, sessionId, order, createdAt })),
    };
  }
}

function toPart(part: NewPart, place: Pick<Part, 'messageId' | 'sessionId' | 'order' | 'createdAt'>): Part {
  const state = { originalTokens: null, compactedAt: null, excerptChars: null };
  return { id: createId('prt'), ...place, ...state, state: 'completed', ...part, tokens: part.tokens ?? null };
}
