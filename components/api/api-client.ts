import { ApiError } from '#components/api/api-error';
import type { ChatMessage } from '#components/api/chat-message';
import { connection } from '#components/api/connection';
import { askToSignInAgain } from '#components/api/sign-in-again';
import { followEvents, type FollowOptions } from '#components/api/follow-events';
import { type ChatChunk, readChatChunks } from '#components/api/event-stream';
import { leaveGoneSite, SITE_HEADER, tabSite } from '#components/api/tab-site';
import { type MessagePage, paths } from '#components/api/paths';
import type { CompactionRecord, StrategyName } from '#server/core/compactions';
import type {
  Asset,
  EntryDocument,
  EntryType,
  PatchOp,
  Section,
  SiteSettings,
  StandingInstructions,
} from '#server/core/content';
import type {
  assetChangeSchema,
  BroughtBack,
  ChangeSet,
  entryChangeSchema,
  publicationSchema,
  siteSettingsChangeSchema,
  standingChangeSchema,
  UndoOutcome,
} from '#server/core/changes';
import type { skippedSchema } from '#server/core/context-report';
import type { SessionChanged } from '#server/core/session-overview';
import type { PruneData, QueueData } from '#server/core/events';
import type { ExpectedValue } from '#server/core/expected-values';
import type { ImportRun } from '#server/core/imports';
import type { KeptWish } from '#server/core/kept-wishes';
import type { McpServerInput, McpServersReport, McpTest, McpTransportInput } from '#server/core/mcp-servers';
import type { Approval, ApprovalDecision, decidedSchema } from '#server/core/approvals';
import type { cancelledSchema, QueuedReceipt, QueueReceipt } from '#server/core/turns';
import type { Session } from '#server/core/sessions';
import type { PartContent } from '#server/core/parts';
import type { hereBody, presentSchema } from '#server/core/presence';
import type { SettingsReport, SettingValue } from '#server/core/settings-report';
import type { Shape } from '#server/core/shapes';
import type { SubmissionOverview, SubmissionQuery } from '#server/core/submissions';
import type { assetListSchema, entryAtPathSchema, undoableSchema } from '#server/core/site-lists';

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Result of a write to a picture. */
export type WrittenAsset = Pick<Shape<typeof assetChangeSchema>, 'asset' | 'change'>;

export type MediaPage = Shape<typeof assetListSchema>;

/** Editable fields of a waiting message. */
export type MessageInput = Pick<ChatMessage, 'role' | 'parts'>;

/** Selection of changes to undo: some turns of a session, or all. */
export interface UndoAllRequest {
  readonly sessionId: string;
  readonly turnIds?: readonly string[] | undefined;
  /** Take back what can be; else it is all or nothing. */
  readonly partial?: boolean;
  /** Only say what would come of it. */
  readonly dryRun?: boolean;
}

/** Selection of what is brought back: a thing, the page at a path, or all that the session changed since. */
export interface BringBackRequest {
  /** Things become what they were right after this change. */
  readonly changeId: string;
  readonly sessionId: string;
  readonly targetId?: string;
  readonly path?: string;
  /** Also where later steps of others are lost. */
  readonly overOthers?: boolean;
  readonly dryRun?: boolean;
}

type SubmissionSelection =
  { readonly ids: readonly string[] } | { readonly all: Omit<SubmissionQuery, 'cursor' | 'limit'> };

/** Body of POST compact; what is left out is as in the settings. */
export interface CompactionOptions {
  readonly strategy?: StrategyName;
  /** Focus of the summary. */
  readonly instructions?: string;
}

/** Body of a POST of an entry; the address is made from the title. */
interface NewEntryBody extends Partial<Omit<EntryDocument, 'title' | 'slug' | 'sections'>> {
  readonly title: string;
  readonly sections: readonly Pick<Section, 'type' | 'fields'>[];
}

/** Body of a PATCH of an entry. */
interface EntryPatchBody {
  readonly operations: readonly PatchOp[];
  /** The values that are replaced, as they were seen. */
  readonly expects?: readonly ExpectedValue[];
  /** Id of the change that this one goes on with. */
  readonly joins?: string;
}

/** Body of a PATCH of a session. */
export type SessionChanges = Partial<Pick<Session, 'title' | 'modelId'>>;

/** Body of POST /api/chat. */
export interface ChatRequest {
  readonly id: string;
  readonly message: ChatMessage;
  /** The page that its writer looks at. */
  readonly here?: Pick<PartContent<'situation'>, 'preview' | 'zone'>;
  readonly modelId?: string | undefined;
  /** The same id makes a repeated request run once. */
  readonly clientRequestId: string;
  /** The newest request, in whose place the message is sent. */
  readonly replaces?: { readonly messageId: string; readonly undoChanges: boolean };
}

export type SayOutcome =
  | { readonly queued: null; readonly chunks: AsyncGenerator<ChatChunk, void, undefined> }
  | { readonly queued: QueuedReceipt; readonly chunks: null };

/** Body of POST /api/message/queue. */
export type QueueRequest = Omit<ChatRequest, 'id' | 'replaces'> & { readonly sessionId: string };

const { session, compaction, chat, entry, asset, importRun, queue, queueOf, queued } = paths;

/** A change taken back, and the others of its edit. */
interface UndoneChange {
  readonly change: ChangeSet;
  readonly together?: readonly ChangeSet[];
}

export interface ApiClientOptions {
  /** Address of another server than the one the page came from: `http://127.0.0.1:3000`. */
  readonly baseUrl?: string;
  /** The site that requests are about; null: the server decides. */
  readonly site?: () => string | null;
  /** Called when that site is gone, or not open to whoever asks. */
  readonly onSiteGone?: () => void;
  /** No server answered. */
  readonly onUnreachable?: () => void;
  /** The server knows nobody signed in; true: somebody is by now, and what was refused is sent again. */
  readonly onSignedOut?: () => Promise<boolean>;
  /** The server asks whoever signed in a while ago to do so again; true: they have, likewise. */
  readonly onStale?: () => Promise<boolean>;
}

/**
 * The REST API as functions: chat, queue, cancel, approvals and events first of all. All of them throw ApiError, for
 * every answer that is not a success and for no answer; an abort is passed on as it is.
 */
export function createApiClient({ baseUrl = '', site, onSiteGone, onUnreachable, ...asks }: ApiClientOptions = {}) {
  const { onSignedOut, onStale } = asks;
  /** Any answer, good or bad. */
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
    const isAfresh = error.code === 'sign_in_again' && (await onStale?.()) === true;
    if (!isAfresh) throw error;
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

  const follow = <Event>(path: string, options: FollowOptions<Event>): void =>
    followEvents(
      (headers, signal) => fetchAnswer(path, { headers, signal, cache: 'no-store' }).catch(() => null),
      options,
    );

  return {
    get: <T>(path: string) => json<T>('GET', path),
    /** For parts of the interface that have their own words for it. */
    json,
    createSession: (input: { title?: string; modelId?: string }) => json<Session>('POST', '/api/sessions', input),
    readSession: (id: string) => json<Session>('GET', session(id)),
    updateSession: (id: string, changes: SessionChanges) => json<Session>('PATCH', session(id), changes),
    deleteSession: (id: string) => json<undefined>('DELETE', session(id)),
    readMessages: (id: string, page: MessagePage) =>
      json<Page<ChatMessage> & { newestEvent?: number }>('GET', paths.messages(id, page)),
    /** Messages that were superseded when that message was sent. */
    earlierVersion: async (id: string, messageId: string) => {
      const path = `${session(id)}/messages?format=ui&supersededBy=${encodeURIComponent(messageId)}`;
      return (await json<Page<ChatMessage>>('GET', path)).items;
    },
    compact: (id: string, options: CompactionOptions = {}) =>
      json<CompactionRecord | Shape<typeof skippedSchema>>('POST', `${session(id)}/compact`, options),
    /** False: none was running. */
    cancelCompaction: async (id: string) =>
      (await json<{ readonly cancelled: boolean }>('POST', `${session(id)}/compact/cancel`)).cancelled,
    prune: (id: string) => json<PruneData>('POST', `${session(id)}/prune`),
    /** Next thing that an undo in this session would take back; null: nothing. */
    undoable: async (id: string) => {
      const answer = await json<Shape<typeof undoableSchema>>('GET', `${session(id)}/undoable`);
      return answer.kind === null ? null : answer;
    },
    /** Takes back a change of the site; of an undo: brings back what it took. */
    undoChange: async (changeId: string, sessionId?: string): Promise<readonly [ChangeSet, ...ChangeSet[]]> => {
      const body = { changeId, sessionId };
      const { change, together = [] } = await json<UndoneChange>('POST', '/api/content/undo', body);
      return [change, ...together];
    },
    /** Stores all of the standing instructions, unless they were written since `ifRevision`. */
    saveStandingInstructions: (instructions: StandingInstructions & { readonly ifRevision?: number }) =>
      json<Shape<typeof standingChangeSchema>>('PUT', paths.standingInstructions, instructions),
    /** Takes back what a session, or some of its turns, did to the site. */
    undoAll: (request: UndoAllRequest) => json<UndoOutcome>('POST', '/api/content/undo', { all: true, ...request }),
    /** Takes back several changes, all or nothing; `along`: with all later ones in the same places. */
    undoThese: (request: {
      readonly changeIds: readonly string[];
      readonly along?: boolean;
      readonly sessionId?: string | undefined;
    }) => json<UndoOutcome>('POST', '/api/content/undo', request),
    /** Makes a page or post, as a draft. @throws ApiError, 409 where its address is taken */
    createEntry: (type: EntryType, body: NewEntryBody) =>
      json<Shape<typeof entryChangeSchema>>('POST', `/api/content/${type}s`, body),
    /** The page or post whose draft is at a path; null: none is. */
    entryAt: async (path: string) =>
      (await json<Shape<typeof entryAtPathSchema>>('GET', `/api/content/at?path=${encodeURIComponent(path)}`)).entry,
    /** The newest changes of one thing. */
    changesOf: async (targetId: string) =>
      (await json<Pick<Page<ChangeSet>, 'items'>>('GET', paths.changes({ targetId }, 50))).items,
    /**
     * Changes fields and sections of a draft, all or nothing.
     * @param keepalive the request outlives the page
     * @throws ApiError, 409 with details of changedValuesSchema where an expected value is another one by now
     */
    patchEntry: (type: EntryType, id: string, patch: EntryPatchBody, keepalive = false) =>
      json<Shape<typeof entryChangeSchema>>('PATCH', entry(type, id), patch, { keepalive }),
    /**
     * Says which page is open in this window and which field is written in; tells who else is there.
     * @param keepalive the request outlives the page
     */
    sayWhere: (here: Shape<typeof hereBody>, keepalive = false) =>
      json<Shape<typeof presentSchema>>('POST', '/api/content/presence', here, { keepalive }),
    /** Makes a page, or all that a session changed since, what it was right after a change. */
    bringBack: (request: BringBackRequest) => json<BroughtBack>('POST', '/api/content/bring-back', request),
    /** Changes some of the site's settings, for all visitors and at once. */
    updateSiteSettings: (settings: Partial<SiteSettings>) =>
      json<Shape<typeof siteSettingsChangeSchema>>('PATCH', paths.settings, settings),
    /** Shows visitors the draft of an entry. */
    publish: (type: EntryType, id: string) =>
      json<Shape<typeof publicationSchema>>('POST', `${entry(type, id)}/publish`),
    /** Makes the draft of an entry what it was; a new change of it. */
    restoreVersion: async (type: EntryType, id: string, revision: number) =>
      (await json<{ readonly change: ChangeSet }>('POST', `${entry(type, id)}/restore`, { revision })).change,
    /** Makes the draft of an entry what is published. */
    discardDraft: async (type: EntryType, id: string) =>
      (await json<{ readonly change: ChangeSet }>('POST', `${entry(type, id)}/discard`)).change,
    /** Changes what is said of a picture. */
    updateAsset: (id: string, details: Partial<Pick<Asset, 'alt' | 'filename' | 'tags'>>) =>
      json<WrittenAsset>('PATCH', asset(id), details),
    /** Takes a page or post out of the trash. */
    restoreEntry: (type: EntryType, id: string) =>
      json<{ readonly change: ChangeSet }>('POST', `${entry(type, id)}/untrash`),
    trashAsset: (id: string) => json<WrittenAsset>('DELETE', asset(id)),
    restoreAsset: (id: string) => json<WrittenAsset>('POST', `${asset(id)}/restore`),
    /** Ends it before the next thing; what was taken by then stays. */
    cancelImport: (id: string) => json<ImportRun>('POST', `${importRun(id)}/cancel`),
    /** Takes back what of an import can be. */
    undoImport: (id: string) => json<UndoOutcome>('POST', `${importRun(id)}/undo`),
    letWishGo: (id: string, wishId: string) => json<undefined>('DELETE', `${paths.wishes(id)}/${wishId}`),
    keepWishAgain: (id: string, wishId: string) => json<KeptWish>('POST', `${paths.wishes(id)}/${wishId}/restore`),
    /** Takes back a compaction or prune: the view is as it was before. */
    undoCompaction: (id: string, compactionId: string) =>
      json<CompactionRecord>('POST', `${compaction(id, compactionId)}/undo`),
    /** Answers 200 with a UI message stream, or 202 with a QueuedReceipt. */
    chat: postChat,
    /** Sends a message, for scripts: the answer as it comes, or the message's place behind the turn that runs. */
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
    /**
     * Stops the running turn, wherever it runs, and says what was kept of it. What waits is held. `cancelled` is false
     * for one that was told to stop and has not ended after 10 seconds.
     */
    cancel: (id: string) => json<Shape<typeof cancelledSchema>>('POST', `${chat(id)}/cancel`),
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
    /** Stores settings, all or none; null goes back to the environment's value. */
    saveSettings: (patch: Readonly<Record<string, SettingValue | null>>) =>
      json<SettingsReport>('PATCH', paths.engineSettings, patch),
    /** Servers whose tools are offered beside ours. A null header or variable keeps what is stored. */
    toolServers: {
      add: (server: McpServerInput) => json<McpServersReport>('POST', paths.toolServers, server),
      change: (id: string, changes: Partial<McpServerInput>) =>
        json<McpServersReport>('PATCH', `${paths.toolServers}/${id}`, changes),
      remove: (id: string) => json<undefined>('DELETE', `${paths.toolServers}/${id}`),
      /** Reaches it once, as it is described or as it is stored. */
      test: (id: string | null, transport?: McpTransportInput) =>
        json<McpTest>(
          'POST',
          `${paths.toolServers}${id === null ? '' : `/${id}`}/test`,
          transport ? { transport } : {},
        ),
    },
    /** Form submissions of visitors: some by id, or all that a filter finds. */
    submissions: {
      mark: (selection: SubmissionSelection, isRead: boolean) =>
        json<{ readonly changed: number }>('PATCH', '/api/submissions', { ...selection, isRead }),
      remove: (selection: SubmissionSelection) =>
        json<{ readonly changed: number }>('DELETE', '/api/submissions', selection),
      /** Sets how long they are kept, and deletes what is older. */
      keep: (keepDays: number) => json<SubmissionOverview>('PATCH', paths.submissionOverview, { keepDays }),
    },
    /** Calls that wait for the user's word. */
    approvals: async (sessionId: string) =>
      (await json<Pick<Page<Approval>, 'items'>>('GET', `${session(sessionId)}/approvals`)).items,
    /** Decides stored calls, once, all or none; with the last one the turn goes on. */
    decide: (sessionId: string, decisions: readonly ApprovalDecision[]) =>
      json<Shape<typeof decidedSchema>>('POST', `${session(sessionId)}/approvals`, { decisions }),
    /** Hears what happens in a session, each event once and in order, across lost connections, until `signal` aborts. */
    events: (sessionId: string, options: FollowOptions): void => follow(`${session(sessionId)}/events`, options),
    /** Hears which sessions have changed. */
    adminEvents: (options: FollowOptions<SessionChanged>): void => follow('/api/admin/events', options),
  };
}

/** Tells whether what was not found is the site that the request names. */
function isAboutSite(details: unknown): boolean {
  return typeof details === 'object' && details !== null && 'what' in details && details.what === 'site';
}

export type ApiClient = ReturnType<typeof createApiClient>;

/** The client of our own interface: it says to the connection state what it cannot reach, and asks to sign in. */
export const api = createApiClient({
  site: tabSite,
  onSiteGone: leaveGoneSite,
  onUnreachable: connection.reportLost,
  onSignedOut: () => askToSignInAgain('expired'),
  onStale: () => askToSignInAgain('stale'),
});
