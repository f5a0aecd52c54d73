import type { UIMessageChunk } from 'ai';
import { answerChunks, withoutOpenParts } from '#server/conversation/events/answer-chunks';
import { compactionsAmong, deniedCalls, type SummarizedBy } from '#server/conversation/events/load-transcript';
import { type ThroughlineUIMessage, toUIMessages } from '#server/conversation/step/ui-messages';
import type { Approval } from '#server/core/conversation/approvals';
import type { Message } from '#server/core/conversation/messages';
import type { Turn } from '#server/core/conversation/turns';
import type { TurnStore } from '#server/core/conversation/turn-store';

/** The stores that a turn is read from. */
export interface StoredTurnSource {
  readonly turns: Pick<TurnStore, 'find' | 'approvals'>;
  readonly messages: {
    find(id: string): Promise<Message | null>;
    /** Messages from that `seq` on, including summaries, in order. */
    loadFrom(sessionId: string, seq: number): Promise<Message[]>;
  };
  readonly compactions: SummarizedBy;
}

/** A turn as it is stored. */
export class StoredTurn {
  readonly #source: StoredTurnSource;
  readonly #turn: Turn;
  /** Sequence number of the turn's first message; null until it is known. */
  #firstSeq: number | null = null;

  constructor(source: StoredTurnSource, turn: Turn) {
    this.#source = source;
    this.#turn = turn;
  }

  /**
   * The chunks of the answer from its start on: while the turn runs, those of its complete parts; afterwards all of
   * them, with `finish` at the end. They add up to the message that a reload shows. A deleted session has only `finish`.
   */
  async read(): Promise<{ readonly chunks: UIMessageChunk[]; readonly hasEnded: boolean }> {
    // Read before the messages: once the turn is seen as ended, all of its messages are read.
    const turn = await this.#source.turns.find(this.#turn.id);
    const answer = turn && (await this.#readAnswer(turn));
    if (turn?.status === 'running') return { chunks: answer ? runningChunks(answer) : [], hasEnded: false };
    const error: UIMessageChunk[] = turn?.error ? [{ type: 'error', errorText: turn.error }] : [];
    const end: UIMessageChunk = { type: 'finish', ...(answer && { messageMetadata: answer.metadata }) };
    return { chunks: [...(answer ? answerChunks(answer) : []), ...error, end], hasEnded: true };
  }

  /** Null while the answer has no id: a summary may be stored before the first text of the answer. */
  async #readAnswer(turn: Turn): Promise<ThroughlineUIMessage | null> {
    const { messages, compactions } = this.#source;
    this.#firstSeq ??= (await messages.find(turn.userMessageId))?.seq ?? null;
    const stored = await messages.loadFrom(turn.sessionId, this.#firstSeq ?? 0);
    const ofTurn = untilNextTurn(stored, turn.id);
    if (!ofTurn.some(({ role, isSummary }) => role === 'assistant' && !isSummary)) return null;
    const records = await compactionsAmong(compactions, turn.sessionId, ofTurn);
    const approvals = await this.#approvals(turn, deniedCalls(ofTurn));
    return toUIMessages(ofTurn, records, approvals).find(({ role }) => role === 'assistant') ?? null;
  }

  /** All approvals of a waiting turn, and those of the denied calls of another one. */
  async #approvals(turn: Turn, denied: readonly string[]): Promise<readonly Approval[]> {
    const isWaiting = turn.status === 'waiting_approval';
    if (!isWaiting && denied.length === 0) return [];
    const approvals = await this.#source.turns.approvals(turn.id);
    return isWaiting ? approvals : approvals.filter(({ partId }) => denied.includes(partId));
  }
}

/** Between two steps all stored parts are complete, but the answer is not. */
function runningChunks(answer: ThroughlineUIMessage): UIMessageChunk[] {
  const { metadata } = answer;
  const shown: ThroughlineUIMessage = metadata ? { ...answer, metadata: { ...metadata, status: 'streaming' } } : answer;
  return answerChunks(withoutOpenParts(shown));
}

function untilNextTurn(messages: readonly Message[], turnId: string): readonly Message[] {
  const end = messages.findIndex((message) => message.turnId !== null && message.turnId !== turnId);
  return end === -1 ? messages : messages.slice(0, end);
}
