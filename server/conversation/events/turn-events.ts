import { errorFields } from '#server/core/message-data';
import type { TurnStreams } from '#server/conversation/events/turn-stream';
import type { Message } from '#server/core/conversation/messages';
import type { Turn } from '#server/core/conversation/turns';
import type { TurnEnding } from '#server/core/conversation/turn-store';
import type { SessionEvents } from '#server/conversation/events/session-events';

/** Reports turns and queue changes to the followers of a session. Never waits and never throws. */
export class TurnEvents {
  readonly #events: SessionEvents;
  readonly #streams: TurnStreams;

  /** @param streams of the turns that run in this process */
  constructor(events: SessionEvents, streams: TurnStreams) {
    this.#events = events;
    this.#streams = streams;
  }

  /** Tells that a turn has started or ended; the event was stored with it. */
  changed({ sessionId }: Turn): void {
    this.#events.stored(sessionId);
  }

  /** A turn that another process had left was ended. */
  settled({ id: turnId, sessionId }: Turn, { status, error }: TurnEnding): void {
    this.#events.emit(sessionId, 'turn:end', { turnId, status, ...errorFields(error) });
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

  /** Notifies all followers of the session and the stream of its running turn. */
  queueChanged(sessionId: string): void {
    this.#events.emitQueue(sessionId, (data) =>
      this.#streams.find(sessionId)?.publish({ type: 'data-queue', data, transient: true }),
    );
  }
}
