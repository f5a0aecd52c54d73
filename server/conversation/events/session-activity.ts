import { setTimeout as delay } from 'node:timers/promises';
import { followStore } from '#server/conversation/events/follow-store';
import type { SessionEvents } from '#server/conversation/events/session-events';
import { ALL_EVENTS_TOPIC, type Signals } from '#server/core/conversation/events';
import type {
  ActivityStore,
  OwnSessions,
  SessionActivity,
  SessionActivityEvent,
} from '#server/core/conversation/session-overview';

interface ActivityDependencies {
  readonly store: ActivityStore;
  readonly events: SessionEvents;
  readonly signals: Signals;
  /** Polling interval without a signal; milliseconds. Default: that of `followStore`. */
  readonly pollMs?: number | undefined;
}

/**
 * Minimum time between two reads, because every event of the installation wakes the stream; milliseconds. A choice, not
 * measured.
 */
const REST_MS = 200;

/**
 * Streams the states of a user's conversations: first those in which something happens, then each change. A connection
 * needs no position to continue from, because each begins with the present state.
 * @param signal ends it
 */
export function followActivity(
  { store, events, signals, pollMs }: ActivityDependencies,
  own: OwnSessions,
  signal?: AbortSignal,
): ReadableStream<SessionActivityEvent> {
  let position: number | null = null;
  const sent = new Map<string, string>();
  const unsent = (states: readonly SessionActivity[]) =>
    states.filter((state) => {
      const now = JSON.stringify(state);
      const isNew = sent.get(state.sessionId) !== now;
      sent.set(state.sessionId, now);
      return isNew;
    });
  const changedSince = async (before: number, newest: number): Promise<readonly SessionActivity[]> => {
    const changed = newest > before ? await store.changedBetween(own, before, newest) : [];
    return changed.length === 0 ? [] : store.statesOf(own, changed);
  };
  return followStore<SessionActivityEvent>({
    signals,
    topic: ALL_EVENTS_TOPIC,
    signal,
    pollMs,
    read: async () => {
      const before = position;
      if (before !== null) await delay(REST_MS);
      // Read first: what changes during the reading is read again.
      const newest = await events.startOfAll();
      const sessions = unsent(before === null ? await store.busy(own) : await changedSince(before, newest));
      position = newest;
      const name = before === null ? 'sessions:snapshot' : 'sessions:changed';
      const items = before === null || sessions.length > 0 ? [{ id: newest, name, data: { sessions } } as const] : [];
      return { items, isLast: false };
    },
  });
}
