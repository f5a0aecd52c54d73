import 'server-only';
import type { DestinationStream, Logger } from 'pino';
import { Attachments } from '#server/agent/attachments';
import { chatStreamResponse } from '#server/agent/turn-stream';
import { ContextService } from '#server/agent/context-service';
import { findUndoable } from '#server/agent/find-undoable';
import {
  loadEarlierVersion,
  loadTranscript,
  loadTranscriptPage,
  loadTurn,
  type TranscriptPage,
  type TranscriptQuery,
} from '#server/agent/load-transcript';
import { SessionEvents } from '#server/agent/session-events';
import { followStoredTurn } from '#server/agent/stored-turn-stream';
import { TurnService } from '#server/agent/turn-service';
import type { ThroughlineUIMessage } from '#server/agent/ui-messages';
import type { Completions } from '#server/completions/completions';
import { ContextManager } from '#server/context/context-manager';
import type { ContentBackend } from '#server/content/content-backend';
import type { ContentStore } from '#server/content/embedded/content-store';
import { createSiteState } from '#server/content/site-state';
import { readLedger, readPlanned, readTrash } from '#server/content/site-lists';
import type { PlannedPage, PlannedQuery, TrashPage, TrashQuery, Undoable } from '#server/core/site-lists';
import type { TurnStore } from '#server/core/turn-store';
import { type Env, parseEnv } from '#server/config/env';
import { createSettings, type Settings } from '#server/settings/settings';
import type { Sites } from '#server/sites/sites';
import type { Standing } from '#server/sites/active-content';
import { settingsReport, toolServersReport } from '#server/settings/settings-report';
import type { ProviderId, ProviderTest, SettingsReport } from '#server/core/settings-report';
import { exportSite, type SiteExportOptions } from '#server/export/export-site';
import type { Imports } from '#server/import/imports';
import { createCalibrationRepository, createCatalogRepository } from '#server/store/model-facts-repository';
import { createSettingsRepository } from '#server/store/settings-repository';
import { loadCalibrations } from '#server/context/calibration';
import { createModelCatalog } from '#server/models/model-catalog';
import {
  createModelRegistry,
  createModelSources,
  type ModelOverrides,
  type ModelRegistry,
} from '#server/models/model-registry';
import { testProvider } from '#server/models/test-provider';
import { createBlobRepository } from '#server/store/blob-repository';
import { type CompactionRepository, createCompactionRepository } from '#server/store/compaction-repository';
import { newLease } from '#server/store/leases';
import { type ContextSampleRepository, createContextSampleRepository } from '#server/store/context-sample-repository';
import { createContextStore } from '#server/store/context-store';
import { createEventRepository } from '#server/store/event-repository';
import { createHistoryReader } from '#server/store/history-reading';
import { createHistorySearch, type HistorySearch } from '#server/store/history-search';
import { createKeptWishRepository } from '#server/store/kept-wish-repository';
import { createMessageRepository, type MessageRepository } from '#server/store/message-repository';
import { createSessionCost, createSessionOverviews, type SessionOverviews } from '#server/store/session-overviews';
import {
  createLoadedToolsStore,
  createSessionRepository,
  type SessionRepository,
} from '#server/store/session-repository';
import { createTurnRepository } from '#server/store/turn-repository';
import { connectToRedis } from '#server/signals/signals';
import { alwaysOffered, mostUsed, tools as ownTools } from '#server/tools/index';
import type { Tool } from '#server/tools/tool';
import type { McpServers } from '#server/mcp/mcp-servers';
import type { Accounts } from '#server/auth/accounts';
import { type ApiKeys, createApiKeys } from '#server/auth/api-keys';
import { type Authenticator, createAuthenticator } from '#server/auth/authenticator';
import { createLimits, type Limits } from '#server/auth/limits';
import { type AuditLog, createAuditLog } from '#server/auth/audit-log';
import { createApiKeyRepository } from '#server/store/api-key-repository';
import type { CallRequestStore } from '#server/core/call-requests';
import { createCallRequestRepository } from '#server/store/call-request-repository';
import type { McpEndpoint } from '#server/mcp-endpoint/mcp-endpoint';
import { createAuditRepository } from '#server/store/audit-repository';
import { lazyMcpEndpoint, openCompletions, openToolServers } from '#server/services/annexes';
import { openAccounts, openFoundation } from '#server/services/foundation';
import { openSite } from '#server/services/site';
import { countRunningTurns } from '#server/store/turn-rows';
import { KeptWishes } from '#server/agent/kept-wishes';
import { sessionInstructions, usableOf } from '#server/agent/session-context';
import { countRecurringTokens } from '#server/context/tokens';
import { Toolboxes } from '#server/agent/toolboxes';
import type { McpServersReport } from '#server/core/mcp-servers';

/** Everything that routes and pages may use, wired once per process. */
export interface Services extends AsyncDisposable {
  readonly env: Env;
  readonly log: Logger;
  /** Finds the authenticated caller of a request. */
  readonly authenticator: Authenticator;
  /** API keys of programs. */
  readonly keys: ApiKeys;
  /** Rate limits. */
  readonly limits: Limits;
  readonly audit: AuditLog;
  /** Accounts of people; null in local mode, where nobody signs in. */
  readonly accounts: Accounts | null;
  /**
   * Resolves when requests can be served: the database is the one that was opened, of this build, and can be written.
   * @throws StoreBusyError, StoreUnavailableError
   */
  readonly requireReady: () => Promise<void>;
  readonly sessions: SessionRepository;
  readonly messages: MessageRepository;
  readonly turns: TurnStore;
  readonly compactions: CompactionRepository;
  /** Lasting wishes that conversations keep. */
  readonly wishes: KeptWishes;
  /** Samples of how full contexts were, step by step. */
  readonly samples: ContextSampleRepository;
  /** All sessions, as an administrator sees them. */
  readonly overviews: SessionOverviews;
  /** Content of the active site. */
  readonly content: ContentBackend;
  /** The built-in and the connected sites, one of which is active. */
  readonly sites: Sites;
  /** Imports of whole sites from files. */
  readonly imports: Imports;
  /** The active site as a JSON file, which an import takes back. */
  readonly siteExport: (options: SiteExportOptions) => AsyncGenerator<string>;
  /** Deleted entries. */
  readonly trash: (query: TrashQuery) => Promise<TrashPage>;
  /** Entries with a planned publication. */
  readonly planned: (query: PlannedQuery) => Promise<PlannedPage>;
  readonly models: ModelRegistry;
  readonly settings: Settings;
  /** The site's standing instructions, as stored and as models read them. */
  readonly standing: Standing;
  /** All settings with their present values. */
  readonly settingsReport: () => SettingsReport;
  /** Servers whose tools are offered beside ours. */
  readonly toolServers: Pick<McpServers, 'get' | 'create' | 'update' | 'delete' | 'test'>;
  /** The same servers, with what their tools cost. */
  readonly toolServersReport: () => Promise<McpServersReport>;
  /** Tries to reach a provider with what is configured. */
  readonly testProvider: (id: ProviderId) => Promise<ProviderTest>;
  /** Search and reading in the history of a session. */
  readonly history: HistorySearch;
  readonly context: ContextService;
  readonly chat: TurnService;
  /** Conversations that other programs hold. */
  readonly completions: Completions;
  /** Tools and pages of the site, for other assistants. */
  readonly mcpEndpoint: () => Promise<McpEndpoint>;
  /** Tool calls of other assistants that wait for a person. */
  readonly callRequests: CallRequestStore;
  /** Files of messages. */
  readonly attachments: Attachments;
  /** Events of the sessions, for all who follow them. */
  readonly events: SessionEvents;
  /** Aborts when this process stops; streams without an end of their own end then. */
  readonly closing: AbortSignal;
  /** Aborts `closing`. Disposing does too, when nobody may be left to hear it. */
  readonly endStreams: () => void;
  /** The whole conversation as the chat shows it. */
  readonly transcript: (sessionId: string) => Promise<ThroughlineUIMessage[]>;
  /** Its newest turns, or those in front of a cursor. */
  readonly transcriptPage: (sessionId: string, query: TranscriptQuery) => Promise<TranscriptPage>;
  /** The messages that were superseded when this one was sent, as the chat shows them. */
  readonly earlierVersion: (sessionId: string, messageId: string) => Promise<ThroughlineUIMessage[]>;
  /** Changes that an undo in this session would take back; null when there are none. */
  readonly undoable: (sessionId: string) => Promise<Undoable | null>;
  /** A turn's stream as the response to a request. */
  readonly streamResponse: typeof chatStreamResponse;
}

/** Routes, pages and instrumentation each get their own instance of this module; the container is one for all. */
const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/** The services of this process, started by the first caller. */
export function services(): Promise<Services> {
  container.throughlineServices ??= startServices(parseEnv(process.env));
  return container.throughlineServices;
}

/** Replacements for what this program brings along. */
export interface Overrides extends ModelOverrides {
  /** All tools, in order. */
  readonly tools?: readonly Tool[];
  /** Keeps the built-in site. Default: the database. */
  readonly contentStore?: ContentStore;
  /** Time to wait for a busy database, milliseconds: of one write, and of the writes of a running turn. */
  readonly patience?: { readonly writeMs: number; readonly turnMs: number };
  /** Takes the lines of the log. Default: standard output. */
  readonly logDestination?: DestinationStream;
}

/**
 * Wires services of the caller's own (tests, scripts), who disposes them.
 * @throws when the database cannot be opened or migrated
 */
export async function startServices(env: Env, overrides: Overrides = {}): Promise<Services> {
  const foundation = await openFoundation(env, overrides.patience?.writeMs, overrides.logDestination);
  const { log, watch, database, leaseWatch, signals, onFault } = foundation;
  const { tools = ownTools } = overrides;
  const sessions = createSessionRepository(database);
  const messages = createMessageRepository(database, Date.now, leaseWatch);
  const turns = createTurnRepository(database, Date.now, leaseWatch);
  const compactions = createCompactionRepository(database, Date.now, leaseWatch);
  const callRequests = createCallRequestRepository(database);

  const audit = createAuditLog(createAuditRepository(database), onFault);
  const site = await openSite(foundation, { audit, contentStore: overrides.contentStore });
  const { sites, content, standing, imports } = site;

  const accounts = openAccounts(foundation);
  const keys = createApiKeys({
    store: createApiKeyRepository(database),
    hasAccounts: env.AUTH_MODE === 'accounts',
    onFault,
  });
  const redis = env.REDIS_URL === undefined ? null : connectToRedis(env.REDIS_URL);
  const limits = createLimits({
    requestsPerMinute: env.REQUESTS_PER_MINUTE,
    turnsPerMinute: env.TURNS_PER_MINUTE,
    runningTurns: env.RUNNING_TURNS,
    pagesPerMinute: env.PAGES_PER_MINUTE,
    openStreams: env.OPEN_STREAMS,
    countRunning: (userId) => countRunningTurns(database.read, userId),
    shared: redis,
  });

  const { find: findSource } = createModelSources(env, overrides);
  const settings = await createSettings({
    env,
    repository: createSettingsRepository(database),
    exemptTools: new Set(tools.filter((tool) => tool.exemptFromPruning).map((tool) => tool.name)),
    isServed: (modelId) => findSource(modelId) !== null,
    signals,
    onFault,
  });
  const catalog = createModelCatalog({
    env,
    store: createCatalogRepository(database),
    now: Date.now,
    onFault: (message, error) => log.warn({ err: error }, message),
  });
  const models = createModelRegistry(env, overrides, { catalog, settings: settings.current });
  const calibrations = await loadCalibrations(createCalibrationRepository(database), onFault, settings.current);

  const toolServers = await openToolServers(foundation);
  const toolboxes = new Toolboxes({
    own: tools,
    always: alwaysOffered,
    mostUsed,
    instructions: () => countRecurringTokens(sessionInstructions({ standing }, { instructions: null })),
    external: () => toolServers.tools,
    settings: settings.current,
    loaded: createLoadedToolsStore(database),
  });
  const sources = {
    models,
    settings: settings.current,
    calibrations,
    standing,
    toolboxOf: (sessionId: string, usable?: number) => toolboxes.of(sessionId, usable),
    loadTool: (sessionId: string, name: string) => toolboxes.load(sessionId, [name]).then(() => undefined),
    noteUse: (sessionId: string, names: readonly string[]) => toolboxes.noteUse(sessionId, names),
    refreshTools: (sessionId: string) => toolboxes.refresh(sessionId),
  };
  const history = createHistorySearch(database);
  const attachments = new Attachments(createBlobRepository(database));
  const costOf = createSessionCost(database);
  const events = new SessionEvents({ store: createEventRepository(database, { onFault }), signals, onFault });
  const wishes = new KeptWishes({
    store: createKeptWishRepository(database),
    messages,
    events,
    usable: (modelId) => usableOf(sources, modelId),
  });
  const manager = new ContextManager({
    store: createContextStore({ sessions, messages, compactions, wishes, settings }),
    ledger: (sessionId) => readLedger(content, sessionId),
    siteState: createSiteState(content),
    settings: settings.current,
    now: Date.now,
    onSummary: watch.summary,
  });
  const closing = new AbortController();
  const stored = { turns, messages, compactions, events };
  const chat = new TurnService({
    turns,
    sessions,
    events,
    signals,
    loadTurn: (turn) => loadTurn(stored, turn),
    followStored: (sessionId) => followStoredTurn({ ...stored, signals }, sessionId, closing.signal),
    lease: newLease(env.TURN_LEASE_MS),
    heartbeatMs: env.TURN_HEARTBEAT_MS,
    mostRunning: (userId) => limits.turnsLeft(userId),
    onKeyWorkEnded: ({ key: { id, name, userId }, sessionId, reason, turnId, held }) =>
      void audit.record(null, 'key-work-ended', {
        target: name,
        details: { keyId: id, reason, sessionId, ...(turnId !== null && { turnId }), ...(held > 0 && { held }) },
        actorName: 'Throughline',
        userId,
      }),
    executor: {
      onTurn: (status, ms) => log[env.AUTH_MODE === 'accounts' ? 'info' : 'debug']({ status, ms }, 'turn'),
      messages,
      storePatienceMs: overrides.patience?.turnMs,
      onFault,
      onProviderError: watch.providerFailed,
      context: manager,
      sources,
      calibrations,
      attachments,
      content,
      situation: { message: messages.find, view: messages.loadView, site: () => site.identity(env.PUBLIC_URL) },
      costOf,
      onSensitiveCall: (...call) => audit.recordTool(...call),
      wishesOf: (sessionId, modelId) => wishes.of(sessionId, modelId),
      seenIn: (sessionId) => messages.seenIn(sessionId),
      historyOf: (sessionId, turnId) => createHistoryReader(database, history, sessionId, turnId),
    },
  });

  const completions = openCompletions(foundation, { models, settings, calibrations, limits });
  const mcpEndpoint = lazyMcpEndpoint(foundation, {
    site,
    tools,
    settings,
    callRequests,
    audit,
    closing: closing.signal,
  });

  await chat.start();
  const deletions = sessions
    .finishDeletions(closing.signal)
    .catch((error: unknown) => onFault('Deleted conversations could not be removed', error));
  site.startPublishing();
  // Lists of models come when they come: nobody waits for a provider to start.
  void models.refresh();
  return {
    env,
    log,
    authenticator: createAuthenticator({ accounts, keys }),
    accounts,
    keys,
    limits,
    audit,
    requireReady: async () => {
      await database.check();
      await sites.report();
    },
    sessions,
    messages,
    turns,
    compactions,
    wishes,
    samples: createContextSampleRepository(database),
    overviews: createSessionOverviews(database),
    content,
    sites,
    imports,
    siteExport: (options) => exportSite(content, options),
    trash: (query) => readTrash(content, query),
    planned: (query) => readPlanned(content, query),
    models,
    settings,
    standing,
    settingsReport: () => settingsReport({ env, settings, models, tools, externalTools: toolServers.tools }),
    toolServers,
    toolServersReport: () => toolServersReport(toolServers, settings.current()),
    testProvider: (id) => testProvider(id, env),
    history,
    context: new ContextService({
      context: manager,
      sources,
      attachments,
      messages,
      costOf,
      turns,
      compactions,
      events,
      onFree: (sessionId) => chat.startWaiting(sessionId),
    }),
    chat,
    completions,
    mcpEndpoint,
    callRequests,
    attachments,
    events,
    closing: closing.signal,
    endStreams: () => closing.abort(),
    transcript: (sessionId) => loadTranscript(stored, sessionId),
    transcriptPage: (sessionId, query) => loadTranscriptPage(stored, sessionId, query),
    earlierVersion: (sessionId, messageId) => loadEarlierVersion(stored, sessionId, messageId),
    undoable: (sessionId) => findUndoable({ content, compactions }, sessionId),
    streamResponse: chatStreamResponse,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.all([site.stopWork(), deletions]);
      const limitMs = env.SHUTDOWN_LIMIT_MS;
      await Promise.all([chat.close({ limitMs }), completions.close({ limitMs })]);
      await manager.close();
      await events.flush();
      await toolServers.close();
      await sites.close();
      await settings.close();
      redis?.destroy();
      await catalog.close();
      await foundation.close();
    },
  };
}
