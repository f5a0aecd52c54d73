import type { UIMessageChunk } from 'ai';
import type { CompactionRecord } from '#server/core/compactions';
import type { Message } from '#server/core/messages';
import { turnTopic, type Signals } from '#server/core/signals';
import type { Turn } from '#server/core/turns';
import { diffTurn } from '#server/agent/diff-turn';
import { followStore } from '#server/agent/follow-store';
import type { TurnStore } from '#server/core/turn-store';
import { type ThroughlineUIMessage, toUIMessages } from '#server/agent/ui-messages';

/** What a turn that another process runs is read from. */
export interface StoredTurnSource {
  readonly turns: Pick<TurnStore, 'running' | 'find' | 'approvals'>;
  readonly messages: {
    find(id: string): Promise<Message | null>;
    /** From that `seq` on, summaries included, in order. */
    loadFrom(sessionId: string, seq: number): Promise<Message[]>;
  };
  readonly compactions: { list(sessionId: string): Promise<CompactionRecord[]> };
  readonly signals: Pick<Signals, 'subscribe'>;
  /** How often it is read without a signal; milliseconds. Default 2,000. */
  readonly pollMs?: number;
}

/**
 * The running turn of a session, whichever process runs it: what is stored of it from its start on, then what is added,
 * until it ends. Folds into the message that a reload shows. Ends at once, with nothing but `finish`, when none runs.
 * @param signal ends the stream, not the turn
 */
export function followStoredTurn(
  source: StoredTurnSource,
  sessionId: string,
  signal?: AbortSignal,
): ReadableStream<UIMessageChunk> {
  const reader = new StoredTurnReader(source, sessionId);
  const { signals, pollMs } = source;
  return followStore({ signals, topic: turnTopic(sessionId), read: () => reader.read(), signal, pollMs });
}

class StoredTurnReader {
  readonly #source: StoredTurnSource;
  readonly #sessionId: string;
  /** Where the turn begins; null until it is known. */
  #start: { readonly turnId: string; readonly seq: number } | null = null;
  #emitted: ThroughlineUIMessage | null = null;

  constructor(source: StoredTurnSource, sessionId: string) {
    this.#source = source;
    this.#sessionId = sessionId;
  }

  async read(): Promise<{ items: UIMessageChunk[]; isLast: boolean }> {
    // Before its messages: of a turn that is seen to have ended, all is read.
    const turn = await this.#readTurn();
    const answer = turn && (await this.#readAnswer(turn));
    const isRunning = turn?.status === 'running';
    const items = answer ? this.#news(answer, isRunning) : [];
    if (!isRunning) items.push(...endOf(turn, answer));
    return { items, isLast: !isRunning };
  }

  async #readTurn(): Promise<Turn | null> {
    const { turns, messages } = this.#source;
    if (this.#start) return turns.find(this.#start.turnId);
    const turn = await turns.running(this.#sessionId);
    const request = turn && (await messages.find(turn.userMessageId));
    if (!request) return null;
    this.#start = { turnId: turn.id, seq: request.seq };
    return turn;
  }

  /** Null while it has no id: a summary may be stored before the first word of the answer. */
  async #readAnswer(turn: Turn): Promise<ThroughlineUIMessage | null> {
    const { turns, messages, compactions } = this.#source;
    const stored = await messages.loadFrom(this.#sessionId, this.#start?.seq ?? 0);
    const ofTurn = untilNextTurn(stored, turn.id);
    if (!ofTurn.some(({ role, isSummary }) => role === 'assistant' && !isSummary)) return null;
    const isCompacted = ofTurn.some(({ isSummary }) => isSummary);
    const records = isCompacted ? await compactions.list(this.#sessionId) : [];
    const approvals = turn.status === 'waiting_approval' ? await turns.approvals(turn.id) : [];
    return toUIMessages(ofTurn, records, approvals).find(({ role }) => role === 'assistant') ?? null;
  }

  #news(answer: ThroughlineUIMessage, isRunning: boolean): UIMessageChunk[] {
    // Between two steps all that is stored is complete, and the answer is not.
    const shown =
      isRunning && answer.metadata
        ? { ...answer, metadata: { ...answer.metadata, status: 'streaming' as const } }
        : answer;
    const { chunks, emitted } = diffTurn(this.#emitted, shown);
    this.#emitted = emitted;
    return chunks;
  }
}

function untilNextTurn(messages: readonly Message[], turnId: string): readonly Message[] {
  const end = messages.findIndex((message) => message.turnId !== null && message.turnId !== turnId);
  return end === -1 ? messages : messages.slice(0, end);
}

function endOf(turn: Turn | null, answer: ThroughlineUIMessage | null): UIMessageChunk[] {
  const error: UIMessageChunk[] = turn?.error ? [{ type: 'error', errorText: turn.error }] : [];
  return [...error, { type: 'finish', ...(answer && { messageMetadata: answer.metadata }) }];
}
