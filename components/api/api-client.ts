import { ApiError } from '#components/api/api-error.ts';
import type { ChatMessage } from '#components/api/chat-message.ts';
import { connection } from '#components/api/connection.ts';
import { askToSignInAgain } from '#components/api/sign-in-again.ts';
import { followEvents, type FollowOptions } from '#components/api/follow-events.ts';
import { type ChatChunk, readChatChunks } from '#components/api/chat-chunks.ts';
import { leaveDeletedSite, SITE_HEADER, tabSite } from '#components/api/tab-site.ts';
import { type MessagePage, paths } from '#components/api/paths.ts';
import {
  type Address,
  addressOf,
  type Answer,
  type Body,
  type Query,
  type Input,
  type InputArguments,
  type Method,
  type PathOf,
  writeAddress,
} from '#components/api/routes.ts';
import type { McpTransportInput } from '#server/core/admin/mcp-servers';
import type { SessionActivityEvent, SessionChanged } from '#server/core/conversation/session-overview';
import type { ApprovalDecision } from '#server/core/conversation/approvals';
import type { QueuedReceipt } from '#server/core/conversation/turns';
import type { PartContent } from '#server/core/conversation/parts';
import type { ChangeSet } from '#server/core/site/changes';
import type { EntryType } from '#server/core/site/content';
import type { PreviewLinkDays } from '#server/core/site/preview/preview-links';

/** A page of a list; `nextCursor` requests the next one, null: this is the last. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Any part of a request. */
interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A page of messages as the AI SDK has them. */
interface ChatPage extends Page<ChatMessage> {
  /** With the newest page: id of the event after which the page does not contain everything. */
  readonly newestEvent?: number;
}

/** Result of a write to a picture. */
export type WrittenAsset = Answer<'PATCH', '/api/content/media/{id}'>;

/** A page of the media library, with the number of all matching pictures. */
export type MediaPage = Answer<'GET', '/api/content/media'>;

/** Editable fields of a waiting message. */
export type MessageInput = { readonly role: ChatMessage['role']; readonly parts: ChatMessage['parts'] };

/** Selection of changes to undo: some turns of a session, or all. */
export type UndoAllRequest = Omit<Extract<Body<'POST', '/api/content/undo'>, { readonly all: true }>, 'all'>;

/** Selection of what is restored: an entry, the page at a path, or everything that the session changed since. */
export type RestoreRequest = Body<'POST', '/api/content/bring-back'>;

/** Some submissions, or all that match a filter. */
type SubmissionSelection = Body<'DELETE', '/api/submissions'>;

/** Options of a compaction; the settings apply to those that are left out. */
export type CompactionOptions = NonNullable<Body<'POST', '/api/sessions/{id}/compact'>>;

/** Changes of a draft. */
type EntryPatch = Body<'PATCH', '/api/content/{collection}/{ref}'>;

/** Body of a PATCH of a session. */
export interface SessionChanges {
  readonly title?: string;
  readonly modelId?: string | null;
}

/** A message to send, with its choices. */
interface SentMessage {
  readonly message: ChatMessage;
  /** The page that the user has open. */
  readonly here?: Pick<PartContent<'situation'>, 'preview' | 'zone'>;
  readonly modelId?: string | undefined;
  /** Idempotency key: a repeated request with the same id runs once. */
  readonly clientRequestId: string;
}

/** Body of POST /api/chat. */
export interface ChatRequest extends SentMessage {
  readonly id: string;
  /** The newest user message, which the new message replaces. */
  readonly replaces?: { readonly messageId: string; readonly undoChanges: boolean };
}

/** Result of sending a message: its answer as it arrives, or its place in the queue. */
export type SendOutcome =
  | { readonly queued: null; readonly chunks: AsyncGenerator<ChatChunk, void, undefined> }
  | { readonly queued: QueuedReceipt; readonly chunks: null };

/** Body of POST /api/message/queue. */
export interface QueueRequest extends SentMessage {
  readonly sessionId: string;
}

/** Options of a client; by default it talks to the server of the page and asks nobody to sign in. */
export interface ApiClientOptions {
  /** Origin of a server other than the one that served the page: `http://127.0.0.1:3000`. */
  readonly baseUrl?: string;
  /** The site that requests are about; null: the server decides. */
  readonly site?: () => string | null;
  /** Called when that site is gone or the caller has no access to it. */
  readonly onSiteGone?: () => void;
  /** Called when no server answered. */
  readonly onUnreachable?: () => void;
  /**
   * Called when the sign-in has expired. Resolves to true once the person has signed in again; the refused request is
   * then repeated.
   */
  readonly onSignedOut?: () => Promise<boolean>;
  /**
   * Called when the server requires a more recent sign-in. Resolves to true once the person has signed in again; the
   * refused request is then repeated.
   */
  readonly onStale?: () => Promise<boolean>;
}

/**
 * Client of the REST API: chat, queue, cancel, approvals, events and more. All functions throw ApiError for every
 * unsuccessful response and for no response; an abort error passes unchanged.
 */
export function createApiClient({ baseUrl = '', site, onSiteGone, onUnreachable, ...asks }: ApiClientOptions = {}) {
  const { onSignedOut, onStale } = asks;
  /** Any response, successful or not. */
  async function fetchAnswer(path: string, init: RequestInit): Promise<Response> {
    try {
      const siteId = site?.() ?? null;
      const headers = new Headers(init.headers);
      if (siteId !== null) headers.set(SITE_HEADER, siteId);
      const attempt = () => fetch(`${baseUrl}${path}`, siteId === null ? init : { ...init, headers });
      const response = await attempt();
      return response.status === 401 && (await onSignedOut?.()) === true ? await attempt() : response;
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      onUnreachable?.();
      throw ApiError.network(error);
    }
  }

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetchAnswer(path, init);
    if (response.ok) return response;
    const error = await ApiError.fromResponse(response);
    if (error.status === 404 && isAboutSite(error.details)) onSiteGone?.();
    const hasSignedInAgain = error.code === 'sign_in_again' && (await onStale?.()) === true;
    if (!hasSignedInAgain) throw error;
    const again = await fetchAnswer(path, init);
    if (!again.ok) throw await ApiError.fromResponse(again);
    return again;
  }

  async function ask<Data>(method: string, address: string, body?: unknown, options: RequestInit = {}): Promise<Data> {
    const response = await send(address, {
      ...options,
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return (response.status === 204 ? undefined : await response.json()) as Data;
  }

  /** Sends a request with JSON; its types are those of the route. `keepalive`: the request outlives the page. */
  async function request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...rest: InputArguments<Input<M, P>, [options?: Pick<RequestInit, 'keepalive' | 'signal'>]>
  ): Promise<Answer<M, P>> {
    const [{ body, ...parts } = {}, options] = rest as unknown as [input?: AnyInput, options?: RequestInit];
    return ask<Answer<M, P>>(method, writeAddress(path, parts), body, options);
  }

  const postChat = (body: ChatRequest, signal?: AbortSignal) =>
    send('/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });

  const follow = <Event>(address: () => string, options: FollowOptions<Event>): void =>
    followEvents(
      (headers, signal) => fetchAnswer(address(), { headers, signal, cache: 'no-store' }).catch(() => null),
      options,
    );

  return {
    /** Reads an address of `paths`, or any other path of the API. */
    get: <Data>(address: Address<Data>) => ask<Data>('GET', address),
    request,
    /** Any request, for its response as it is. */
    send,
    createSession: (body: Body<'POST', '/api/sessions'>) => request('POST', '/api/sessions', { body }),
    readSession: (id: string) => request('GET', '/api/sessions/{id}', { params: { id } }),
    updateSession: (id: string, body: Body<'PATCH', '/api/sessions/{id}'>) =>
      request('PATCH', '/api/sessions/{id}', { params: { id }, body }),
    deleteSession: (id: string) => request('DELETE', '/api/sessions/{id}', { params: { id } }),
    readMessages: async (id: string, page: MessagePage) => chatPageOf(await ask('GET', paths.messages(id, page))),
    /** Messages that were replaced when that message was sent. */
    earlierVersion: async (id: string, supersededBy: string) => {
      const query = { format: 'ui', supersededBy } as const;
      return chatPageOf(await request('GET', '/api/sessions/{id}/messages', { params: { id }, query })).items;
    },
    compact: (id: string, body: Body<'POST', '/api/sessions/{id}/compact'> = {}) =>
      request('POST', '/api/sessions/{id}/compact', { params: { id }, body }),
    /** False if none was running. */
    cancelCompaction: async (id: string) =>
      (await request('POST', '/api/sessions/{id}/compact/cancel', { params: { id } })).cancelled,
    /** Clears old tool outputs from the context. */
    prune: (id: string) => request('POST', '/api/sessions/{id}/prune', { params: { id } }),
    /** The next item that an undo in this session would undo; null if there are none. */
    undoable: async (id: string) => {
      const answer = await request('GET', '/api/sessions/{id}/undoable', { params: { id } });
      return answer.kind === null ? null : answer;
    },
    /** Undoes a change of the site; for an undo, redoes what it undid. */
    undoChange: async (changeId: string, sessionId?: string): Promise<readonly [ChangeSet, ...ChangeSet[]]> => {
      const answer = await request('POST', '/api/content/undo', { body: { changeId, sessionId } });
      if (!('change' in answer)) throw new Error('The response is about several changes.');
      return [answer.change, ...(answer.together ?? [])];
    },
    /** Stores all standing instructions, unless they were changed since `ifRevision`. */
    saveStandingInstructions: (body: Body<'PUT', '/api/content/standing-instructions'>) =>
      request('PUT', '/api/content/standing-instructions', { body }),
    /** Undoes what a session, or some of its turns, did to the site. */
    undoAll: async (body: UndoAllRequest) =>
      undoOutcomeOf(await request('POST', '/api/content/undo', { body: { all: true, ...body } })),
    /** Undoes several changes, all or nothing. `along`: including all later ones in the same places. */
    undoThese: async (body: {
      readonly changeIds: readonly string[];
      readonly along?: boolean;
      readonly sessionId?: string | undefined;
    }) => undoOutcomeOf(await request('POST', '/api/content/undo', { body })),
    /** Creates a page or post as a draft. @throws ApiError, 409 if its address is taken */
    createEntry: (type: EntryType, body: Body<'POST', '/api/content/{collection}'>) =>
      request('POST', '/api/content/{collection}', { params: { collection: `${type}s` }, body }),
    /** The page or post whose draft is at a path; null if no entry is. */
    entryAt: async (path: string) => (await request('GET', '/api/content/at', { query: { path } })).entry,
    /** The newest changes of one target. */
    changesOf: async (targetId: string) =>
      (await request('GET', '/api/content/changes', { query: { targetId, limit: 50 } })).items,
    /**
     * Changes fields and sections of a draft, all or nothing.
     * @param keepalive the request outlives the page
     * @throws ApiError, 409 with details of writeConflictSchema if an expected value has changed
     */
    patchEntry: (type: EntryType, id: string, body: EntryPatch, keepalive = false) =>
      request('PATCH', '/api/content/{collection}/{ref}', { params: entryParams(type, id), body }, { keepalive }),
    /**
     * Reports which page is open in this window and which field is being edited; returns who else is present.
     * @param keepalive the request outlives the page
     */
    reportPresence: (body: Body<'POST', '/api/content/presence'>, keepalive = false) =>
      request('POST', '/api/content/presence', { body }, { keepalive }),
    /** Restores a page, or everything that a session changed since, to its state right after a change. */
    restoreTo: (body: RestoreRequest) => request('POST', '/api/content/bring-back', { body }),
    /** Changes some of the site's settings, visible to all visitors immediately. */
    updateSiteSettings: (body: Body<'PATCH', '/api/content/settings'>) =>
      request('PATCH', '/api/content/settings', { body }),
    /** Publishes the draft of an entry. */
    publish: (type: EntryType, id: string) =>
      request('POST', '/api/content/{collection}/{ref}/publish', { params: entryParams(type, id) }),
    /** Publishes the draft of the design. */
    publishDesign: (query: Query<'POST', '/api/content/design/publish'> = {}) =>
      request('POST', '/api/content/design/publish', { query }),
    /** An entry with its draft. */
    entry: (type: EntryType, id: string) =>
      request('GET', '/api/content/{collection}/{ref}', { params: entryParams(type, id) }),
    /** What is wrong with the draft of an entry, or should be looked at before it is published. */
    issues: async (type: EntryType, id: string) =>
      (await request('GET', '/api/content/{collection}/{ref}/validate', { params: entryParams(type, id) })).items,
    /** Hides an entry from visitors; its draft stays. */
    unpublish: (type: EntryType, id: string) =>
      request('POST', '/api/content/{collection}/{ref}/unpublish', { params: entryParams(type, id) }),
    /** Moves an entry to the trash; visitors no longer see it. */
    trashEntry: (type: EntryType, id: string) =>
      request('DELETE', '/api/content/{collection}/{ref}', { params: entryParams(type, id) }),
    /** Restores the draft of an entry to an earlier revision, as a new change. */
    restoreVersion: async (type: EntryType, id: string, revision: number) => {
      const input = { params: entryParams(type, id), body: { revision } };
      return (await request('POST', '/api/content/{collection}/{ref}/restore', input)).change;
    },
    /** Replaces the draft of an entry by its published state. */
    discardDraft: async (type: EntryType, id: string) =>
      (await request('POST', '/api/content/{collection}/{ref}/discard', { params: entryParams(type, id) })).change,
    /** Schedules the publication of an entry; null: it is not published by itself. */
    schedule: async (type: EntryType, id: string, publishAt: number | null) => {
      const input = { params: entryParams(type, id), body: { publishAt } };
      return (await request('POST', '/api/content/{collection}/{ref}/schedule', input)).change;
    },
    /** Creates a link that shows the draft of an entry to everybody who has its address. */
    createPreviewLink: (type: EntryType, id: string, days: PreviewLinkDays) =>
      request('POST', '/api/content/{collection}/{ref}/preview-links', {
        params: entryParams(type, id),
        body: { days },
      }),
    /** Marks a comment of a preview link as done, or as open again. */
    resolveComment: (type: EntryType, id: string, comment: string, resolved: boolean) =>
      request('PATCH', '/api/content/{collection}/{ref}/comments/{comment}', {
        params: { ...entryParams(type, id), comment },
        body: { resolved },
      }),
    deleteComment: (type: EntryType, id: string, comment: string) =>
      request('DELETE', '/api/content/{collection}/{ref}/comments/{comment}', {
        params: { ...entryParams(type, id), comment },
      }),
    revokePreviewLink: (type: EntryType, id: string, link: string) =>
      request('DELETE', '/api/content/{collection}/{ref}/preview-links/{link}', {
        params: { ...entryParams(type, id), link },
      }),
    /** Changes the description, file name or tags of a picture. */
    updateAsset: (id: string, body: Body<'PATCH', '/api/content/media/{id}'>) =>
      request('PATCH', '/api/content/media/{id}', { params: { id }, body }),
    /** Restores a page or post from the trash. */
    restoreEntry: (type: EntryType, id: string) =>
      request('POST', '/api/content/{collection}/{ref}/untrash', { params: entryParams(type, id) }),
    /** Adds a picture from an address on the public internet. */
    addMediaFrom: (url: string) => request('POST', '/api/content/media/from-address', { body: { url } }),
    /** Moves a picture to the trash. */
    trashAsset: (id: string) => request('DELETE', '/api/content/media/{id}', { params: { id } }),
    restoreAsset: (id: string) => request('POST', '/api/content/media/{id}/restore', { params: { id } }),
    /** Ends the import before the next item; what was imported by then stays. */
    cancelImport: (id: string) => request('POST', '/api/content/imports/{id}/cancel', { params: { id } }),
    /** Undoes what can be undone of an import. */
    undoImport: (id: string) => request('POST', '/api/content/imports/{id}/undo', { params: { id } }),
    /** Removes a lasting preference of the user from a session. */
    dropPreference: (id: string, wishId: string) =>
      request('DELETE', '/api/sessions/{id}/wishes/{wishId}', { params: { id, wishId } }),
    confirmPreference: (id: string, wishId: string) =>
      request('POST', '/api/sessions/{id}/wishes/{wishId}/confirm', { params: { id, wishId } }),
    unconfirmPreference: (id: string, wishId: string) =>
      request('DELETE', '/api/sessions/{id}/wishes/{wishId}/confirm', { params: { id, wishId } }),
    restorePreference: (id: string, wishId: string) =>
      request('POST', '/api/sessions/{id}/wishes/{wishId}/restore', { params: { id, wishId } }),
    /** Undoes a compaction or prune: the view returns to its earlier state. */
    undoCompaction: (id: string, compactionId: string) =>
      request('POST', '/api/sessions/{id}/compactions/{compactionId}/undo', { params: { id, compactionId } }),
    /** Answers 200 with a UI message stream, or 202 with a QueuedReceipt. */
    chat: postChat,
    /** Sends a message, for scripts: returns the answer stream, or the message's place in the queue if a turn runs. */
    say: async (body: ChatRequest, signal?: AbortSignal): Promise<SendOutcome> => {
      const response = await postChat(body, signal);
      if (response.status !== 202) return { queued: null, chunks: readChatChunks(response) };
      return { queued: (await response.json()) as Answer<'POST', '/api/chat'>, chunks: null };
    },
    /** Follows the running turn from its start; 204 if none runs. */
    followChat: (id: string, signal?: AbortSignal) =>
      send(writeAddress('/api/chat/{id}/stream', { params: { id } }), {
        cache: 'no-store',
        ...(signal ? { signal } : {}),
      }),
    /**
     * Stops the running turn, in any process, and returns what was kept of it. Queued messages are held. `cancelled` is
     * false if the turn has not ended 10 seconds after the request.
     */
    cancel: (id: string) => request('POST', '/api/chat/{id}/cancel', { params: { id } }),
    /** Messages that wait for the running turn to end. */
    queue: {
      /** Starts a turn if none runs. */
      add: ({ message, ...body }: QueueRequest) =>
        request('POST', '/api/message/queue', { body: { ...body, message: userMessageOf(message) } }),
      edit: (id: string, message: MessageInput) =>
        request('PATCH', '/api/message/queue/{id}', { params: { id }, body: { message: userMessageOf(message) } }),
      remove: (id: string) => request('DELETE', '/api/message/queue/{id}', { params: { id } }),
      clear: (sessionId: string) => request('DELETE', '/api/message/queue', { query: { sessionId } }),
      /** Moves the message to the start of the queue; if no turn runs, starts one with this message alone. */
      send: (id: string) => request('POST', '/api/message/queue/{id}/send', { params: { id } }),
      /** Sends the messages that are held since a cancel. */
      release: (sessionId: string) => request('POST', '/api/message/queue/send', { query: { sessionId } }),
    },
    /** Stores settings, all or none; null resets a setting to the environment's value. */
    saveSettings: (body: Body<'PATCH', '/api/settings'>) => request('PATCH', '/api/settings', { body }),
    /**
     * Servers whose tools are offered in addition to the built-in ones. A null header or variable keeps the stored
     * value.
     */
    toolServers: {
      add: (body: Body<'POST', '/api/settings/mcp-servers'>) => request('POST', '/api/settings/mcp-servers', { body }),
      change: (id: string, body: Body<'PATCH', '/api/settings/mcp-servers/{id}'>) =>
        request('PATCH', '/api/settings/mcp-servers/{id}', { params: { id }, body }),
      remove: (id: string) => request('DELETE', '/api/settings/mcp-servers/{id}', { params: { id } }),
      /** The page on which a person signs in to it. */
      beginSignIn: (id: string) => request('POST', '/api/settings/mcp-servers/{id}/sign-in', { params: { id } }),
      finishSignIn: (id: string, body: Body<'POST', '/api/settings/mcp-servers/{id}/sign-in/answer'>) =>
        request('POST', '/api/settings/mcp-servers/{id}/sign-in/answer', { params: { id }, body }),
      signOut: (id: string) => request('DELETE', '/api/settings/mcp-servers/{id}/sign-in', { params: { id } }),
      /** Connects to it once, with the given transport or the stored one. */
      test: (id: string | null, transport?: McpTransportInput) => {
        if (id !== null)
          return request('POST', '/api/settings/mcp-servers/{id}/test', { params: { id }, body: { transport } });
        if (!transport) throw new Error('A server that is not stored has no stored transport.');
        return request('POST', '/api/settings/mcp-servers/test', { body: { transport } });
      },
    },
    /** Form submissions of visitors: some by id, or all that match a filter. */
    submissions: {
      mark: (selection: SubmissionSelection, isRead: boolean) =>
        request('PATCH', '/api/submissions', { body: { ...selection, isRead } }),
      remove: (body: SubmissionSelection) => request('DELETE', '/api/submissions', { body }),
      /** Sets how long submissions are kept, and deletes older ones. */
      keep: (keepDays: number) => request('PATCH', '/api/submissions/overview', { body: { keepDays } }),
    },
    /** Calls that wait for the user's decision. */
    approvals: async (id: string) => (await request('GET', '/api/sessions/{id}/approvals', { params: { id } })).items,
    /** Decides stored calls, once, all or none; after the last decision the turn continues. */
    decide: (id: string, decisions: readonly ApprovalDecision[]) =>
      request('POST', '/api/sessions/{id}/approvals', { params: { id }, body: { decisions } }),
    /**
     * Follows the events of a session, each once and in order, across lost connections, until `signal` aborts.
     * `needsSnapshot`, asked at each attempt: begins with a snapshot of the conversation. Default: only events.
     */
    events: (
      id: string,
      { needsSnapshot, ...options }: FollowOptions & { readonly needsSnapshot?: () => boolean },
    ): void =>
      follow(() => {
        const query = { snapshot: needsSnapshot?.() ? ('1' as const) : undefined };
        return addressOf('/api/sessions/{id}/events', { params: { id }, query });
      }, options),
    /** Follows what happens in the user's sessions; the first event of each connection has the present states. */
    sessionActivity: (options: FollowOptions<SessionActivityEvent>): void =>
      follow(() => addressOf('/api/sessions/events'), options),
    /** Follows which sessions have changed. */
    adminEvents: (options: FollowOptions<SessionChanged>): void =>
      follow(() => addressOf('/api/admin/events'), options),
  };
}

/**
 * A page of messages in the form of the AI SDK (`format=ui`). The route describes their parts loosely: the AI SDK defines
 * them.
 */
function chatPageOf(answer: unknown): ChatPage {
  return answer as ChatPage;
}

/** A message as the API takes it. The AI SDK has one type for the messages of both roles. */
function userMessageOf(message: MessageInput) {
  return message as Body<'POST', '/api/message/queue'>['message'];
}

/** The outcome of an undo of several changes. */
function undoOutcomeOf(answer: Answer<'POST', '/api/content/undo'>) {
  if (!('undone' in answer)) throw new Error('The response is about one change.');
  return answer;
}

const entryParams = (type: EntryType, ref: string) => ({ collection: `${type}s`, ref });

/** True if a "not found" error is about the site that the request names. */
function isAboutSite(details: unknown): boolean {
  return typeof details === 'object' && details !== null && 'what' in details && details.what === 'site';
}

/** The functions of createApiClient. */
export type ApiClient = ReturnType<typeof createApiClient>;

/**
 * The client of our own interface: it reports lost connections to the connection state, and asks the user to sign in.
 */
export const api = createApiClient({
  site: tabSite,
  onSiteGone: leaveDeletedSite,
  onUnreachable: connection.reportLost,
  onSignedOut: () => askToSignInAgain('expired'),
  onStale: () => askToSignInAgain('stale'),
});
