import type { UIMessageChunk } from 'ai';
import { diffTurn } from '#server/agent/diff-turn';
import { compactionsAmong, type SummarizedBy } from '#server/agent/load-transcript';
import { type ThroughlineUIMessage, toUIMessages } from '#server/agent/ui-messages';
import { type Signals, turnTopic } from '#server/core/events';
import type { Message } from '#server/core/messages';
import type { Turn } from '#server/core/turns';
import type { TurnStore } from '#server/core/turn-store';

/** The sources of a turn that another process runs. */
export interface StoredTurnSource {
  readonly turns: Pick<TurnStore, 'running' | 'find' | 'approvals'>;
  readonly messages: {
    find(id: string): Promise<Message | null>;
    /** From that `seq` on, summaries included, in order. */
    loadFrom(sessionId: string, seq: number): Promise<Message[]>;
  };
  readonly compactions: SummarizedBy;
  readonly signals: Pick<Signals, 'subscribe'>;
  /** Polling interval without a signal; milliseconds. Default 2,000. */
  readonly pollMs?: number;
}

/**
 * The running turn of a session, whichever process runs it: what is stored of it from its start on, then what is added,
 * until it ends. Folds into the message that a reload shows. Ends at once, with nothing but `finish`, when none runs.
 * @param of the message that began the turn, which may have ended: then all of it comes at once. Default: the running one
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
    const first = this.#messageId === undefined ? null : await messages.find(this.#messageId);
    const turn = await (this.#messageId === undefined
      ? turns.running(this.#sessionId)
      : first?.turnId && turns.find(first.turnId));
    const request = turn && (first ?? (await messages.find(turn.userMessageId)));
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
    const records = await compactionsAmong(compactions, this.#sessionId, ofTurn);
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

/** Should a signal be lost, what it told is found this much later; milliseconds. */
const POLL_MS = 2_000;

export interface StoreFollower<T> {
  readonly signals: Pick<Signals, 'subscribe'>;
  /** Signals when there may be more to read. */
  readonly topic: string;
  /** New chunks since the last reading; `isLast`: there will never be more. */
  readonly read: () => Promise<{ readonly items: readonly T[]; readonly isLast: boolean }>;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; default 2,000. */
  readonly pollMs?: number | undefined;
}

/**
 * Streams data that grows in the store: read when the reader asks, again at every signal, and now and then without one.
 * The store is never read for a reader that does not take what there is.
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

/** Wakes one sleeper, who also wakes if it rang before. */
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
