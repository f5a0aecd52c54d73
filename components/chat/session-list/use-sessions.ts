import { mutate } from 'swr';
import { api, type Page, type SessionChanges } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import type { Answer } from '#components/api/routes.ts';
import type { Session } from '#server/core/conversation/sessions';
import { forgetChatSession } from '#components/chat/session/chat-sessions.ts';
import { ageGroup, type AgeGroup } from '#components/ui/times.ts';
import { useSettled } from '#components/ui/hooks.ts';
import { useApi } from '#components/api/use-api.ts';

/** A page of the list. */
type SessionPage = Answer<'GET', '/api/sessions'>;

/** The conversations in the sidebar, and how they are loaded. */
export interface Sessions {
  /** Newest first, as far as loaded; with a query, all matches, including those that are not loaded. */
  readonly items: readonly Session[] | undefined;
  readonly error: unknown;
  readonly reload: () => void;
  /** Loads older ones too; null if all are loaded or a query is given. */
  readonly loadMore: (() => void) | null;
  /** The search on the server has not finished. */
  readonly isSearching: boolean;
}

/** Loaded pages of the list in this browser; every refresh loads as many. */
let pagesShown = 1;

/** Typing pause after which the server is asked; milliseconds. */
const SEARCH_DELAY = 150;

/** The conversations whose title contains the query (ignoring case), newest first. Without a query: the newest ones. */
export function useSessions(query = ''): Sessions {
  const { data, error, mutate: reload } = useApi(paths.sessions, { fetcher: readList });
  const wanted = query.trim();
  const settled = useSettled(wanted, SEARCH_DELAY);
  const asked = wanted === '' ? '' : settled;
  const found = useApi(asked === '' ? null : paths.sessionsNamed(asked));
  const items = data?.items;
  return {
    items: items && (wanted === '' ? items : matching([...items, ...(found.data?.items ?? [])], wanted)),
    error: items === undefined ? error : undefined,
    reload: () => void reload(),
    loadMore: wanted !== '' || !data?.nextCursor ? null : () => void showMore(),
    isSearching: wanted !== '' && (asked !== wanted || found.isLoading),
  };
}

/** A conversation at any position of the list; null while not loaded. */
export function useSession(id: string | null): Session | null {
  const { items } = useSessions();
  const listed = items?.find((item) => item.id === id);
  const isUnlisted = id !== null && items !== undefined && !listed;
  const { data } = useApi(isUnlisted ? paths.session(id) : null, { shouldRetryOnError: false });
  return listed ?? (isUnlisted ? (data ?? null) : null);
}

/** Its title; null while not loaded. */
export function useSessionTitle(id: string | null): string | null {
  return useSession(id)?.title ?? null;
}

/** Shows the new title or model immediately, and restores the old one if the server refuses. Rejects with ApiError. */
export async function updateSession(id: string, changes: SessionChanges): Promise<void> {
  await change(
    (items) => items.map((item) => (item.id === id ? { ...item, ...changes } : item)),
    () => api.updateSession(id, changes),
  );
  await mutate(paths.session(id));
}

/** Deletes a conversation; works like `updateSession`. */
export async function removeSession(id: string): Promise<void> {
  await change(
    (items) => items.filter((item) => item.id !== id),
    async () => {
      await api.deleteSession(id);
      forgetChatSession(id);
    },
  );
}

const isSessionList = (key: unknown) => typeof key === 'string' && key.startsWith('/api/sessions?');

type ItemsChange = (items: readonly Session[]) => readonly Session[];

/** Changes every loaded list immediately; if the server refuses, reloads them. */
async function change(alter: ItemsChange, request: () => Promise<unknown>): Promise<void> {
  const alterPage = (page: SessionPage | undefined) => page && { ...page, items: alter(page.items) };
  await mutate<Answer<'GET', '/api/sessions'>>(isSessionList, alterPage, { revalidate: false });
  try {
    await request();
    // Applied again, because a list that was loaded during the request has the old state or was dropped. Reloading then
    // includes newer changes.
    await mutate<Answer<'GET', '/api/sessions'>>(isSessionList, alterPage);
  } catch (error) {
    await mutate(isSessionList);
    throw error;
  }
}

async function showMore(): Promise<void> {
  pagesShown += 1;
  await mutate(paths.sessions);
}

async function readList(): Promise<Page<Session>> {
  const items: Session[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < pagesShown; pages += 1) {
    const page: Page<Session> = await api.get(paths.sessionsFrom(cursor));
    items.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return { items, nextCursor: cursor };
}

/** Matching sessions without duplicates; a list may be older than the query. */
function matching(items: readonly Session[], query: string): Session[] {
  const text = query.toLowerCase();
  const byId = new Map(items.map((item) => [item.id, item]));
  return [...byId.values()].filter(({ title }) => title.toLowerCase().includes(text));
}

/** Conversations of about the same age, under one heading. */
export interface SessionGroup {
  readonly group: AgeGroup;
  readonly sessions: readonly Session[];
}

const order: readonly AgeGroup[] = ['today', 'yesterday', 'week', 'older'];

/** Conversations grouped under headings by age, newest first. */
export function groupSessions(sessions: readonly Session[], now: number): SessionGroup[] {
  const sorted = sessions.toSorted((a, b) => b.updatedAt - a.updatedAt);
  return order
    .map((group) => ({ group, sessions: sorted.filter(({ updatedAt }) => ageGroup(updatedAt, now) === group) }))
    .filter(({ sessions: members }) => members.length > 0);
}

const MAX_LENGTH = 60;

/** A conversation's first title: the first line of its first message, cut at a word. */
export function titleFrom(text: string): string {
  const line = (text.trim().split('\n')[0] ?? '').trim().replaceAll(/\s+/g, ' ');
  if (line.length <= MAX_LENGTH) return line;
  const cut = line.slice(0, MAX_LENGTH - 1);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > MAX_LENGTH / 2 ? space : undefined).trimEnd()}…`;
}
