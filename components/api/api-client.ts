import { ApiError } from '#components/api/api-error.ts';
import type { ChatMessage } from '#components/api/chat-message.ts';
import { connection } from '#components/api/connection.ts';
import { askToSignInAgain } from '#components/api/sign-in-again.ts';
import { followEvents, type FollowOptions } from '#components/api/follow-events.ts';
import { type ChatChunk, readChatChunks } from '#components/api/chat-chunks.ts';
import { leaveDeletedSite, SITE_HEADER, tabSite } from '#components/api/tab-site.ts';
import { type MessagePage, paths } from '#components/api/paths.ts';
import type { CompactionRecord, StrategyName } from '#server/core/conversation/compactions';
import type { Asset, EntryDocument, EntryType, PatchOp, Section, SiteSettings } from '#server/core/site/content';
import type { StandingInstructions } from '#server/core/site/standing-instructions';
import type {
  assetChangeSchema,
  RestoreOutcome,
  ChangeSet,
  entryChangeSchema,
  publicationSchema,
  siteSettingsChangeSchema,
  standingChangeSchema,
  UndoOutcome,
} from '#server/core/site/changes';
import type { skippedSchema } from '#server/core/conversation/context-report';
import type { SessionActivityEvent, SessionChanged } from '#server/core/conversation/session-overview';
import type { PruneData, QueueData } from '#server/core/conversation/events';
import type { ExpectedValue } from '#server/core/site/expected-values';
import type { ImportRun } from '#server/core/site/imports';
import type { Preference } from '#server/core/conversation/preferences';
import type { McpServerInput, McpServersReport, McpTest, McpTransportInput } from '#server/core/admin/mcp-servers';
import type { Approval, ApprovalDecision, decidedSchema } from '#server/core/conversation/approvals';
import type { cancelledSchema, QueuedReceipt, QueueReceipt } from '#server/core/conversation/turns';
import type { Session } from '#server/core/conversation/sessions';
import type { PartContent } from '#server/core/conversation/parts';
import type { presenceBody, presentSchema } from '#server/core/site/presence';
import type { SettingsReport, SettingValue } from '#server/core/admin/settings-report';
import type { Shape } from '#server/core/shapes';
import type { SubmissionOverview, SubmissionQuery } from '#server/core/site/submissions';
import type { assetListSchema, entryAtPathSchema, undoableSchema } from '#server/core/site/site-lists';

/** A page of a list; `nextCursor` requests the next one, null: this is the last. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Result of a write to a picture. */
export type WrittenAsset = Pick<Shape<typeof assetChangeSchema>, 'asset' | 'change'>;

/** A page of the media library, with the number of all matching pictures. */
export type MediaPage = Shape<typeof assetListSchema>;

/** Editable fields of a waiting message. */
export type MessageInput = Pick<ChatMessage, 'role' | 'parts'>;

/** Selection of changes to undo: some turns of a session, or all. */
export interface UndoAllRequest {
  readonly sessionId: string;
  readonly turnIds?: readonly string[] | undefined;
  /** Undo what is possible; otherwise the undo is all or nothing. */
  readonly partial?: boolean;
  /** Only report what would happen. */
  readonly dryRun?: boolean;
}

/** Selection of what is restored: an entry, the page at a path, or everything that the session changed since. */
export interface RestoreRequest {
  /** The selected content returns to its state right after this change. */
  readonly changeId: string;
  readonly sessionId: string;
  readonly targetId?: string;
  readonly path?: string;
  /** Also if later changes by others are lost. */
  readonly overOthers?: boolean;
  readonly dryRun?: boolean;
}

type SubmissionSelection =
  { readonly ids: readonly string[] } | { readonly all: Omit<SubmissionQuery, 'cursor' | 'limit'> };

/** Body of POST compact; the settings apply to fields that are left out. */
export interface CompactionOptions {
  readonly strategy?: StrategyName;
  /** Focus of the summary. */
  readonly instructions?: string;
}

/** Body of a POST of an entry; the address is derived from the title. */
interface NewEntryBody extends Partial<Omit<EntryDocument, 'title' | 'slug' | 'sections'>> {
  readonly title: string;
  readonly sections: readonly Pick<Section, 'type' | 'fields'>[];
}

/** Body of a PATCH of an entry. */
interface EntryPatchBody {
  readonly operations: readonly PatchOp[];
  /** The values to be replaced, as the user saw them. */
  readonly expects?: readonly ExpectedValue[];
  /** Id of the change that this one continues. */
  readonly joins?: string;
}

/** Body of a PATCH of a session. */
export type SessionChanges = Partial<Pick<Session, 'title' | 'modelId'>>;

/** Body of POST /api/chat. */
export interface ChatRequest {
  readonly id: string;
  readonly message: ChatMessage;
  /** The page that the user has open. */
  readonly here?: Pick<PartContent<'situation'>, 'preview' | 'zone'>;
  readonly modelId?: string | undefined;
  /** Idempotency key: a repeated request with the same id runs once. */
  readonly clientRequestId: string;
  /** The newest user message, which the new message replaces. */
  readonly replaces?: { readonly messageId: string; readonly undoChanges: boolean };
}

/** Result of sending a message: its answer as it arrives, or its place in the queue. */
export type SendOutcome =
  | { readonly queued: null; readonly chunks: AsyncGenerator<ChatChunk, void, undefined> }
  | { readonly queued: QueuedReceipt; readonly chunks: null };

/** Body of POST /api/message/queue. */
export type QueueRequest = Omit<ChatRequest, 'id' | 'replaces'> & { readonly sessionId: string };

const { session, compaction, chat, entry, asset, importRun, queue, queueOf, queued } = paths;

/** A change that was undone, and the other changes of the same edit. */
interface UndoneChange {
  readonly change: ChangeSet;
  readonly together?: readonly ChangeSet[];
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
      const ask = () => fetch(`${baseUrl}${path}`, siteId === null ? init : { ...init, headers });
      const response = await ask();
      return response.status === 401 && (await onSignedOut?.()) === true ? await ask() : response;
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

  async function json<T>(method: string, path: string, body?: unknown, options: RequestInit = {}): Promise<T> {
    const response = await send(path, {
      ...options,
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

  const follow = <Event>(path: () => string, options: FollowOptions<Event>): void =>
    followEvents(
      (headers, signal) => fetchAnswer(path(), { headers, signal, cache: 'no-store' }).catch(() => null),
      options,
    );

  return {
    get: <T>(path: string) => json<T>('GET', path),
    /** Any request with a JSON body, for paths that have no function here. */
    json,
    createSession: (input: { title?: string; modelId?: string }) => json<Session>('POST', '/api/sessions', input),
    readSession: (id: string) => json<Session>('GET', session(id)),
    updateSession: (id: string, changes: SessionChanges) => json<Session>('PATCH', session(id), changes),
    deleteSession: (id: string) => json<undefined>('DELETE', session(id)),
    readMessages: (id: string, page: MessagePage) => json<Page<ChatMessage>>('GET', paths.messages(id, page)),
    /** Messages that were replaced when that message was sent. */
    earlierVersion: async (id: string, messageId: string) => {
      const path = `${session(id)}/messages?format=ui&supersededBy=${encodeURIComponent(messageId)}`;
      return (await json<Page<ChatMessage>>('GET', path)).items;
    },
    compact: (id: string, options: CompactionOptions = {}) =>
      json<CompactionRecord | Shape<typeof skippedSchema>>('POST', `${session(id)}/compact`, options),
    /** False if none was running. */
    cancelCompaction: async (id: string) =>
      (await json<{ readonly cancelled: boolean }>('POST', `${session(id)}/compact/cancel`)).cancelled,
    /** Clears old tool outputs from the context. */
    prune: (id: string) => json<PruneData>('POST', `${session(id)}/prune`),
    /** The next item that an undo in this session would undo; null if there are none. */
    undoable: async (id: string) => {
      const answer = await json<Shape<typeof undoableSchema>>('GET', `${session(id)}/undoable`);
      return answer.kind === null ? null : answer;
    },
    /** Undoes a change of the site; for an undo, redoes what it undid. */
    undoChange: async (changeId: string, sessionId?: string): Promise<readonly [ChangeSet, ...ChangeSet[]]> => {
      const body = { changeId, sessionId };
      const { change, together = [] } = await json<UndoneChange>('POST', '/api/content/undo', body);
      return [change, ...together];
    },
    /** Stores all standing instructions, unless they were changed since `ifRevision`. */
    saveStandingInstructions: (instructions: StandingInstructions & { readonly ifRevision?: number }) =>
      json<Shape<typeof standingChangeSchema>>('PUT', paths.standingInstructions, instructions),
    /** Undoes what a session, or some of its turns, did to the site. */
    undoAll: (request: UndoAllRequest) => json<UndoOutcome>('POST', '/api/content/undo', { all: true, ...request }),
    /** Undoes several changes, all or nothing. `along`: including all later ones in the same places. */
    undoThese: (request: {
      readonly changeIds: readonly string[];
      readonly along?: boolean;
      readonly sessionId?: string | undefined;
    }) => json<UndoOutcome>('POST', '/api/content/undo', request),
    /** Creates a page or post as a draft. @throws ApiError, 409 if its address is taken */
    createEntry: (type: EntryType, body: NewEntryBody) =>
      json<Shape<typeof entryChangeSchema>>('POST', `/api/content/${type}s`, body),
    /** The page or post whose draft is at a path; null if no entry is. */
    entryAt: async (path: string) =>
      (await json<Shape<typeof entryAtPathSchema>>('GET', `/api/content/at?path=${encodeURIComponent(path)}`)).entry,
    /** The newest changes of one target. */
    changesOf: async (targetId: string) =>
      (await json<Pick<Page<ChangeSet>, 'items'>>('GET', paths.changes({ targetId }, 50))).items,
    /**
     * Changes fields and sections of a draft, all or nothing.
     * @param keepalive the request outlives the page
     * @throws ApiError, 409 with details of changedValuesSchema if an expected value has changed
     */
    patchEntry: (type: EntryType, id: string, patch: EntryPatchBody, keepalive = false) =>
      json<Shape<typeof entryChangeSchema>>('PATCH', entry(type, id), patch, { keepalive }),
    /**
     * Reports which page is open in this window and which field is being edited; returns who else is present.
     * @param keepalive the request outlives the page
     */
    reportPresence: (here: Shape<typeof presenceBody>, keepalive = false) =>
      json<Shape<typeof presentSchema>>('POST', '/api/content/presence', here, { keepalive }),
    /** Restores a page, or everything that a session changed since, to its state right after a change. */
    restoreTo: (request: RestoreRequest) => json<RestoreOutcome>('POST', '/api/content/bring-back', request),
    /** Changes some of the site's settings, visible to all visitors immediately. */
    updateSiteSettings: (settings: Partial<SiteSettings>) =>
      json<Shape<typeof siteSettingsChangeSchema>>('PATCH', paths.settings, settings),
    /** Publishes the draft of an entry. */
    publish: (type: EntryType, id: string) =>
      json<Shape<typeof publicationSchema>>('POST', `${entry(type, id)}/publish`),
    /** Restores the draft of an entry to an earlier revision, as a new change. */
    restoreVersion: async (type: EntryType, id: string, revision: number) =>
      (await json<{ readonly change: ChangeSet }>('POST', `${entry(type, id)}/restore`, { revision })).change,
    /** Replaces the draft of an entry by its published state. */
    discardDraft: async (type: EntryType, id: string) =>
      (await json<{ readonly change: ChangeSet }>('POST', `${entry(type, id)}/discard`)).change,
    /** Changes the description, file name or tags of a picture. */
    updateAsset: (id: string, details: Partial<Pick<Asset, 'alt' | 'filename' | 'tags'>>) =>
      json<WrittenAsset>('PATCH', asset(id), details),
    /** Restores a page or post from the trash. */
    restoreEntry: (type: EntryType, id: string) =>
      json<{ readonly change: ChangeSet }>('POST', `${entry(type, id)}/untrash`),
    /** Adds a picture from an address on the public internet. */
    addMediaFrom: (url: string) => json<WrittenAsset>('POST', `${paths.newMedia}/from-address`, { url }),
    /** Moves a picture to the trash. */
    trashAsset: (id: string) => json<WrittenAsset>('DELETE', asset(id)),
    restoreAsset: (id: string) => json<WrittenAsset>('POST', `${asset(id)}/restore`),
    /** Ends the import before the next item; what was imported by then stays. */
    cancelImport: (id: string) => json<ImportRun>('POST', `${importRun(id)}/cancel`),
    /** Undoes what can be undone of an import. */
    undoImport: (id: string) => json<UndoOutcome>('POST', `${importRun(id)}/undo`),
    /** Removes a lasting preference of the user from a session. */
    dropPreference: (id: string, preferenceId: string) =>
      json<undefined>('DELETE', `${paths.preferences(id)}/${preferenceId}`),
    restorePreference: (id: string, preferenceId: string) =>
      json<Preference>('POST', `${paths.preferences(id)}/${preferenceId}/restore`),
    /** Undoes a compaction or prune: the view returns to its earlier state. */
    undoCompaction: (id: string, compactionId: string) =>
      json<CompactionRecord>('POST', `${compaction(id, compactionId)}/undo`),
    /** Answers 200 with a UI message stream, or 202 with a QueuedReceipt. */
    chat: postChat,
    /** Sends a message, for scripts: returns the answer stream, or the message's place in the queue if a turn runs. */
    say: async (request: ChatRequest, signal?: AbortSignal): Promise<SendOutcome> => {
      const response = await postChat(request, signal);
      if (response.status !== 202) return { queued: null, chunks: readChatChunks(response) };
      return { queued: (await response.json()) as QueuedReceipt, chunks: null };
    },
    /** True if a turn of the session runs. */
    /** Follows the running turn from its start; 204 if none runs. */
    followChat: (id: string, signal?: AbortSignal) =>
      send(`${chat(id)}/stream`, { cache: 'no-store', ...(signal ? { signal } : {}) }),
    /**
     * Stops the running turn, in any process, and returns what was kept of it. Queued messages are held. `cancelled` is
     * false if the turn has not ended 10 seconds after the request.
     */
    cancel: (id: string) => json<Shape<typeof cancelledSchema>>('POST', `${chat(id)}/cancel`),
    /** Messages that wait for the running turn to end. */
    queue: {
      /** Starts a turn if none runs. */
      add: (request: QueueRequest) => json<QueueReceipt>('POST', queue, request),
      edit: (id: string, message: MessageInput) => json<QueueData['items'][number]>('PATCH', queued(id), { message }),
      remove: (id: string) => json<undefined>('DELETE', queued(id)),
      clear: (sessionId: string) => json<{ readonly removed: number }>('DELETE', queueOf(sessionId)),
      /** Moves the message to the start of the queue; if no turn runs, starts one with this message alone. */
      send: (id: string) => json<{ readonly started: boolean }>('POST', `${queued(id)}/send`),
      /** Sends the messages that are held since a cancel. */
      release: (sessionId: string) =>
        json<{ readonly started: boolean }>('POST', `${queue}/send?sessionId=${encodeURIComponent(sessionId)}`),
    },
    /** Stores settings, all or none; null resets a setting to the environment's value. */
    saveSettings: (patch: Readonly<Record<string, SettingValue | null>>) =>
      json<SettingsReport>('PATCH', paths.engineSettings, patch),
    /**
     * Servers whose tools are offered in addition to the built-in ones. A null header or variable keeps the stored
     * value.
     */
    toolServers: {
      add: (server: McpServerInput) => json<McpServersReport>('POST', paths.toolServers, server),
      change: (id: string, changes: Partial<McpServerInput>) =>
        json<McpServersReport>('PATCH', `${paths.toolServers}/${id}`, changes),
      remove: (id: string) => json<undefined>('DELETE', `${paths.toolServers}/${id}`),
      /** Connects to it once, with the given transport or the stored one. */
      test: (id: string | null, transport?: McpTransportInput) =>
        json<McpTest>(
          'POST',
          `${paths.toolServers}${id === null ? '' : `/${id}`}/test`,
          transport ? { transport } : {},
        ),
    },
    /** Form submissions of visitors: some by id, or all that match a filter. */
    submissions: {
      mark: (selection: SubmissionSelection, isRead: boolean) =>
        json<{ readonly changed: number }>('PATCH', '/api/submissions', { ...selection, isRead }),
      remove: (selection: SubmissionSelection) =>
        json<{ readonly changed: number }>('DELETE', '/api/submissions', selection),
      /** Sets how long submissions are kept, and deletes older ones. */
      keep: (keepDays: number) => json<SubmissionOverview>('PATCH', paths.submissionOverview, { keepDays }),
    },
    /** Calls that wait for the user's decision. */
    approvals: async (sessionId: string) =>
      (await json<Pick<Page<Approval>, 'items'>>('GET', `${session(sessionId)}/approvals`)).items,
    /** Decides stored calls, once, all or none; after the last decision the turn continues. */
    decide: (sessionId: string, decisions: readonly ApprovalDecision[]) =>
      json<Shape<typeof decidedSchema>>('POST', `${session(sessionId)}/approvals`, { decisions }),
    /**
     * Follows the events of a session, each once and in order, across lost connections, until `signal` aborts.
     * `needsSnapshot`, asked at each attempt: begins with a snapshot of the conversation. Default: only events.
     */
    events: (
      sessionId: string,
      { needsSnapshot, ...options }: FollowOptions & { readonly needsSnapshot?: () => boolean },
    ): void => follow(() => `${session(sessionId)}/events${needsSnapshot?.() ? '?snapshot=1' : ''}`, options),
    /** Follows what happens in the user's sessions; the first event of each connection has the present states. */
    sessionActivity: (options: FollowOptions<SessionActivityEvent>): void =>
      follow(() => '/api/sessions/events', options),
    /** Follows which sessions have changed. */
    adminEvents: (options: FollowOptions<SessionChanged>): void => follow(() => '/api/admin/events', options),
  };
}

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
