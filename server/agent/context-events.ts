import type { SessionEventData, SessionEventName } from '#server/core/events';
import type { ContextListener } from '#server/context/ports';
import { countCompaction } from '#server/observability/metrics';

/** Tells whoever follows a session; never throws. */
export interface EventSink {
  /** @param turnId the turn it happened in, to be kept with what is told of the context */
  emit<Name extends SessionEventName>(
    sessionId: string,
    name: Name,
    data: SessionEventData[Name],
    turnId?: string | null,
  ): void;
}

/** What the engine does, as events of the session. */
export function contextEvents(events: EventSink, sessionId: string): Required<ContextListener> {
  return {
    onCompaction({ phase, ...data }) {
      if ('tokensAfter' in data) countCompaction(data);
      events.emit(sessionId, `compaction:${phase}`, data);
    },
    onPrune: (data) => events.emit(sessionId, 'prune:complete', data),
  };
}
