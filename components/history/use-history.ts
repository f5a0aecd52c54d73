import { useEffect, useRef } from 'react';
import useSWR, { mutate } from 'swr';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { historyKey } from '#components/workspace/content-cache.ts';
import { chatSession, useIsRunning } from '#components/chat/session/chat-sessions.ts';
import type { Checkpoint, HistoryPage } from '#server/core/conversation/history';

/** Checkpoints per request. Large, because reading some costs the server as much as reading all. */
const PAGE = 2_000;
/** Polling interval for changes by others; ms. A choice, not measured. */
const REFRESH_INTERVAL = 30_000;
const NONE: readonly Checkpoint[] = [];

/** The checkpoints of a conversation, and the state of their request. */
export interface History {
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  readonly isLoading: boolean;
  /** Error of the first load; undefined: none. Later failures keep the checkpoints. */
  readonly error: unknown;
  readonly reload: () => void;
}

/** The history of a conversation, reloaded after each turn and each change. */
export function useHistory(sessionId: string | null): History {
  const isRunning = useIsRunning(sessionId === null ? null : chatSession(sessionId));
  const {
    data,
    error,
    mutate: reload,
  } = useSWR(sessionId !== null && historyKey(sessionId), () => readHistory(sessionId ?? ''), {
    refreshInterval: REFRESH_INTERVAL,
  });
  /** Conversation in which a turn was running at the last render. */
  const running = useRef<string | null>(null);
  useEffect(() => {
    if (!isRunning && sessionId !== null && running.current === sessionId) void mutate(historyKey(sessionId));
    running.current = isRunning ? sessionId : null;
  }, [isRunning, sessionId]);
  return {
    checkpoints: data ?? NONE,
    isLoading: data === undefined && error === undefined,
    error: data === undefined ? (error as unknown) : undefined,
    reload: () => void reload(),
  };
}

/** Checkpoints of a conversation whose history another component of the page loads; does not reload them. */
export function useKnownCheckpoints(sessionId: string): readonly Checkpoint[] {
  const fetcher = () => readHistory(sessionId);
  return useSWR(historyKey(sessionId), fetcher, { revalidateIfStale: false }).data ?? NONE;
}

async function readHistory(sessionId: string): Promise<Checkpoint[]> {
  const newestFirst: Checkpoint[] = [];
  let cursor: string | undefined;
  do {
    const page: HistoryPage = await api.get(paths.history(sessionId, PAGE, cursor));
    newestFirst.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return newestFirst.toReversed();
}
