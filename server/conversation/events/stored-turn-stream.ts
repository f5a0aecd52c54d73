import type { UIMessageChunk } from 'ai';
import { diffTurn } from '#server/conversation/events/diff-turn';
import { compactionsAmong, deniedCalls, type SummarizedBy } from '#server/conversation/events/load-transcript';
import { type ThroughlineUIMessage, toUIMessages } from '#server/conversation/step/ui-messages';
import type { Approval } from '#server/core/conversation/approvals';
import { type Signals, turnTopic } from '#server/core/conversation/events';
import type { Message } from '#server/core/conversation/messages';
import type { Turn } from '#server/core/conversation/turns';
import type { TurnStore } from '#server/core/conversation/turn-store';

/** The sources of a turn that another process runs. */
export interface StoredTurnSource {
  readonly turns: Pick<TurnStore, 'running' | 'find' | 'approvals'>;
  readonly messages: {
    find(id: string): Promise<Message | null>;
    /** Messages from that `seq` on, including summaries, in order. */
    loadFrom(sessionId: string, seq: number): Promise<Message[]>;
  };
  readonly compactions: SummarizedBy;
  readonly signals: Pick<Signals, 'subscribe'>;
  /** Polling interval without a signal; milliseconds. Default 2,000. */
  readonly pollMs?: number;
}

/**
 * Streams the running turn of a session, in any process: its stored parts from the start on, then new ones, until it
 * ends. The chunks add up to the message that a reload shows. If no turn runs, ends immediately with only `finish`.
 * @param of the message that began the turn; if that turn has ended, all of it is sent in one go. Default: the running
 * turn
 * @param signal ends the stream, not the turn
 */
export function followStoredTurn(
  source: StoredTurnSource,
  sessionId: string,
  { of, signal }: { readonly of?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): ReadableStream<UIMessageChunk> {
  const reader = new StoredTurnReader(source, sessionId, of);
  const { signals, pollMs } = source;
  return followStore({ signals, topic: turnTopic(sessionId), read: () => reader.read(), signal, pollMs });
}

class StoredTurnReader {
  readonly #source: StoredTurnSource;
  readonly #sessionId: string;
  /** Sequence number of the turn's first message; null until it is known. */
  #start: { readonly turnId: string; readonly seq: number } | null = null;
  #emitted: ThroughlineUIMessage | null = null;

  readonly #messageId: string | undefined;

  constructor(source: StoredTurnSource, sessionId: string, messageId: string | undefined) {
    this.#source = source;
    this.#sessionId = sessionId;
    this.#messageId = messageId;
  }

  async read(): Promise<{ items: UIMessageChunk[]; isLast: boolean }> {
    // Read before the messages: once the turn is seen as ended, all of its messages are read.
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
    const message = this.#messageId === undefined ? null : await messages.find(this.#messageId);
    const turn = await (this.#messageId === undefined
      ? turns.running(this.#sessionId)
      : message?.turnId && turns.find(message.turnId));
    // A message that joined the turn while it ran is not its first.
    const request = turn && (await messages.find(turn.userMessageId));
    if (!request) return null;
    this.#start = { turnId: turn.id, seq: request.seq };
    return turn;
  }

  /** Null while the answer has no id: a summary may be stored before the first text of the answer. */
  async #readAnswer(turn: Turn): Promise<ThroughlineUIMessage | null> {
    const { messages, compactions } = this.#source;
    const stored = await messages.loadFrom(this.#sessionId, this.#start?.seq ?? 0);
    const ofTurn = untilNextTurn(stored, turn.id);
    if (!ofTurn.some(({ role, isSummary }) => role === 'assistant' && !isSummary)) return null;
    const records = await compactionsAmong(compactions, this.#sessionId, ofTurn);
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

  #news(answer: ThroughlineUIMessage, isRunning: boolean): UIMessageChunk[] {
    // Between two steps all stored parts are complete, but the answer is not.
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

/** If a signal is lost, the change is found after this time; milliseconds. A choice, not measured. */
const POLL_MS = 2_000;

/** How a stream reads data that grows in the store. */
export interface StoreFollower<T> {
  readonly signals: Pick<Signals, 'subscribe'>;
  /** Topic of the signal that new data may be available. */
  readonly topic: string;
  /** Returns new chunks since the last call; `isLast`: no more will follow. */
  readonly read: () => Promise<{ readonly items: readonly T[]; readonly isLast: boolean }>;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; default 2,000. */
  readonly pollMs?: number | undefined;
}

/**
 * Streams data that grows in the store: reads when the reader asks, again at every signal, and periodically without
 * one. Does not read for a reader that has not consumed the previous data.
 */
export function followStore<T>({
  signals,
  topic,
  read,
  signal,
  pollMs = POLL_MS,
}: StoreFollower<T>): ReadableStream<T> {
  const bell = new Bell();
  const over = new AbortController();
  over.signal.addEventListener('abort', () => bell.ring());
  return new ReadableStream<T>(
    {
      start(controller) {
        const unsubscribe = signals.subscribe(topic, () => bell.ring());
        over.signal.addEventListener('abort', unsubscribe);
        const end = () => {
          if (over.signal.aborted) return;
          over.abort();
          controller.close();
        };
        if (signal?.aborted) return end();
        signal?.addEventListener('abort', end, { once: true, signal: over.signal });
      },
      async pull(controller) {
        while (!over.signal.aborted) {
          bell.reset();
          const { items, isLast } = await read().catch((error: unknown) => {
            over.abort();
            throw error;
          });
          if (over.signal.aborted) return;
          for (const item of items) controller.enqueue(item);
          if (isLast) {
            over.abort();
            return controller.close();
          }
          if (items.length > 0) return;
          await bell.wait(pollMs);
        }
      },
      cancel: () => over.abort(),
    },
    { highWaterMark: 0 },
  );
}

/** Wakes one sleeper; if it rang before, the sleeper wakes immediately. */
class Bell {
  #hasRung = false;
  #wake: (() => void) | null = null;

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  reset(): void {
    this.#hasRung = false;
  }

  async wait(ms: number): Promise<void> {
    if (this.#hasRung) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
      timer.unref();
    });
    clearTimeout(timer);
    this.#wake = null;
  }
}
