import type { TurnStreams } from '#server/agent/turn-stream';
import type { Message } from '#server/core/messages';
import type { Turn } from '#server/core/turns';
import type { TurnEnding } from '#server/core/turn-store';
import type { SessionEvents } from '#server/agent/session-events';

/** Tells whoever follows a session about its turns and its queue. Never waits and never throws. */
export class TurnNews {
  readonly #events: Pick<SessionEvents, 'emit' | 'emitQueue'>;
  readonly #streams: Pick<TurnStreams, 'find'>;

  /** @param streams of the turns that run in this process */
  constructor(events: Pick<SessionEvents, 'emit' | 'emitQueue'>, streams: Pick<TurnStreams, 'find'>) {
    this.#events = events;
    this.#streams = streams;
  }

  started({ id: turnId, sessionId, userMessageId: messageId }: Turn): void {
    this.#events.emit(sessionId, 'turn:start', { turnId, messageId });
  }

  ended({ id: turnId, sessionId }: Turn, { status, error }: TurnEnding): void {
    this.#events.emit(sessionId, 'turn:end', { turnId, status, error });
  }

  queued(sessionId: string, id: string, position: number): void {
    this.#events.emit(sessionId, 'message:queued', { id, position });
    this.queueChanged(sessionId);
  }

  dequeued({ sessionId, metadata }: Message, ids: readonly string[]): void {
    const data = { count: ids.length, ids, coalesced: metadata !== null };
    this.#events.emit(sessionId, 'message:dequeued', data);
    this.queueChanged(sessionId);
  }

  /** Reaches everybody who follows the session, and its running turn's stream. */
  queueChanged(sessionId: string): void {
    this.#events.emitQueue(sessionId, (data) =>
      this.#streams.find(sessionId)?.publish({ type: 'data-queue', data, transient: true }),
    );
  }
}
