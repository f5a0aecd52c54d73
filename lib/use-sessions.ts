import useSWR from 'swr';
import { api, paths } from '#lib/api-client';
import type { Page, SessionItem } from '#lib/api-client';
import { forgetChatSession } from '#lib/chat-sessions';

export interface Sessions {
  readonly items: readonly SessionItem[] | undefined;
  readonly error: unknown;
  readonly reload: () => void;
  /** Shown at once, taken back when the server refuses. Rejects with ApiError. */
  readonly rename: (id: string, title: string) => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
}

/** All conversations, newest first, and what can be done to them. */
export function useSessions(): Sessions {
  const { data, error, mutate } = useSWR<Page<SessionItem>>(paths.sessions, readAll);
  const items = data?.items;

  const change = async (next: readonly SessionItem[], request: () => Promise<unknown>) => {
    const optimistic: Page<SessionItem> = { items: next, nextCursor: null };
    await mutate(
      async () => {
        await request();
        return optimistic;
      },
      { optimisticData: optimistic, rollbackOnError: true },
    );
  };

  return {
    items,
    error: items === undefined ? (error as unknown) : undefined,
    reload: () => void mutate(),
    rename: (id, title) =>
      change(
        (items ?? []).map((item) => (item.id === id ? { ...item, title } : item)),
        () => api.renameSession(id, title),
      ),
    remove: (id) =>
      change(
        (items ?? []).filter((item) => item.id !== id),
        async () => {
          await api.deleteSession(id);
          forgetChatSession(id);
        },
      ),
  };
}

async function readAll(path: string): Promise<Page<SessionItem>> {
  const items: SessionItem[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<SessionItem> = await api.get(
      cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`,
    );
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { items, nextCursor: null };
}
