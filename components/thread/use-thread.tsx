import { useEffect, useRef } from 'react';
import useSWR, { mutate } from 'swr';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { threadKey } from '#components/desk/content-cache';
import { chatSession, useIsRunning } from '#components/chat/session/chat-sessions';
import type { Knot, KnotChange, ThreadPage } from '#server/core/thread';

/** Knots that are read at once: reading some of them costs the server as much as reading all. */
const PAGE = 2_000;
/** Polling interval for what others do; ms. */
const REFRESH_INTERVAL = 30_000;
const NONE: readonly Knot[] = [];

export interface Thread {
  /** Oldest first. */
  readonly knots: readonly Knot[];
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly reload: () => void;
}

/** The thread of a conversation, read again after each turn and each change. */
export function useThread(sessionId: string | null): Thread {
  const isRunning = useIsRunning(sessionId === null ? null : chatSession(sessionId));
  const {
    data,
    error,
    mutate: reload,
  } = useSWR<readonly Knot[]>(sessionId !== null && threadKey(sessionId), {
    fetcher: () => readThread(sessionId ?? ''),
    refreshInterval: REFRESH_INTERVAL,
  });
  const running = useRef<string | null>(null);
  useEffect(() => {
    if (!isRunning && sessionId !== null && running.current === sessionId) void mutate(threadKey(sessionId));
    running.current = isRunning ? sessionId : null;
  }, [isRunning, sessionId]);
  return {
    knots: data ?? NONE,
    isLoading: data === undefined && error === undefined,
    error: data === undefined ? (error as unknown) : undefined,
    reload: () => void reload(),
  };
}

/** Knots of a conversation whose thread is shown elsewhere on the page: for this they are not read again. */
export function useKnownKnots(sessionId: string): readonly Knot[] {
  const fetcher = () => readThread(sessionId);
  return useSWR<readonly Knot[]>(threadKey(sessionId), { fetcher, revalidateIfStale: false }).data ?? NONE;
}

const changesIn = new WeakMap<readonly Knot[], ReadonlyMap<string, KnotChange>>();

/** A change of these knots, by its id. */
export function changeIn(knots: readonly Knot[], id: string): KnotChange | undefined {
  let known = changesIn.get(knots);
  if (!known) {
    known = new Map(knots.flatMap(({ changes }) => changes).map((change) => [change.id, change]));
    changesIn.set(knots, known);
  }
  return known.get(id);
}

async function readThread(sessionId: string): Promise<Knot[]> {
  const newestFirst: Knot[] = [];
  let cursor: string | undefined;
  do {
    const page: ThreadPage = await api.get(paths.thread(sessionId, PAGE, cursor));
    newestFirst.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return newestFirst.toReversed();
}

/** The change is not in effect: it was undone, or something was brought back to how it was before it. */
export const isGone = ({ undoneBy, isTakenAlong }: KnotChange) => undoneBy !== null || isTakenAlong;

/** Change after which the site is shown for a knot; null: it changed nothing. */
export function pointOf({ changes }: Knot): string | null {
  return changes.at(-1)?.id ?? null;
}

/** Number of changes that are in effect. */
export function countStanding(knots: readonly Knot[]): number {
  return knots.flatMap(({ changes }) => changes).filter((change) => !isGone(change) && change.action !== 'undo').length;
}

/** A point in the thread at which the preview shows the site. */
export interface DrawnPoint {
  readonly sessionId: string;
  /** The site is shown as it was right after this change. */
  readonly changeId: string;
  /** Time of it; epoch milliseconds. */
  readonly at: number;
}

/** The point of a knot; null for a summary, at which nothing changed. */
export function drawnPoint(sessionId: string, knot: Knot): DrawnPoint | null {
  const changeId = pointOf(knot);
  return changeId === null ? null : { sessionId, changeId, at: knot.at };
}
