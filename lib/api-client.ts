import { ApiError } from '#lib/api-error';
import { connection } from '#lib/connection';
import { type ChatChunk, readChatChunks } from '#lib/chat-chunks';
import type { ChatMessage } from '#lib/chat-message';
import { followEvents, type FollowOptions } from '#lib/follow-events';
import type { EntryStatus, EntryType } from '#server/core/content';
import type { ContextUsage, QueueData } from '#server/core/events';
import type { Approval, ApprovalDecision, Persisted } from '#server/core/turns';

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
  /** From 1. */
  readonly position: number;
  readonly id: string;
}

/** `queued` false: nothing ran, and the message started its turn. */
export type QueueReceipt = QueuedReceipt | { readonly queued: false; readonly position: 0; readonly id: string };

/** What of a waiting message can be changed. */
export type MessageInput = Pick<ChatMessage, 'role' | 'parts'>;

export type CompactionOutcome = { readonly status: 'skipped'; readonly reason: string } | { readonly status?: string };

/** Body of POST /api/chat. */
export interface ChatRequest {
  readonly id: string;
  readonly message: ChatMessage;
  readonly modelId?: string | undefined;
  /** The same id makes a repeated request run once. */
  readonly clientRequestId: string;
}

export type SayOutcome =
  | { readonly queued: null; readonly chunks: AsyncGenerator<ChatChunk, void, undefined> }
  | { readonly queued: QueuedReceipt; readonly chunks: null };

/** Body of POST /api/message/queue. */
export type QueueRequest = Omit<ChatRequest, 'id'> & { readonly sessionId: string };

const session = (id: string) => `/api/sessions/${encodeURIComponent(id)}`;
const chat = (id: string) => `/api/chat/${encodeURIComponent(id)}`;
const queue = '/api/message/queue';
const queueOf = (sessionId: string) => `${queue}?sessionId=${encodeURIComponent(sessionId)}`;
const queued = (id: string) => `${queue}/${encodeURIComponent(id)}`;

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

export interface ApiClientOptions {
  /** Of another server than the one the page came from: `http://127.0.0.1:3000`. */
  readonly baseUrl?: string;
  /** No server answered. */
  readonly onUnreachable?: () => void;
}

/**
 * The REST API as functions: chat, queue, cancel, approvals and events first of all. All of them throw ApiError, for
 * every answer that is not a success and for no answer; an abort is passed on as it is.
 */
export function createApiClient({ baseUrl = '', onUnreachable }: ApiClientOptions = {}) {
  /** Any answer, good or bad. */
  async function fetchAnswer(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(`${baseUrl}${path}`, init);
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      onUnreachable?.();
      throw ApiError.network(error);
    }
  }

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetchAnswer(path, init);
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

  const postChat = (request: ChatRequest, signal?: AbortSignal) =>
    send('/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      ...(signal ? { signal } : {}),
    });

  return {
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
    chat: postChat,
    /** The same for scripts: the answer as it comes, or the message's place behind the turn that runs. */
    say: async (request: ChatRequest, signal?: AbortSignal): Promise<SayOutcome> => {
      const response = await postChat(request, signal);
      if (response.status !== 202) return { queued: null, chunks: readChatChunks(response) };
      return { queued: (await response.json()) as QueuedReceipt, chunks: null };
    },
    hasRunningTurn: async (id: string) => {
      const response = await send(`${chat(id)}/stream`, { cache: 'no-store' });
      await response.body?.cancel();
      return response.status !== 204;
    },
    /** Follows the running turn from its start on; 204 when there is none. */
    followChat: (id: string, signal?: AbortSignal) =>
      send(`${chat(id)}/stream`, { cache: 'no-store', ...(signal ? { signal } : {}) }),
    /** Stops the running turn, wherever it runs, and says what was kept of it. What waits is held. */
    cancel: (id: string) =>
      json<{ readonly cancelled: true; readonly persisted: Persisted }>('POST', `${chat(id)}/cancel`),
    /** Messages that wait for the running turn. */
    queue: {
      list: (sessionId: string) => json<QueueData>('GET', queueOf(sessionId)),
      /** Starts a turn where none runs. */
      add: (request: QueueRequest) => json<QueueReceipt>('POST', queue, request),
      edit: (id: string, message: MessageInput) => json<QueueData['items'][number]>('PATCH', queued(id), { message }),
      remove: (id: string) => json<undefined>('DELETE', queued(id)),
      clear: (sessionId: string) => json<{ readonly removed: number }>('DELETE', queueOf(sessionId)),
      /** Puts it in front of all others; where no turn runs, starts one with it alone. */
      send: (id: string) => json<{ readonly started: boolean }>('POST', `${queued(id)}/send`),
      /** Sends what is held since a cancel. */
      release: (sessionId: string) =>
        json<{ readonly started: boolean }>('POST', `${queue}/send?sessionId=${encodeURIComponent(sessionId)}`),
    },
    /** Calls that wait for the user's word. */
    approvals: async (sessionId: string) =>
      (await json<{ readonly items: readonly Approval[] }>('GET', `${session(sessionId)}/approvals`)).items,
    /** Decides stored calls, once, all or none; with the last one the turn goes on. */
    decide: (sessionId: string, decisions: readonly ApprovalDecision[]) =>
      json<{ readonly pending: number; readonly resumed: boolean }>('POST', `${session(sessionId)}/approvals`, {
        decisions,
      }),
    /** Hears what happens in a session, each event once and in order, across lost connections, until `signal` aborts. */
    events: (sessionId: string, options: FollowOptions): void =>
      followEvents(
        (headers, signal) =>
          fetchAnswer(`${session(sessionId)}/events`, { headers, signal, cache: 'no-store' }).catch(() => null),
        options,
      ),
  };
}

/** The client of our own interface: what it cannot reach, it says to the connection state. */
export const api = createApiClient({ onUnreachable: connection.reportLost });
