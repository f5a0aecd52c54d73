import type { Address } from '#components/api/routes.ts';
import { useCallback } from 'react';
import { useSWRConfig } from 'swr';
import { useLive } from '#components/admin/use-live.ts';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { ApiError } from '#components/api/api-error.ts';
import { useApi } from '#components/api/use-api.ts';
import type { ContextHistory, NextRequest, SessionContext } from '#server/core/conversation/context-report';
import type { SessionOverview } from '#server/core/conversation/session-overview';

/** Polling interval during a compaction, whose process may die without an event; ms. A choice, not measured. */
const POLL_INTERVAL_MS = 5_000;

/** Data of one part of the page, or the error. Both undefined: loading. */
export interface Report<T> {
  readonly data: T | undefined;
  readonly error: unknown;
}

/** Everything that the session's page shows, each part loaded by its own request. */
export interface SessionReport {
  readonly overview: Report<SessionOverview>;
  readonly context: Report<SessionContext>;
  readonly history: Report<ContextHistory>;
  readonly request: Report<NextRequest>;
  /** True if there is no session with this id. */
  readonly isMissing: boolean;
  /** Reloads everything. */
  readonly refresh: () => void;
}

/** All data about one session's context, kept up to date while the page is open. */
export function useSessionReport(id: string): SessionReport {
  const { mutate } = useSWRConfig();
  const overview = useReport(paths.adminSession(id));
  const context = useReport(paths.context(id), (now) => now.currentlyCompacting);
  const history = useReport(paths.contextHistory(id));
  const request = useReport(paths.nextRequest(id));
  const isMissing = overview.error instanceof ApiError && [400, 404].includes(overview.error.status);

  const refresh = useCallback(() => {
    const keys = [paths.adminSession(id), paths.context(id), paths.contextHistory(id), paths.nextRequest(id)];
    for (const key of keys) void mutate(key);
  }, [id, mutate]);

  useLive((listener) => api.events(id, listener), refresh, refresh);

  return { overview, context, history, request, isMissing, refresh };
}

/**
 * Loads one part of the page.
 * @param mayEndSilently true for data that must be polled, because its process may have died and sends no event
 */
function useReport<T>(address: Address<T>, mayEndSilently: (data: T) => boolean = () => false): Report<T> {
  const { data, error } = useApi(address, {
    refreshInterval: (latest) => (latest !== undefined && mayEndSilently(latest) ? POLL_INTERVAL_MS : 0),
  });
  return { data, error: data === undefined ? error : undefined };
}
