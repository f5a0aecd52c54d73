import { errorFields } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import type { Clock } from '#server/core/process';
import { NO_GAIN, type CompactionTrigger } from '#server/core/conversation/compactions';
import type { Message, NewMessage } from '#server/core/conversation/messages';
import type { NewPart, Part, PartContent } from '#server/core/conversation/parts';
import { InMemorySession, type PartPlace } from '#server/conversation/store/in-memory-session';
import { createBoundedCache } from '#server/core/bounded-map';
import { MESSAGE_OVERHEAD, tokensOf, withTokens } from '#server/context/part-tokens';
import type {
  CompactionCommit,
  CompactionFailure,
  CompactionLease,
  PruneCommit,
  SummarizerPause,
} from '#server/context/ports';
import { type StoredView, verbatimMessages } from '#server/context/view';
import type { CompactionCache } from '#server/integrations/openai/compaction-cache';
import type {
  CachedCompaction,
  CachedFailure,
  CachedPrune,
  CachedRound,
} from '#server/integrations/openai/cached-rounds';
import { type KnownPrefixes, PrefixHashes } from '#server/integrations/openai/prefix-hashes';
import { isRequest } from '#server/core/conversation/part-text';

/** The id of every such session: each call has its own. */
const SESSION_ID = 'ses_conversation';

/** What a `ClientSession` is opened with. */
export interface ClientConversation extends Clock {
  readonly ownerId: string;
  /** All messages sent by the client. */
  readonly messages: readonly NewMessage[];
  /** Context window to fit into, tokens. */
  readonly contextWindow: number;
  readonly rounds: CompactionCache;
}

/**
 * The session of one call, in memory. Ids are hashes of the content, so that rounds stored by earlier calls with the same
 * beginning (`CompactionCache`) apply to this one; its own rounds are stored for later calls.
 */
export class ClientSession extends InMemorySession {
  readonly #contextWindow: number;
  readonly #rounds: CompactionCache;
  readonly #hashing: PrefixHashes;
  readonly #prefixes: KnownPrefixes;
  /** Record of the stored compaction that was restored last. */
  #restoredId: string | null = null;
  readonly #knownFutile = new Set<string>();
  /** Messages at the beginning that the newest summary covers, and their tokens as sent. */
  #covered = { messages: 0, tokens: 0 };
  /** The same, counting only messages that the client sent: later calls begin with these. */
  #clientCovered = { messages: 0, tokens: 0 };

  constructor({ ownerId, messages, contextWindow, rounds, now }: ClientConversation) {
    super(now, SESSION_ID);
    this.#contextWindow = contextWindow;
    this.#rounds = rounds;
    this.pause = rounds.pauses.get(ownerId) ?? null;
    this.#hashing = new PrefixHashes(ownerId);
    const hashes = this.appendMany(messages).map(({ id }) => hashOf(id));
    const request = this.messages.findLastIndex(isRequest);
    this.#prefixes = { ownerId, hashes, beforeRequest: hashes[request - 1] ?? hashes.at(-1) ?? '' };
  }

  override appendMany(messages: readonly NewMessage[]): Message[] {
    return super.appendMany(messages.map((message) => ({ ...message, id: `msg_${this.#hashing.add(message)}` })));
  }

  /**
   * The summary in the view: its round, the number of messages that it replaces, and whether an earlier call wrote it.
   */
  get summarized(): { readonly round: number; readonly messages: number; readonly isKept: boolean } | null {
    const standing = this.standing();
    if (!standing) return null;
    const visible = standing.keptBeforeSummary.length + standing.keptAfterSummary.length;
    const messages = this.#covered.messages - visible;
    return { round: standing.round, messages, isKept: standing.id === this.#restoredId };
  }

  /** Number of parts of the view that were cleared or cut. */
  async prunedParts(): Promise<number> {
    const visible = verbatimMessages(await this.loadView());
    return visible.flatMap(({ parts }) => parts).filter(({ compactedAt }) => compactedAt !== null).length;
  }

  /** Tokens of the whole conversation as sent, in the stored vocabulary. */
  sentTokens(): number {
    return this.#covered.tokens + sentTokens(this.#countedFrom(this.#covered.messages));
  }

  /**
   * Restores the rounds of earlier calls with the same beginning. Omits rounds that were made for a smaller context
   * window if the conversation fits without them.
   * @param isDue whether this many tokens, in the stored vocabulary, would have to be compacted
   */
  async restore(isDue: (tokens: number) => boolean): Promise<void> {
    const found = await this.#rounds.find(this.#prefixes);
    const isForSmaller = (round: CachedRound) => round.contextWindow < this.#contextWindow;
    const fitsWithout = found.some(isForSmaller) && !isDue(this.#wholeTokens(found));
    const applied = fitsWithout ? found.filter((round) => !isForSmaller(round)) : found;
    this.#restoreCompaction(applied.filter((round) => round.kind === 'compaction'));
    for (const round of applied) {
      if (round.kind === 'prune') this.#restorePrune(round);
      if (round.kind === 'futile') this.#restoreFutile(round);
    }
  }

  override loadView(): Promise<StoredView> {
    this.#count();
    return super.loadView();
  }

  override async saveCompaction(lease: CompactionLease, commit: CompactionCommit): Promise<{ id: string }> {
    const saved = await super.saveCompaction(lease, commit);
    const end = this.originals().findIndex(({ id }) => id === commit.firstKeptMessageId);
    // The next call sends a response that was cut as one message, after the messages of this call.
    const covered = Math.min(end, this.#prefixes.hashes.length);
    const coveredTokens = this.#tokensOfFirst(covered);
    this.#covered = { messages: end, tokens: this.#tokensOfFirst(end) };
    this.#clientCovered = { messages: covered, tokens: coveredTokens };
    const ofClient = new Set(this.#prefixes.hashes.map((hash) => `msg_${hash}`));
    const { round, strategy, tokensBefore, tokensAfter, summary, narrative, summaryTokens, modelId } = commit;
    await this.#storeRound({
      kind: 'compaction',
      covered,
      contextWindow: commit.contextWindow,
      at: this.now(),
      round,
      strategy,
      trigger: storedTrigger(commit.trigger),
      tokensBefore,
      tokensAfter,
      messagesCompacted: commit.compactedMessageIds.length,
      keptBefore: commit.keptBeforeSummary.filter((id) => ofClient.has(id)),
      keptAfter: commit.keptAfterSummary.filter((id) => ofClient.has(id)),
      summary,
      narrative: narrative ?? '',
      summaryTokens,
      coveredTokens,
      modelId,
    });
    return saved;
  }

  override async savePause(pause: SummarizerPause | null): Promise<void> {
    await super.savePause(pause);
    // For another conversation, the compaction number has no meaning.
    if (pause) this.#rounds.pauses.set(this.#prefixes.ownerId, { ...pause, round: undefined });
    else this.#rounds.pauses.delete(this.#prefixes.ownerId);
  }

  override async saveFailure(failure: CompactionFailure): Promise<void> {
    await super.saveFailure(failure);
    if (failure.error.code !== NO_GAIN) return;
    const { strategy, tokensBefore, contextWindow } = failure;
    const trigger = storedTrigger(failure.trigger);
    const covered = this.#prefixes.hashes.length;
    await this.#storeRound({ kind: 'futile', covered, contextWindow, at: this.now(), strategy, trigger, tokensBefore });
  }

  override async savePrune(commit: PruneCommit): Promise<{ id: string }> {
    const saved = await super.savePrune(commit);
    const places = new Map(
      this.originals()
        .slice(0, this.#prefixes.hashes.length)
        .flatMap(({ parts }, index) => parts.map(({ id }) => [id, index + 1] as const)),
    );
    const parts = commit.parts.filter(({ partId }) => places.has(partId));
    if (parts.length === 0) return saved;
    const covered = Math.max(...parts.map(({ partId }) => places.get(partId) ?? 0));
    const marks = parts.map((part) => ({ ...part }));
    await this.#storeRound({
      kind: 'prune',
      covered,
      contextWindow: this.#contextWindow,
      at: this.now(),
      parts: marks,
    });
    return saved;
  }

  override async holdLease(wait: boolean, signal?: AbortSignal): Promise<CompactionLease> {
    const lease = await this.#rounds.hold(this.#prefixes, wait, signal);
    // Another call may have compacted the conversation in the meantime.
    await this.restore(() => true);
    return lease;
  }

  protected override toPart(part: NewPart, place: PartPlace): Part {
    const id = `prt_${hashOf(place.messageId)}_${place.order}`;
    return { ...super.toPart(part, place, id), isRecallable: false };
  }

  /** Stores a round, unless it covers more than the client's messages: then no later call could use it. */
  async #storeRound(round: CachedRound): Promise<void> {
    if (round.covered > 0 && round.covered <= this.#prefixes.hashes.length) {
      await this.#rounds.keep(this.#prefixes, round);
    }
  }

  /** Restores the stored compaction that covers the most messages, if it covers more than the present one. */
  #restoreCompaction(found: readonly CachedCompaction[]): void {
    const usable = found.filter((round) => round.covered > this.#covered.messages && this.#keepsRequest(round));
    const chosen = usable.toSorted((a, b) => a.covered - b.covered || a.at - b.at).at(-1);
    if (!chosen) return;
    for (const round of found.filter((each) => each.round < chosen.round)) this.#recordRestored(round, {});
    const { summary, narrative, at, messagesCompacted, round, tokensBefore, summaryTokens: tokens } = chosen;
    const texts = { summary, narrative: narrative ?? undefined };
    const marker = { ...texts, compactedAt: at, messagesCompacted, originalTokens: tokensBefore, round };
    const part: NewPart = { type: 'compaction-marker', content: marker, tokens };
    const id = `msg_${this.#prefixes.hashes[chosen.covered - 1]}_summary`;
    const message = this.store({ id, role: 'assistant', modelId: chosen.modelId, parts: [part] }, at, true);
    const firstKept = this.originals()[chosen.covered];
    this.#restoredId = this.#recordRestored(chosen, {
      summaryMessageId: message.id,
      firstKeptMessageId: firstKept?.id ?? null,
      keptBeforeSummary: chosen.keptBefore,
      keptAfterSummary: chosen.keptAfter,
    });
    this.#covered = { messages: chosen.covered, tokens: chosen.coveredTokens };
    this.#clientCovered = this.#covered;
    this.compactionCount = Math.max(this.compactionCount, round);
  }

  /** Records a stored compaction in this session; `more` names its messages. Returns the id of the record. */
  #recordRestored(round: CachedCompaction, more: object): string {
    const { strategy, trigger, tokensBefore, tokensAfter, messagesCompacted, contextWindow, modelId } = round;
    const figures = { strategy, trigger, tokensBefore, tokensAfter, messagesCompacted, contextWindow, modelId };
    return this.record({ ...figures, round: round.round, createdAt: round.at, ...more }).id;
  }

  #restorePrune({ parts, at }: CachedPrune): void {
    this.#count();
    this.mark(
      parts.map(({ partId, tokensAfter, excerptChars }) => ({
        partId,
        tokensAfter,
        ...(excerptChars !== undefined && { excerptChars }),
      })),
      at,
    );
  }

  #restoreFutile({ at, covered, strategy, trigger, tokensBefore, contextWindow }: CachedFailure): void {
    const name = `${covered} ${at}`;
    if (this.#knownFutile.has(name)) return;
    this.#knownFutile.add(name);
    const figures = { strategy, trigger, tokensBefore, tokensAfter: tokensBefore, contextWindow };
    const error = errorFields(serverText(NO_GAIN, { attempts: null }));
    this.record({ ...figures, ...error, round: this.compactionCount + 1, status: 'failed', createdAt: at });
  }

  /** True if the newest request stays visible: a client may have removed the messages after it. */
  #keepsRequest({ covered, keptBefore, keptAfter }: CachedCompaction): boolean {
    const originals = this.originals();
    const index = originals.findLastIndex(isRequest);
    const id = originals[index]?.id;
    return (
      covered < originals.length && (id === undefined || index >= covered || [...keptBefore, ...keptAfter].includes(id))
    );
  }

  /** Tokens of the conversation as sent, taken from rounds if they contain the count. */
  #wholeTokens(found: readonly CachedRound[]): number {
    const known = found
      .filter((round) => round.kind === 'compaction')
      .toSorted((a, b) => a.covered - b.covered)
      .at(-1);
    if (!known || known.covered <= this.#covered.messages) return this.sentTokens();
    return known.coveredTokens + sentTokens(this.#countedFrom(known.covered));
  }

  /** Counts the tokens of the messages in the view; skips messages that a summary replaces. */
  #count(): void {
    const standing = this.standing();
    const kept = new Set([...(standing?.keptBeforeSummary ?? []), ...(standing?.keptAfterSummary ?? [])]);
    let position = 0;
    this.messages = this.messages.map((message) => {
      if (message.isSummary) return message;
      position += 1;
      return position > this.#covered.messages || kept.has(message.id) ? counted(message) : message;
    });
  }

  /** Tokens as sent of the first `count` messages, at least of those that a summary covers. */
  #tokensOfFirst(count: number): number {
    const known = count < this.#covered.messages ? this.#clientCovered : this.#covered;
    const more = Math.max(0, count - known.messages);
    return known.tokens + sentTokens(this.#countedFrom(known.messages).slice(0, more));
  }

  /** The messages from `index` on, each with its tokens. */
  #countedFrom(index: number): Message[] {
    return this.originals().slice(index).map(counted);
  }
}

/** Token counts by part id: a growing conversation sends the same parts in every call. */
const known = createBoundedCache<{ tokens: number | null; size: object }>(50_000);

function counted(message: Message): Message {
  if (message.parts.every(({ tokens }) => tokens !== null)) return message;
  return { ...message, parts: message.parts.map(countedPart) };
}

function countedPart(part: Part): Part {
  if (part.tokens !== null) return part;
  const { tokens, size } = known(part.id, () => {
    const { content, tokens: count } = withTokens({ ...part, tokens: 0 });
    return { tokens: count, size: part.type === 'file' ? sizeOf(content as PartContent<'file'>) : {} };
  });
  return { ...part, tokens, content: { ...part.content, ...size } } as Part;
}

function sizeOf({ width, height, pages }: PartContent<'file'>): object {
  return { ...(width && { width }), ...(height && { height }), ...(pages && { pages }) };
}

function hashOf(messageId: string): string {
  return messageId.slice('msg_'.length);
}

/** Tokens of messages before any pruning. */
function sentTokens(messages: readonly Message[]): number {
  const ofMessage = ({ parts }: Message) =>
    parts.reduce((sum, part) => sum + (part.originalTokens ?? tokensOf(part)), MESSAGE_OVERHEAD);
  return messages.reduce((sum, message) => sum + ofMessage(message), 0);
}

/** The trigger to store: the prunes at the end of a turn and in the background do not happen here. */
function storedTrigger(trigger: CompactionTrigger) {
  return trigger === 'turn-end' || trigger === 'background' ? 'threshold' : trigger;
}
