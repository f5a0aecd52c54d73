import { useCallback } from 'react';
import useSWR, { useSWRConfig } from 'swr';
import { useLive } from '#components/admin/use-live';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { ApiError } from '#components/api/api-error';
import type { ContextHistory, NextRequest, SessionContext } from '#server/core/context-report';
import type { SessionOverview } from '#server/core/session-overview';

/** Polling interval of a running compaction; ms. */
const LOOK_EVERY = 5_000;

/** Data of one part of the page, or the error. Both undefined: loading. */
export interface Report<T> {
  readonly data: T | undefined;
  readonly error: unknown;
}

export interface SessionReport {
  readonly overview: Report<SessionOverview>;
  readonly context: Report<SessionContext>;
  readonly history: Report<ContextHistory>;
  readonly request: Report<NextRequest>;
  readonly isMissing: boolean;
  /** Reads everything anew. */
  readonly refresh: () => void;
}

/** All about one session's context, kept up to date while it is looked at. */
export function useSessionReport(id: string): SessionReport {
  const { mutate } = useSWRConfig();
  const overview = useReport<SessionOverview>(paths.adminSession(id));
  const context = useReport<SessionContext>(paths.context(id), (now) => now.currentlyCompacting);
  const history = useReport<ContextHistory>(paths.contextHistory(id));
  const request = useReport<NextRequest>(paths.nextRequest(id));
  const isMissing = overview.error instanceof ApiError && [400, 404].includes(overview.error.status);

  const refresh = useCallback(() => {
    const keys = [paths.adminSession(id), paths.context(id), paths.contextHistory(id), paths.nextRequest(id)];
    for (const key of keys) void mutate(key);
  }, [id, mutate]);

  useLive((listener) => api.events(id, listener), refresh, refresh);

  return { overview, context, history, request, isMissing, refresh };
}

/** @param mayEndSilently says when it is looked at again without an event: a process may have died */
function useReport<T>(path: string, mayEndSilently: (data: T) => boolean = () => false): Report<T> {
  const { data, error } = useSWR<T>(path, {
    refreshInterval: (latest) => (latest !== undefined && mayEndSilently(latest) ? LOOK_EVERY : 0),
  });
  return { data, error: data === undefined ? (error as unknown) : undefined };
}
