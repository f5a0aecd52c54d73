import { serverText } from '#server/core/messages/server-text';
import { errorFields } from '#server/core/message-data';
import { NO_GAIN, type CompactionRecord, type CompactionFigures } from '#server/core/conversation/compactions';
import { PRUNE_STRATEGY } from '#server/core/conversation/labels';
import { ConflictError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { type Preference, type NewPreference, sameQuote } from '#server/core/conversation/preferences';
import type { Message, NewMessage } from '#server/core/conversation/messages';
import type { NewPart, Part } from '#server/core/conversation/parts';
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

/** State of a part after a prune. */
export interface Mark {
  readonly compactedAt: Part['compactedAt'];
  readonly tokens: Part['tokens'];
  readonly excerptChars: Part['excerptChars'];
}

/** Where a part belongs. */
export interface PartPlace {
  readonly messageId: string;
  readonly sessionId: string;
  readonly order: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A session in memory, for a single caller. It behaves like a stored session; a test compares the two. */
export class InMemorySession implements EngineSession {
  readonly id: string;
  protected readonly now: () => number;
  protected messages: Message[] = [];
  protected records: CompactionRecord[] = [];
  /** Completed compactions, including those whose record was deleted. */
  protected compactionCount = 0;
  protected pause: SummarizerPause | null = null;
  #preferences: readonly Preference[] = [];

  /** @param now epoch milliseconds */
  constructor(now: () => number, id: string) {
    this.now = now;
    this.id = id;
  }

  /** Appends messages. */
  appendMany(messages: readonly NewMessage[]): Message[] {
    const createdAt = this.now();
    return messages.map((message) => this.store(message, createdAt));
  }

  /** All messages except summaries. */
  originals(): Message[] {
    return this.messages.filter((message) => !message.isSummary);
  }

  /** Compaction records, newest first. */
  list(): CompactionRecord[] {
    return this.records
      .map((record, index) => ({ record, index }))
      .toSorted((a, b) => b.record.createdAt - a.record.createdAt || b.index - a.index)
      .map(({ record }) => record);
  }

  loadView(): Promise<StoredView> {
    const said = this.originals();
    const standing = this.standing();
    const summary = this.messages.find(({ id }) => id === standing?.summaryMessageId) ?? null;
    if (!standing || !summary) return Promise.resolve({ leading: [], summary: null, kept: [], messages: said });
    const first = this.messages.find(({ id }) => id === standing.firstKeptMessageId);
    const fromSeq = standing.firstKeptMessageId === null ? summary.seq + 1 : (first?.seq ?? 0);
    const byIds = (ids: readonly string[]) => this.messages.filter(({ id }) => ids.includes(id));
    return Promise.resolve({
      leading: byIds(standing.keptBeforeSummary),
      summary,
      kept: byIds(standing.keptAfterSummary),
      messages: said.filter(({ seq }) => seq >= fromSeq),
    });
  }

  viewVersion(): Promise<string> {
    const records = this.records.filter(({ status }) => status !== 'failed');
    const undone = records.filter(({ status }) => status === 'undone');
    return Promise.resolve([records.length, undone.length, records.at(-1)?.id].join(' '));
  }

  loadBefore(seq: number): Promise<Message[]> {
    return Promise.resolve(this.originals().filter((message) => message.seq < seq));
  }

  pastCompactions() {
    const newest = this.list().filter(
      ({ status, strategy, errorMessage }) =>
        strategy !== PRUNE_STRATEGY &&
        (status === 'completed' || (status === 'failed' && errorMessage?.code === NO_GAIN)),
    );
    return Promise.resolve({
      count: this.compactionCount,
      newest: newest.slice(0, PAST_COMPACTIONS),
      pause: this.pause,
    });
  }

  preferences(): Promise<readonly Preference[]> {
    return Promise.resolve(this.#preferences);
  }

  /** Always empty: no tool here can remove a preference. */
  removedPreferences(): Promise<readonly Preference[]> {
    return Promise.resolve([]);
  }

  addPreferences(quotes: readonly NewPreference[]): Promise<void> {
    for (const preference of quotes) {
      if (this.#preferences.some(({ quote }) => sameQuote(quote, preference.quote))) continue;
      this.#preferences = [
        ...this.#preferences,
        { confirmedAt: null, ...preference, id: createId('kep'), createdAt: this.now() },
      ];
    }
    return Promise.resolve();
  }

  async saveCompaction(_lease: CompactionLease, commit: CompactionCommit): Promise<{ id: string }> {
    const createdAt = this.now();
    const { summary, narrative, summaryTokens, workingContext: _, previousSummaryId, error, ...figures } = commit;
    if (((await this.loadView()).summary?.id ?? null) !== previousSummaryId) {
      throw new ConflictError(serverText('compaction-taken-over'));
    }
    const messagesCompacted = commit.compactedMessageIds.length;
    const marker = {
      summary,
      narrative: narrative ?? '',
      compactedAt: createdAt,
      messagesCompacted,
      originalTokens: commit.tokensBefore,
      round: commit.round,
    };
    const part: NewPart = { type: 'compaction-marker', content: marker, tokens: summaryTokens };
    const message = this.store({ role: 'assistant', modelId: commit.modelId, parts: [part] }, createdAt, true);
    this.compactionCount += 1;
    return this.record({
      ...figures,
      ...errorFields(error),
      messagesCompacted,
      summaryMessageId: message.id,
      createdAt,
    });
  }

  async saveFailure({ error, ...failure }: CompactionFailure): Promise<void> {
    const round = this.compactionCount + 1;
    const tokensAfter = failure.tokensBefore;
    this.record({ ...failure, round, status: 'failed', tokensAfter, ...errorFields(error), createdAt: this.now() });
  }

  async savePrune({ parts, ...prune }: PruneCommit): Promise<{ id: string }> {
    const createdAt = this.now();
    const marks = this.mark(parts, createdAt);
    const prunedPartIds = [...new Set(parts.map(({ partId }) => partId))].filter((id) => marks.has(id));
    const round = this.compactionCount + 1;
    return this.record({ ...prune, round, strategy: PRUNE_STRATEGY, prunedPartIds, createdAt }, marks);
  }

  savePause(pause: SummarizerPause | null): Promise<void> {
    this.pause = pause;
    return Promise.resolve();
  }

  settled(_signal?: AbortSignal): Promise<void> {
    return Promise.resolve();
  }

  async holdLease(_wait: boolean, _signal?: AbortSignal): Promise<CompactionLease> {
    return { owner: createId('own'), [Symbol.asyncDispose]: () => Promise.resolve() };
  }

  protected standing(): CompactionRecord | undefined {
    return this.list().find(({ status, strategy }) => status === 'completed' && strategy !== PRUNE_STRATEGY);
  }

  /**
   * Clears parts, or cuts them to an excerpt; parts that are already cleared stay so. Returns the new state of each
   * part by id.
   */
  protected mark(parts: PruneCommit['parts'], compactedAt: number): Map<string, Mark> {
    // If a part is named twice, the first entry counts.
    const byId = new Map(parts.toReversed().map((part) => [part.partId, part]));
    const marks = new Map<string, Mark>();
    this.mapParts((part) => {
      const change = byId.get(part.id);
      const isLonger = part.excerptChars !== null && (part.tokens ?? 0) > (change?.tokensAfter ?? 0);
      if (!change || (part.compactedAt !== null && !isLonger)) return part;
      const { tokensAfter: tokens, excerptChars = null } = change;
      const mark = { compactedAt, tokens, excerptChars };
      marks.set(part.id, mark);
      return { ...part, ...mark, originalTokens: part.originalTokens ?? part.tokens };
    });
    return marks;
  }

  protected mapParts(change: (part: Part) => Part): void {
    this.messages = this.messages.map((message) => ({ ...message, parts: message.parts.map(change) }));
  }

  /** @param _marks parts changed by a prune */
  protected record(
    record: CompactionFigures & Partial<CompactionRecord>,
    _marks?: ReadonlyMap<string, Mark>,
  ): CompactionRecord {
    const full: CompactionRecord = {
      id: createId('cmp'),
      sessionId: this.id,
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
      errorMessage: null,
      ...record,
    };
    this.records.push(full);
    return full;
  }

  /** Appends one message. */
  protected store(draft: NewMessage, createdAt: number, isSummary = false): Message {
    const message = this.toMessage(draft, createdAt, isSummary);
    this.messages.push(message);
    return message;
  }

  protected toPart(part: NewPart, place: PartPlace, id = createId('prt')): Part {
    const state = { originalTokens: null, compactedAt: null, excerptChars: null };
    return { id, ...place, ...state, state: 'completed', ...part, tokens: part.tokens ?? null };
  }

  private toMessage(draft: NewMessage, createdAt: number, isSummary: boolean): Message {
    const id = draft.id ?? createId('msg');
    const sessionId = this.id;
    return {
      id,
      sessionId,
      seq: this.messages.length + 1,
      role: draft.role,
      status: draft.status ?? 'complete',
      isSummary,
      parentId: draft.parentId ?? null,
      turnId: draft.turnId ?? null,
      modelId: draft.modelId ?? null,
      finishReason: draft.finishReason ?? null,
      error: draft.error ?? null,
      errorMessage: draft.errorMessage ?? null,
      usage: draft.usage ?? null,
      metadata: null,
      supersededBy: null,
      createdAt,
      parts: draft.parts.map((part, order) => this.toPart(part, { messageId: id, sessionId, order, createdAt })),
    };
  }
}
