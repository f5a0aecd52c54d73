import type { SessionEventData, SessionEventName } from '#server/core/events';
import type { ContextListener } from '#server/context/ports';

/** Tells whoever follows a session; never throws. */
export interface EventSink {
  emit<Name extends SessionEventName>(sessionId: string, name: Name, data: SessionEventData[Name]): void;
}

/** What the engine does, as events of the session. */
export function contextEvents(events: EventSink, sessionId: string): Required<ContextListener> {
  return {
    onCompaction({ phase, ...data }) {
      events.emit(sessionId, `compaction:${phase}`, data);
    },
    onPrune: (data) => events.emit(sessionId, 'prune:complete', data),
  };
}
