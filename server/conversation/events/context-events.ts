import type { TurnStream } from '#server/conversation/events/turn-stream';
import type { ContextListener } from '#server/context/ports';
import { createId } from '#server/core/ids';
import { countCompaction } from '#server/platform/telemetry/telemetry';
import type { EventSink } from '#server/conversation/events/session-events';

/**
 * Creates a listener that reports the engine's work to the session's events and, during a turn, to the turn's stream.
 * @param stream of the running turn
 */
export function contextEvents(
  events: EventSink,
  sessionId: string,
  stream?: Pick<TurnStream, 'publish'>,
): Required<ContextListener> {
  let chunkId = '';
  return {
    onCompaction(told) {
      const { phase, ...data } = told;
      if (phase === 'start') chunkId = createId('cmp');
      stream?.publish({ type: 'data-compaction', id: chunkId, data: told });
      if ('tokensAfter' in data) countCompaction(data);
      events.emit(sessionId, `compaction:${phase}`, data);
    },
    onPrune(data) {
      stream?.publish({ type: 'data-prune', data, transient: true });
      events.emit(sessionId, 'prune:complete', data);
    },
  };
}
