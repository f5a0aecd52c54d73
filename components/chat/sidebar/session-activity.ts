import { atom, onMount, type ReadableAtom } from 'nanostores';
import { mutate } from 'swr';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { whileVisible } from '#components/ui/hooks.ts';
import { refreshContent } from '#components/workspace/content-cache.ts';
import type { SessionActivity } from '#server/core/conversation/session-overview';

/** The user's conversations in which something happens, by id; the others are idle. */
type ActivityById = ReadonlyMap<string, SessionActivity>;

const activity = atom<ActivityById>(new Map());

/**
 * What happens in the user's conversations. All components of a tab share one connection, which is open while one of
 * them is mounted and the page is visible. Each connection begins with the present states.
 */
export const sessionActivity: ReadableAtom<ActivityById> = activity;

onMount(activity, () => {
  // Rendering on the server reads the store, too.
  if (typeof window === 'undefined') return undefined;
  return whileVisible(() => {
    const closed = new AbortController();
    api.sessionActivity({
      signal: closed.signal,
      onEvent: ({ name, data }) => {
        const before = activity.get();
        const known = name === 'sessions:snapshot' ? [] : before;
        const hasEnded = data.sessions.some(
          ({ sessionId, state }) => state !== 'running' && before.get(sessionId)?.state === 'running',
        );
        activity.set(new Map([...known, ...data.sessions.map((session) => [session.sessionId, session] as const)]));
        // The turn of a conversation that is not open may have changed the site and its place in the list.
        if (hasEnded) {
          void mutate(paths.sessions);
          refreshContent();
        }
      },
    });
    return () => closed.abort();
  });
});
