import type { Message } from '#server/core/messages';
import type { TurnEnding } from '#server/core/turn-store';
import type { Turn } from '#server/core/turns';
import type { SessionEvents } from '#server/agent/session-events';
import type { TurnStream } from '#server/agent/turn-stream';

interface NewsDependencies {
  readonly events: Pick<SessionEvents, 'emit' | 'emitQueue'>;
  /** The stream of the session's turn that runs in this process. */
  readonly streamOf: (sessionId: string) => TurnStream | null;
}

/** Tells whoever follows a session what becomes of its turns and of its queue. Never waits and never throws. */
export class TurnNews {
  readonly #deps: NewsDependencies;

  constructor(dependencies: NewsDependencies) {
    this.#deps = dependencies;
  }

  started({ id: turnId, sessionId, userMessageId: messageId }: Turn): void {
    this.#deps.events.emit(sessionId, 'turn:start', { turnId, messageId });
  }

  ended({ id: turnId, sessionId }: Turn, { status, error }: TurnEnding): void {
    this.#deps.events.emit(sessionId, 'turn:end', { turnId, status, error });
  }

  queued(sessionId: string, id: string, position: number): void {
    this.#deps.events.emit(sessionId, 'message:queued', { id, position });
    this.queueChanged(sessionId);
  }

  dequeued({ sessionId, metadata }: Message, ids: readonly string[]): void {
    const data = { count: ids.length, ids, coalesced: metadata !== null };
    this.#deps.events.emit(sessionId, 'message:dequeued', data);
    this.queueChanged(sessionId);
  }

  /** To everybody who follows the session, and in its running turn's stream. */
  queueChanged(sessionId: string): void {
    this.#deps.events.emitQueue(sessionId, (data) =>
      this.#deps.streamOf(sessionId)?.publish({ type: 'data-queue', data, transient: true }),
    );
  }
}
