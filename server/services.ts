import 'server-only';
import type { Logger } from 'pino';
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
import { Completions } from '#server/completions/completions';
import { KeptRounds } from '#server/completions/kept-rounds';
import { ContextManager } from '#server/context/context-manager';
import type { ContentBackend } from '#server/content/content-backend';
import type { ContentStore } from '#server/content/embedded/content-store';
import { readLedger, readPlanned, readTrash } from '#server/content/site-lists';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { EMBEDDED_SITE } from '#server/core/content';
import type { PlannedPage, PlannedQuery, TrashPage, TrashQuery, Undoable } from '#server/core/site-lists';
import type { TurnStore } from '#server/core/turn-store';
import { canRunPrograms, type Env, parseEnv } from '#server/config/env';
import { createLog } from '#server/observability/log';
import { createWatch, observeProcess, startTelemetry } from '#server/observability/telemetry';
import { createSettings, type Settings } from '#server/settings/settings';
import { Sites } from '#server/sites/sites';
import { createActiveContent, createStanding, type Standing } from '#server/sites/active-content';
import { wordPressSites } from '#server/sites/wordpress-sites';
import { settingsReport, toolServersReport } from '#server/settings/settings-report';
import type { ProviderId, ProviderTest, SettingsReport } from '#server/core/settings-report';
import {
  createDuePublications,
  type DuePublicationsOptions,
  plansOfActiveSite,
  wakingOnPlans,
} from '#server/sites/publish-due';
import { exportSite, type SiteExportOptions } from '#server/export/export-site';
import { Imports } from '#server/import/imports';
import { createPictureFetch, preparePicture } from '#server/media/prepare-picture';
import { createCalibrationRepository, createCatalogRepository } from '#server/store/model-facts-repository';
import { createSecretBox } from '#server/store/secret-box';
import { createSettingsRepository } from '#server/store/settings-repository';
import { createWordPressSiteRepository } from '#server/store/wordpress-site-repository';
import { countTokens } from '#server/context/tokens';
import { Calibrations } from '#server/context/calibration';
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
import { createContentRepository } from '#server/store/content-repository';
import { createImportRepository } from '#server/store/import-repository';
import { createLeases } from '#server/store/lease-repository';
import { LeaseWatch, newLease } from '#server/store/lease-watch';
import { type ContextSampleRepository, createContextSampleRepository } from '#server/store/context-sample-repository';
import { createContextStore } from '#server/store/context-store';
import { type Database, openDatabase } from '#server/store/database';
import { createEventRepository } from '#server/store/event-repository';
import { createHistorySearch, type HistorySearch } from '#server/store/history-search';
import { createKeptRoundRepository } from '#server/store/kept-round-repository';
import { createMessageRepository, type MessageRepository } from '#server/store/message-repository';
import { createSessionCost, createSessionOverviews, type SessionOverviews } from '#server/store/session-overviews';
import {
  createLoadedToolsStore,
  createSessionRepository,
  type SessionRepository,
} from '#server/store/session-repository';
import { createTurnRepository } from '#server/store/turn-repository';
import { connectToRedis, createSignals } from '#server/signals/signals';
import { tools as ownTools } from '#server/tools/index';
import type { Tool } from '#server/tools/tool';
import { McpServers } from '#server/mcp/mcp-servers';
import { type Accounts, createAccounts } from '#server/auth/accounts';
import { type ApiKeys, createApiKeys } from '#server/auth/api-keys';
import { type Authenticator, createAuthenticator } from '#server/auth/authenticator';
import { createLimits, type Limits } from '#server/auth/limits';
import { type AuditLog, createAuditLog } from '#server/auth/audit-log';
import { createApiKeyRepository } from '#server/store/api-key-repository';
import type { CallRequestStore } from '#server/core/call-requests';
import { createCallRequestRepository } from '#server/store/call-request-repository';
import { createContentResources } from '#server/mcp-endpoint/content-resources';
import type { McpEndpoint } from '#server/mcp-endpoint/mcp-endpoint';
import { createAuditRepository } from '#server/store/audit-repository';

import { countQueuedMessages, countRunningTurns, databaseSize } from '#server/store/turn-rows';
import { createMcpServerRepository, type McpServerRepository } from '#server/store/mcp-server-repository';
import { Toolboxes } from '#server/agent/toolboxes';
import type { McpServersReport } from '#server/core/mcp-servers';

/** Everything a route may use, wired once per process. */
export interface Services extends AsyncDisposable {
  readonly env: Env;
  readonly log: Logger;
  /** Who makes a request. */
  readonly authenticator: Authenticator;
  /** Keys of programs. */
  readonly keys: ApiKeys;
  /** How much anybody may ask for. */
  readonly limits: Limits;
  /** Who did what to keys, people, settings and the site. */
  readonly audit: AuditLog;
  /** Who may sign in. Null: nobody does, in local mode. */
  readonly accounts: Accounts | null;
  /**
   * Whether requests can be served: the database is the one that was opened, of this build, and can be written.
   * @throws StoreBusyError, StoreUnavailableError
   */
  readonly requireReady: () => Promise<void>;
  readonly sessions: SessionRepository;
  readonly messages: MessageRepository;
  readonly turns: TurnStore;
  readonly compactions: CompactionRepository;
  /** How full contexts were, step by step. */
  readonly samples: ContextSampleRepository;
  /** All sessions, as an administrator sees them. */
  readonly overviews: SessionOverviews;
  /** Of the site that is active. */
  readonly content: ContentBackend;
  /** Which site that is, and which it could be. */
  readonly sites: Sites;
  /** Whole sites that are taken over from files. */
  readonly imports: Imports;
  /** The active site as a JSON file, which an import takes back. */
  readonly siteExport: (options: SiteExportOptions) => AsyncGenerator<string>;
  /** What was deleted. */
  readonly trash: (query: TrashQuery) => Promise<TrashPage>;
  /** What is published by itself at a time to come. */
  readonly planned: (query: PlannedQuery) => Promise<PlannedPage>;
  readonly models: ModelRegistry;
  readonly settings: Settings;
  /** The site's standing instructions, as stored and as models read them. */
  readonly standing: Standing;
  /** Everything that is set, as it is now. */
  readonly settingsReport: () => SettingsReport;
  /** Servers whose tools are offered beside ours. */
  readonly toolServers: Pick<McpServers, 'get' | 'create' | 'update' | 'delete' | 'test'>;
  /** What they are, and what their tools cost. */
  readonly toolServersReport: () => Promise<McpServersReport>;
  /** Whether a provider can be reached with what is configured. */
  readonly testProvider: (id: ProviderId) => Promise<ProviderTest>;
  /** Finds and reads again what was said and done in a session. */
  readonly history: HistorySearch;
  readonly context: ContextService;
  readonly chat: TurnService;
  /** Conversations that other programs hold. */
  readonly completions: Completions;
  /** The tools and pages of the site, for other assistants. */
  readonly mcpEndpoint: () => Promise<McpEndpoint>;
  /** Calls of theirs that people are asked about. */
  readonly callRequests: CallRequestStore;
  /** Files of messages. */
  readonly attachments: Attachments;
  /** What happens in the sessions, told to whoever follows them. */
  readonly events: SessionEvents;
  /** Aborts when this process stops: streams without an end of their own end then. */
  readonly closing: AbortSignal;
  /** Aborts `closing`. Disposing does too; by then nobody may be left to hear it. */
  readonly endStreams: () => void;
  /** The whole conversation as the chat shows it. */
  readonly transcript: (sessionId: string) => Promise<ThroughlineUIMessage[]>;
  /** Its newest turns, or those in front of a cursor. */
  readonly transcriptPage: (sessionId: string, query: TranscriptQuery) => Promise<TranscriptPage>;
  /** What was superseded when that message was sent, as the chat shows it. */
  readonly earlierVersion: (sessionId: string, messageId: string) => Promise<ThroughlineUIMessage[]>;
  /** What an undo in this session would take back; null when there is nothing. */
  readonly undoable: (sessionId: string) => Promise<Undoable | null>;
  /** A turn's stream as the answer to a request. */
  readonly streamResponse: typeof chatStreamResponse;
}

/** Routes, pages and instrumentation each get their own instance of this module; the container is one for all. */
const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/** The services of this process, started by the first caller. */
export function services(): Promise<Services> {
  container.throughlineServices ??= startServices(parseEnv(process.env));
  return container.throughlineServices;
}

/** What takes the place of what this program brings along. */
export interface Overrides extends ModelOverrides {
  /** Every tool of ours, in order. */
  readonly tools?: readonly Tool[];
  /** Where the site that is built in is kept; default: in the database. */
  readonly contentStore?: ContentStore;
  /** How long a busy database is waited for, milliseconds: by one write, and by the writes of a running turn. */
  readonly patience?: { readonly writeMs: number; readonly turnMs: number };
}

/**
 * Wires services of their own (tests, scripts); dispose them.
 * @throws when the database cannot be opened or migrated
 */
export async function startServices(env: Env, overrides: Overrides = {}): Promise<Services> {
  const telemetry = await startTelemetry(env);
  const log = createLog(env);
  const watch = createWatch(log);
  const database = await openDatabase({
    url: env.DATABASE_URL,
    authToken: env.DATABASE_AUTH_TOKEN,
    patienceMs: overrides.patience?.writeMs,
    observer: { onWrite: watch.write },
  });
  if (database.isNew) log.warn({ database: env.DATABASE_URL }, 'There was no database here: a new, empty one was made');
  const stopObserving =
    telemetry &&
    observeProcess({
      queueLength: () => countQueuedMessages(database.read),
      databaseSize: () => databaseSize(database.read),
    });
  // One for all: what one part of the process has seen of a lease, the others know.
  const leaseWatch = new LeaseWatch(undefined, env.TURN_LEASE_MS);
  const sessions = createSessionRepository(database);
  const messages = createMessageRepository(database, Date.now, leaseWatch);
  const turns = createTurnRepository(database, Date.now, leaseWatch);
  const compactions = createCompactionRepository(database, Date.now, leaseWatch);
  const leases = createLeases(database, { watch: leaseWatch });
  const pictures = { preparePicture, fetchPicture: createPictureFetch(), countTokens };
  const { tools = ownTools, contentStore = createContentRepository(database) } = overrides;
  const embedded = wakingOnPlans(createEmbeddedContentBackend(contentStore, pictures), () => publications.wake());
  const onFault = (message: string, error?: unknown) => log.error({ err: error }, message);
  const exemptTools = new Set(tools.filter((tool) => tool.exemptFromPruning).map((tool) => tool.name));
  const signals = createSignals(env, onFault);
  const secretBox = createSecretBox({ secret: env.AUTH_SECRET, databaseUrl: env.DATABASE_URL });
  const siteStore = createWordPressSiteRepository(database, secretBox, Date.now, leaseWatch);
  await sealStored(siteStore, onFault);
  const sites = await Sites.load({
    ...wordPressSites(database, leases, pictures),
    store: siteStore,
    embedded,
    signals,
    onFault,
  });
  const content = createActiveContent(sites.active);
  const activeSite = async () => {
    const { activeSiteId } = await sites.report();
    return { siteId: activeSiteId, content: sites.contentOf(activeSiteId) };
  };
  const imports = new Imports({
    store: createImportRepository(database),
    leases,
    target: activeSite,
    onFault,
  });
  await imports.settle();
  const standing = await createStanding({
    // Before each request to a model: whatever site another process has changed to by then, it is about that one.
    async standingInstructions() {
      await sites.refresh();
      return content.standingInstructions();
    },
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
  const audit = createAuditLog(createAuditRepository(database), onFault);
  const publishing: Omit<DuePublicationsOptions, 'siteId' | 'content'> = {
    leases,
    onPublished: ({ id, draft, published }, { userId }) =>
      void audit.record(null, 'content-published', {
        target: (published ?? draft).title,
        details: { id },
        actorName: 'Schedule',
        userId,
      }),
    onFault,
  };
  const publications = createDuePublications({ ...publishing, siteId: EMBEDDED_SITE, content: embedded });
  const elsewhere = createDuePublications({
    ...publishing,
    siteId: 'active',
    content: plansOfActiveSite(database, content, async () => (await sites.report()).activeSiteId),
  });
  const keys = createApiKeys({
    store: createApiKeyRepository(database),
    hasAccounts: env.AUTH_MODE === 'accounts',
    onFault,
  });
  const { find: findSource } = createModelSources(env, overrides);
  const settings = await createSettings({
    env,
    repository: createSettingsRepository(database),
    exemptTools,
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
  const calibrations = await Calibrations.load(createCalibrationRepository(database), onFault, settings.current);
  const toolServerStore = createMcpServerRepository(database, secretBox);
  await sealStored(toolServerStore, onFault);
  const toolServers = await McpServers.load({
    store: toolServerStore,
    signals,
    variables: process.env,
    canRunPrograms: canRunPrograms(env),
    onFault,
  });
  const toolboxes = new Toolboxes({
    own: tools,
    foreign: () => toolServers.tools,
    settings: settings.current,
    loaded: createLoadedToolsStore(database),
  });
  const sources = {
    models,
    settings: settings.current,
    calibrations,
    standing,
    toolboxOf: (sessionId: string, usable?: number) => toolboxes.of(sessionId, usable),
    refreshTools: (sessionId: string) => toolboxes.refresh(sessionId),
  };
  const history = createHistorySearch(database);
  const attachments = new Attachments(createBlobRepository(database));
  const costOf = createSessionCost(database);
  const manager = new ContextManager({
    store: createContextStore({ sessions, messages, compactions, settings }),
    ledger: (sessionId) => readLedger(content, sessionId),
    settings: settings.current,
    now: Date.now,
    onSummary: watch.summary,
  });
  const events = new SessionEvents({ store: createEventRepository(database, { onFault }), signals, onFault });
  const closing = new AbortController();
  const stored = { turns, messages, compactions };
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
      costOf,
      onGraveCall: (...call) => audit.recordTool(...call),
      historyOf: (sessionId) => ({
        search: (query, limit) => history.search(sessionId, query, { limit }),
        readPart: (partId) => history.readPart(sessionId, partId),
        imagesOf: (partId) => history.imagesOf(sessionId, partId),
      }),
    },
  });
  const completions = new Completions({
    models,
    settings: settings.current,
    calibrations,
    rounds: new KeptRounds(createKeptRoundRepository(database), onFault),
    enter: (userId) => limits.enter(userId),
    onFault: (error) => onFault('A completion failed', error),
    onProviderError: watch.providerFailed,
    onSummary: watch.summary,
  });
  const callRequests = createCallRequestRepository(database);
  const openMcpEndpoint = async () => {
    // The protocol's package is loaded when the first assistant asks: most installations have none.
    const [{ McpEndpoint }, { ToolCalls }] = await Promise.all([
      import('#server/mcp-endpoint/mcp-endpoint'),
      import('#server/mcp-endpoint/tool-calls'),
    ]);
    return new McpEndpoint({
      calls: new ToolCalls({
        tools,
        activeSite,
        settings: settings.current,
        requests: callRequests,
        onSensitiveCall: (caller, tool, target) => audit.record(caller, 'tool-run', { target, details: { tool } }),
        onFault,
      }),
      resources: createContentResources(content),
      standing: async () => {
        await standing.refresh();
        return standing.current();
      },
      onFault,
      closing: closing.signal,
    });
  };
  let mcpEndpoint: Promise<McpEndpoint> | undefined;
  const accounts = openAccounts(env, database, onFault);
  await chat.start();
  const deletions = sessions
    .finishDeletions(closing.signal)
    .catch((error: unknown) => onFault('Deleted conversations could not be removed', error));
  publications.start();
  elsewhere.start();
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
    settingsReport: () => settingsReport({ env, settings, models, tools, foreignTools: toolServers.tools }),
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
    mcpEndpoint: () => (mcpEndpoint ??= openMcpEndpoint()),
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
      await Promise.all([publications.close(), elsewhere.close(), imports.close(), deletions]);
      const limitMs = env.SHUTDOWN_LIMIT_MS;
      await Promise.all([chat.close({ limitMs }), completions.close({ limitMs })]);
      await manager.close();
      await events.flush();
      await toolServers.close();
      await sites.close();
      await settings.close();
      await signals.close();
      redis?.destroy();
      await catalog.close();
      await telemetry?.close();
      stopObserving?.();
      await database.close();
    },
  };
}

function openAccounts(env: Env, database: Database, onFault: (message: string, error?: unknown) => void) {
  const { AUTH_MODE, AUTH_SECRET, PUBLIC_URL } = env;
  if (AUTH_MODE === 'local' || AUTH_SECRET === undefined || PUBLIC_URL === undefined) return null;
  return createAccounts({ database, origin: new URL(PUBLIC_URL).origin, secret: AUTH_SECRET, onFault });
}

/** What cannot be sealed or opened is told, and no reason not to start. */
async function sealStored(
  store: Pick<McpServerRepository, 'sealAll'>,
  onFault: (message: string, error?: unknown) => void,
) {
  try {
    const unreadable = await store.sealAll();
    if (unreadable.length === 0) return;
    onFault(`Stored secrets cannot be read: AUTH_SECRET is another one. Enter again: ${unreadable.join(', ')}`);
  } catch (error) {
    onFault('stored secrets cannot be encrypted', error);
  }
}
