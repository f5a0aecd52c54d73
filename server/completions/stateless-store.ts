import { NO_GAIN, type CompactionTrigger } from '#server/core/compactions';
import type { Message, NewMessage } from '#server/core/messages';
import type { NewPart, Part, PartContent } from '#server/core/parts';
import { createBoundedCache } from '#server/core/bounded-map';
import { MESSAGE_OVERHEAD, tokensOf, withTokens } from '#server/context/part-tokens';
import { isRequest } from '#server/context/strategies';
import type {
  CompactionCommit,
  CompactionFailure,
  CompactionLease,
  PruneCommit,
  SummarizerPause,
} from '#server/context/ports';
import { type StoredView, verbatimMessages } from '#server/context/view';
import { ConversationContextStore } from '#server/completions/conversation-context-store';
import {
  type KeptCompaction,
  type KeptFutile,
  type KeptPrune,
  type KeptRound,
  type KeptRounds,
  type KnownPrefixes,
  PrefixHashes,
} from '#server/completions/kept-rounds';

/** Session id of the store's only conversation. */
export const CONVERSATION_ID = 'ses_conversation';

export interface StatelessConversation {
  readonly ownerId: string;
  /** All messages sent by the client. */
  readonly messages: readonly NewMessage[];
  /** Window to fit into, tokens. */
  readonly contextWindow: number;
  readonly rounds: KeptRounds;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * The context store of one call. Ids are hashes of the content, so that rounds kept by earlier calls with the same
 * beginning (`KeptRounds`) apply to this one; its own rounds are kept for later calls.
 */
export class StatelessStore extends ConversationContextStore {
  readonly #contextWindow: number;
  readonly #rounds: KeptRounds;
  readonly #hashing: PrefixHashes;
  readonly #prefixes: KnownPrefixes;
  /** Record of the kept compaction restored last. */
  #restoredId: string | null = null;
  readonly #knownFutile = new Set<string>();
  /** Messages, and their tokens as sent, that the newest summary replaces. */
  #covered = { messages: 0, tokens: 0 };
  /** Covered messages and tokens of the client's own messages only. */
  #keptCovered = { messages: 0, tokens: 0 };

  constructor({ ownerId, messages, contextWindow, rounds, now }: StatelessConversation) {
    super(now, CONVERSATION_ID);
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

  /** The summary of the view: its round, the number of messages it replaces, and whether an earlier call wrote it. */
  get summarized(): { readonly round: number; readonly messages: number; readonly isKept: boolean } | null {
    const standing = this.standing();
    if (!standing) return null;
    const shown = standing.keptBeforeSummary.length + standing.keptAfterSummary.length;
    const messages = this.#covered.messages - shown;
    return { round: standing.round, messages, isKept: standing.id === this.#restoredId };
  }

  /** Number of parts of the view cleared or cut. */
  async prunedParts(): Promise<number> {
    const shown = verbatimMessages(await this.loadView(CONVERSATION_ID));
    return shown.flatMap(({ parts }) => parts).filter(({ compactedAt }) => compactedAt !== null).length;
  }

  /** Tokens of the whole conversation as it was sent, in the stored vocabulary. */
  sentTokens(): number {
    return this.#covered.tokens + sentTokens(this.#countedFrom(this.#covered.messages));
  }

  /**
   * Restores the rounds of earlier calls with the same beginning. Rounds made for a smaller window are left out if the
   * conversation fits without them.
   * @param isDue whether this many tokens, in the stored vocabulary, would have to be compacted
   */
  async restore(isDue: (tokens: number) => boolean): Promise<void> {
    const found = await this.#rounds.find(this.#prefixes);
    const isForSmaller = (round: KeptRound) => round.contextWindow < this.#contextWindow;
    const isWhole = found.some(isForSmaller) && !isDue(this.#wholeTokens(found));
    const holding = isWhole ? found.filter((round) => !isForSmaller(round)) : found;
    this.#restoreCompaction(holding.filter((round) => round.kind === 'compaction'));
    for (const round of holding) {
      if (round.kind === 'prune') this.#restorePrune(round);
      if (round.kind === 'futile') this.#restoreFutile(round);
    }
  }

  override loadView(sessionId: string): Promise<StoredView> {
    this.#count();
    return super.loadView(sessionId);
  }

  override async saveCompaction(
    sessionId: string,
    lease: Pick<CompactionLease, 'owner'>,
    commit: CompactionCommit,
  ): Promise<{ id: string }> {
    const saved = await super.saveCompaction(sessionId, lease, commit);
    const end = this.originals().findIndex(({ id }) => id === commit.firstKeptMessageId);
    // The next call sends a cut answer whole, after the messages of this call.
    const covered = Math.min(end, this.#prefixes.hashes.length);
    const coveredTokens = this.#tokensOfFirst(covered);
    this.#covered = { messages: end, tokens: this.#tokensOfFirst(end) };
    this.#keptCovered = { messages: covered, tokens: coveredTokens };
    const ofClient = new Set(this.#prefixes.hashes.map((hash) => `msg_${hash}`));
    const { round, strategy, tokensBefore, tokensAfter, summary, narrative, summaryTokens, modelId } = commit;
    await this.#keep({
      kind: 'compaction',
      covered,
      contextWindow: commit.contextWindow,
      at: this.now(),
      round,
      strategy,
      trigger: keptTrigger(commit.trigger),
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

  override async savePause(sessionId: string, pause: SummarizerPause | null): Promise<void> {
    await super.savePause(sessionId, pause);
    // Of another conversation it is another compaction.
    if (pause) this.#rounds.pauses.set(this.#prefixes.ownerId, { ...pause, round: undefined });
    else this.#rounds.pauses.delete(this.#prefixes.ownerId);
  }

  override async saveFailure(sessionId: string, failure: CompactionFailure): Promise<void> {
    await super.saveFailure(sessionId, failure);
    if (!failure.error.startsWith(NO_GAIN)) return;
    const { strategy, tokensBefore, contextWindow } = failure;
    const trigger = keptTrigger(failure.trigger);
    const covered = this.#prefixes.hashes.length;
    await this.#keep({ kind: 'futile', covered, contextWindow, at: this.now(), strategy, trigger, tokensBefore });
  }

  override async savePrune(sessionId: string, commit: PruneCommit): Promise<{ id: string }> {
    const saved = await super.savePrune(sessionId, commit);
    const places = new Map(
      this.originals()
        .slice(0, this.#prefixes.hashes.length)
        .flatMap(({ parts }, index) => parts.map(({ id }) => [id, index + 1] as const)),
    );
    const parts = commit.parts.filter(({ partId }) => places.has(partId));
    if (parts.length === 0) return saved;
    const covered = Math.max(...parts.map(({ partId }) => places.get(partId) ?? 0));
    const marks = parts.map((part) => ({ ...part }));
    await this.#keep({ kind: 'prune', covered, contextWindow: this.#contextWindow, at: this.now(), parts: marks });
    return saved;
  }

  override async holdLease(sessionId: string, wait: boolean, signal?: AbortSignal): Promise<CompactionLease> {
    this.check(sessionId);
    const lease = await this.#rounds.hold(this.#prefixes, wait, signal);
    // Another call may have compacted the conversation meanwhile.
    await this.restore(() => true);
    return lease;
  }

  protected override toPart(part: NewPart, place: Parameters<ConversationContextStore['toPart']>[1]): Part {
    const id = `prt_${hashOf(place.messageId)}_${place.order}`;
    return { ...super.toPart(part, place, id), isRecallable: false };
  }

  /** Keeps a round, unless it goes beyond the client's messages: then no later call could use it. */
  async #keep(round: KeptRound): Promise<void> {
    if (round.covered > 0 && round.covered <= this.#prefixes.hashes.length) {
      await this.#rounds.keep(this.#prefixes, round);
    }
  }

  /** Restores the kept compaction that covers most, if it covers more than the present one. */
  #restoreCompaction(found: readonly KeptCompaction[]): void {
    const usable = found.filter((round) => round.covered > this.#covered.messages && this.#keepsRequest(round));
    const chosen = usable.toSorted((a, b) => a.covered - b.covered || a.at - b.at).at(-1);
    if (!chosen) return;
    for (const round of found.filter((each) => each.round < chosen.round)) this.#recordKept(round, {});
    const { summary, narrative, at, messagesCompacted, round, tokensBefore, summaryTokens: tokens } = chosen;
    const told = { summary, narrative: narrative ?? undefined };
    const marker = { ...told, compactedAt: at, messagesCompacted, originalTokens: tokensBefore, round };
    const part: NewPart = { type: 'compaction-marker', content: marker, tokens };
    const id = `msg_${this.#prefixes.hashes[chosen.covered - 1]}_summary`;
    const message = this.store({ id, role: 'assistant', modelId: chosen.modelId, parts: [part] }, at, true);
    const firstKept = this.originals()[chosen.covered];
    this.#restoredId = this.#recordKept(chosen, {
      summaryMessageId: message.id,
      firstKeptMessageId: firstKept?.id ?? null,
      keptBeforeSummary: chosen.keptBefore,
      keptAfterSummary: chosen.keptAfter,
    });
    this.#covered = { messages: chosen.covered, tokens: chosen.coveredTokens };
    this.#keptCovered = this.#covered;
    this.compactionCount = Math.max(this.compactionCount, round);
  }

  #recordKept(round: KeptCompaction, more: object): string {
    const { strategy, trigger, tokensBefore, tokensAfter, messagesCompacted, contextWindow, modelId } = round;
    const figures = { strategy, trigger, tokensBefore, tokensAfter, messagesCompacted, contextWindow, modelId };
    return this.record({ ...figures, round: round.round, createdAt: round.at, ...more }).id;
  }

  #restorePrune({ parts, at }: KeptPrune): void {
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

  #restoreFutile({ at, covered, strategy, trigger, tokensBefore, contextWindow }: KeptFutile): void {
    const name = `${covered} ${at}`;
    if (this.#knownFutile.has(name)) return;
    this.#knownFutile.add(name);
    const figures = { strategy, trigger, tokensBefore, tokensAfter: tokensBefore, contextWindow };
    this.record({ ...figures, round: this.compactionCount + 1, status: 'failed', error: NO_GAIN, createdAt: at });
  }

  /** True if the newest request stays visible: a client may have removed the messages after it. */
  #keepsRequest({ covered, keptBefore, keptAfter }: KeptCompaction): boolean {
    const said = this.originals();
    const index = said.findLastIndex(isRequest);
    const id = said[index]?.id;
    return (
      covered < said.length && (id === undefined || index >= covered || [...keptBefore, ...keptAfter].includes(id))
    );
  }

  /** Tokens of the conversation as sent, taken from rounds where they know them. */
  #wholeTokens(found: readonly KeptRound[]): number {
    const known = found
      .filter((round) => round.kind === 'compaction')
      .toSorted((a, b) => a.covered - b.covered)
      .at(-1);
    if (!known || known.covered <= this.#covered.messages) return this.sentTokens();
    return known.coveredTokens + sentTokens(this.#countedFrom(known.covered));
  }

  /** Counts the tokens of the messages in the view; messages replaced by a summary are skipped. */
  #count(): void {
    const standing = this.standing();
    const kept = new Set([...(standing?.keptBeforeSummary ?? []), ...(standing?.keptAfterSummary ?? [])]);
    let said = 0;
    this.messages = this.messages.map((message) => {
      if (message.isSummary) return message;
      said += 1;
      return said > this.#covered.messages || kept.has(message.id) ? counted(message) : message;
    });
  }

  /** Tokens as sent of the first `count` messages, at least those that a summary covers. */
  #tokensOfFirst(count: number): number {
    const known = count < this.#covered.messages ? this.#keptCovered : this.#covered;
    const more = Math.max(0, count - known.messages);
    return known.tokens + sentTokens(this.#countedFrom(known.messages).slice(0, more));
  }

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

/** Tokens of messages before anything was pruned. */
function sentTokens(messages: readonly Message[]): number {
  const ofMessage = ({ parts }: Message) =>
    parts.reduce((sum, part) => sum + (part.originalTokens ?? tokensOf(part)), MESSAGE_OVERHEAD);
  return messages.reduce((sum, message) => sum + ofMessage(message), 0);
}

/** The trigger as kept: prunes at the end of a turn or in the background do not happen here. */
function keptTrigger(trigger: CompactionTrigger) {
  return trigger === 'turn-end' || trigger === 'background' ? 'threshold' : trigger;
}
