import { ApiError } from '#lib/api-error';
import { connection } from '#lib/connection';
import type { ChatMessage } from '#lib/chat-message';
import type { EntryStatus, EntryType } from '#server/core/content';
import type { ContextUsage } from '#server/core/events';

export interface SessionItem {
  readonly id: string;
  readonly title: string;
  readonly modelId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly compactionCount: number;
  readonly currentlyCompacting: boolean;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface ModelItem {
  readonly id: string;
  readonly name: string;
  /** Tokens. */
  readonly contextWindow: number;
  readonly provider: string;
}

export interface ModelList {
  readonly items: readonly ModelItem[];
  readonly defaultModelId: string;
}

export interface EntryItem {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly slug: string;
  readonly status: EntryStatus;
}

export interface SessionContext extends ContextUsage {
  readonly compactionCount: number;
  readonly lastCompactionAt: number | null;
  readonly currentlyCompacting: boolean;
  readonly compactingSince: number | null;
}

export interface QueuedReceipt {
  readonly queued: true;
  readonly position: number;
  readonly id: string;
}

export type CompactionOutcome = { readonly status: 'skipped'; readonly reason: string } | { readonly status?: string };

/** Body of POST /api/chat. */
export interface ChatRequest {
  readonly id: string;
  readonly message: ChatMessage;
  readonly modelId?: string | undefined;
  /** The same id makes a repeated request run once. */
  readonly clientRequestId: string;
}

/**
 * One request to our own API. Throws ApiError for every answer that is not a success, and for no answer, which it
 * also reports to the connection state; an abort is passed on as it is.
 */
async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    connection.reportLost();
    throw ApiError.network(error);
  }
  if (!response.ok) throw await ApiError.fromResponse(response);
  return response;
}

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await send(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return (response.status === 204 ? undefined : await response.json()) as T;
}

const session = (id: string) => `/api/sessions/${encodeURIComponent(id)}`;

/** Addresses of what SWR caches; also the keys to refresh it by. */
export const paths = {
  sessions: '/api/sessions?limit=100',
  models: '/api/models',
  /** As it is for a model; without one, for the session's own. */
  context: (sessionId: string, modelId?: string) =>
    `${session(sessionId)}/context${modelId === undefined ? '' : `?modelId=${encodeURIComponent(modelId)}`}`,
  entries: (type: EntryType) => `/api/content/${type}s?limit=100`,
  settings: '/api/content/settings',
};

/** Our REST API as functions. All of them throw ApiError. */
export const api = {
  get: <T>(path: string) => json<T>('GET', path),
  createSession: (input: { title?: string; modelId?: string }) => json<SessionItem>('POST', '/api/sessions', input),
  readSession: (id: string) => json<SessionItem>('GET', session(id)),
  renameSession: (id: string, title: string) => json<SessionItem>('PATCH', session(id), { title }),
  deleteSession: (id: string) => json<undefined>('DELETE', session(id)),
  readMessages: (id: string, cursor: string | null) =>
    json<Page<ChatMessage>>(
      'GET',
      `${session(id)}/messages?format=ui&limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    ),
  compact: (id: string) => json<CompactionOutcome>('POST', `${session(id)}/compact`, {}),
  /** Answers 200 with a UI message stream, or 202 with a QueuedReceipt. */
  chat: (request: ChatRequest, signal?: AbortSignal) =>
    send('/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      ...(signal ? { signal } : {}),
    }),
  hasRunningTurn: async (id: string) => {
    const response = await send(`/api/chat/${encodeURIComponent(id)}/stream`, { cache: 'no-store' });
    await response.body?.cancel();
    return response.status !== 204;
  },
  /** Follows the running turn; 204 when there is none. */
  followChat: (id: string, signal?: AbortSignal) =>
    send(`/api/chat/${encodeURIComponent(id)}/stream`, { cache: 'no-store', ...(signal ? { signal } : {}) }),
};
