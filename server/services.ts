import 'server-only';
import type { Session } from '#server/core/sessions';
import type { DestinationStream } from 'pino';
import { Attachments } from '#server/agent/attachments';
import { chatStreamResponse } from '#server/agent/turn-stream';
import { ContextService } from '#server/agent/context-service';
import { findUndoable, readThread, type ThreadQuery } from '#server/agent/read-thread';
import {
  loadEarlierVersion,
  loadTranscript,
  loadTranscriptPage,
  loadTurn,
  type TranscriptQuery,
} from '#server/agent/load-transcript';
import { SessionEvents } from '#server/agent/session-events';
import { followStoredTurn } from '#server/agent/stored-turn-stream';
import { TurnService } from '#server/agent/turn-service';
import { ContextManager } from '#server/context/context-manager';
import type { ContentStore } from '#server/content/embedded/content-store';
import { createSiteState, readLedger } from '#server/content/site-readings';
import { type Env, parseEnv } from '#server/config/env';
import { settingsReport, toolServersReport } from '#server/settings/settings-report';
import { formsOriginFor, prepareExport } from '#server/public-site/static-export';
import type { SiteLookGlobals } from '#server/public-site/site-look';
import { EMBEDDED_SITE } from '#server/core/content';
import { createMailer } from '#server/mail/mailer';
import type { ModelOverrides } from '#server/models/model-registry';
import { createSiteOfPicture } from '#server/store/content-repository';
import { createBlobRepository } from '#server/store/blob-repository';
import { createCompactionRepository } from '#server/store/compaction-repository';
import { newLease } from '#server/store/leases';
import { createEventRepository } from '#server/store/event-repository';
import { createContextSampleRepository } from '#server/store/context-sample-repository';
import { createContextStore } from '#server/store/context-store';
import { createHistoryReader, createSessionSearch } from '#server/store/history-reading';
import { createHistorySearch } from '#server/store/history-search';
import { createTurnRequests, countRunningTurns } from '#server/store/turn-rows';
import { createLoadedToolsStore, createSessionRepository } from '#server/store/session-repository';
import { createKeptWishRepository } from '#server/store/kept-wish-repository';
import { createPictureVariants } from '#server/media/picture-variants';
import { createPictureVariantRepository } from '#server/store/picture-variant-repository';
import { createMessageRepository } from '#server/store/message-repository';
import { createSessionCost, createSessionOverviews } from '#server/store/session-overviews';
import { createTurnRepository } from '#server/store/turn-repository';
import { connectToRedis } from '#server/signals/signals';
import { alwaysOffered, mostUsed, tools as ownTools } from '#server/tools/index';
import { createReadMessages } from '#server/tools/read-messages';
import type { Tool } from '#server/tools/tool';
import { rightsTopic } from '#server/core/events';
import { createApiKeys } from '#server/auth/api-keys';
import { createAuthenticator } from '#server/auth/authenticator';
import { createLimits } from '#server/auth/limits';
import { createAuditLog } from '#server/auth/audit-log';
import { createApiKeyRepository } from '#server/store/api-key-repository';
import { createCallRequestRepository } from '#server/store/call-request-repository';
import { createAuditRepository } from '#server/store/audit-repository';
import { lazyMcpEndpoint, openCompletions, openForms, openToolServers } from '#server/services/annexes';
import { openAccounts, openFoundation } from '#server/services/foundation';
import { createLetters, sendTestMail } from '#server/services/letters';
import { openModels } from '#server/services/models';
import { openSite, siteServices } from '#server/services/site';
import { KeptWishes } from '#server/agent/kept-wishes';
import { sessionInstructions, usableOf } from '#server/agent/session-context';
import { countRecurringTokens } from '#server/context/tokens';
import { Toolboxes } from '#server/agent/toolboxes';

/** Everything that routes and pages may use, wired once per process. */
export type Services = Awaited<ReturnType<typeof startServices>>;

/** The services of one site, for routes and pages. */
export type SiteServices = ReturnType<Services['at']>;

/** Routes, pages and instrumentation each get their own instance of this module; the global object is one for all. */
const globals = globalThis as SiteLookGlobals & { throughlineServices?: Promise<Services> };

/** The services of this process, started by the first caller. */
export function services(): Promise<Services> {
  globals.throughlineServices ??= startServices(parseEnv(process.env));
  return globals.throughlineServices;
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
export async function startServices(env: Env, overrides: Overrides = {}) {
  const foundation = await openFoundation(env, overrides.patience?.writeMs, overrides.logDestination);
  const { log, watch, database, leaseWatch, signals, onFault } = foundation;
  const sessions = createSessionRepository(database);
  const messages = createMessageRepository(database, Date.now, leaseWatch);
  const turns = createTurnRepository(database, Date.now, leaseWatch);
  const compactions = createCompactionRepository(database, Date.now, leaseWatch);
  const callRequests = createCallRequestRepository(database, Date.now, () => letters?.somethingWaits());

  const { SMTP_URL, MAIL_FROM } = env;
  const mailer =
    SMTP_URL !== undefined && MAIL_FROM !== undefined ? createMailer({ url: SMTP_URL, from: MAIL_FROM }) : null;
  const audit = createAuditLog(createAuditRepository(database), onFault);
  const site = await openSite(foundation, { audit, contentStore: overrides.contentStore });
  const { sites, standing, imports } = site;

  const accounts = await openAccounts(foundation);
  const letters = accounts && createLetters({ mailer, accounts, turns, callRequests, onFault });
  const keys = createApiKeys({
    store: createApiKeyRepository(database),
    hasAccounts: env.AUTH_MODE === 'accounts',
    onFault,
  });
  const redis = env.REDIS_URL === undefined ? null : await connectToRedis(env.REDIS_URL);
  const limits = createLimits({
    requestsPerMinute: env.REQUESTS_PER_MINUTE,
    turnsPerMinute: env.TURNS_PER_MINUTE,
    runningTurns: env.RUNNING_TURNS,
    pagesPerMinute: env.PAGES_PER_MINUTE,
    openStreams: env.OPEN_STREAMS,
    countRunning: (userId) => countRunningTurns(database.read, { userId }),
    shared: redis,
  });

  const { forms, submissions, upkeep } = openForms(foundation, {
    content: sites.contentOf(EMBEDDED_SITE),
    limits,
    mailer,
  });

  const pictures = createPictureVariants(createPictureVariantRepository(database), onFault);
  const { tools = [...ownTools, createReadMessages(submissions)] } = overrides;

  const { settings, models, calibrations, providers, spending, ...paid } = await openModels(
    foundation,
    overrides,
    tools,
  );

  const toolServers = await openToolServers(foundation);
  const toolboxes = new Toolboxes({
    own: paid.tools,
    always: alwaysOffered,
    mostUsed,
    instructions: () => countRecurringTokens(sessionInstructions(standing.longest(), { instructions: null })),
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
    loadTool: (sessionId: string, name: string) => toolboxes.load(sessionId, [name]).then(({ putAway }) => putAway),
    noteUse: (sessionId: string, names: readonly string[]) => toolboxes.noteUse(sessionId, names),
    refreshTools: (sessionId: string) => toolboxes.refresh(sessionId),
  };
  const history = createHistorySearch(database);
  const requestsOf = createTurnRequests(database);
  const attachments = new Attachments(createBlobRepository(database));
  const costOf = createSessionCost(database);
  const events = new SessionEvents({ store: createEventRepository(database, { onFault }), signals, onFault });
  const wishes = new KeptWishes({
    store: createKeptWishRepository(database),
    messages,
    events,
    usable: (modelId) => usableOf(sources, modelId),
  });
  const siteState = createSiteState();
  const contentIn = async (sessionId: string) => site.pastOf((await sessions.get(sessionId)).siteId);
  const manager = new ContextManager({
    store: createContextStore({ sessions, messages, compactions, wishes, settings }),
    ledger: async (sessionId) => readLedger(await contentIn(sessionId), sessionId),
    siteState: async (sessionId, refs, signal) => siteState(await contentIn(sessionId), sessionId, refs, signal),
    standing: async (sessionId) => standing.current((await sessions.get(sessionId)).siteId),
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
    followStored: (sessionId, of) =>
      followStoredTurn({ ...stored, signals }, sessionId, { of, signal: closing.signal }),
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
      onTurn: (status, ms) => {
        log[env.AUTH_MODE === 'accounts' ? 'info' : 'debug']({ turnStatus: status, ms }, 'turn');
        if (status === 'waiting_approval') letters?.somethingWaits();
      },
      messages,
      storePatienceMs: overrides.patience?.turnMs,
      onFault,
      onProviderError: watch.providerFailed,
      context: manager,
      sources,
      calibrations,
      attachments,
      siteAt: (siteId) => site.at(siteId),
      requireSite: (siteId) => site.requireConnected(siteId),
      writersIn: (entryId) => site.presence.writersIn(entryId),
      situation: { view: messages.loadView },
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
  upkeep.start();
  return {
    env,
    log,
    /** Finds the authenticated caller of a request. */
    authenticator: createAuthenticator({ accounts, keys }),
    /** Accounts of people; null in local mode, where nobody signs in. */
    accounts,
    /** API keys of programs. */
    keys,
    /** Rate limits. */
    limits,
    /** Makes the streams of somebody look at once whether they are still allowed. */
    rightsChanged: (userId: string) => signals.notify(rightsTopic(userId)),
    /** Calls back when somebody's rights have changed, until the returned function is called. */
    onRightsChanged: (userId: string, listener: () => void) => signals.subscribe(rightsTopic(userId), listener),
    audit,
    /** Sends mail; null where no mail server is set. */
    mailer,
    testMail: (to: string) => sendTestMail(mailer, env.PUBLIC_URL ?? 'http://localhost', to),
    /** Mails about accounts and what waits; null in local mode. */
    letters,
    /**
     * Resolves when requests can be served: the database is the one that was opened, of this build, and can be written.
     * @throws StoreBusyError, StoreUnavailableError
     */
    requireReady: async () => {
      await database.check();
      await sites.report();
    },
    sessions,
    messages,
    turns,
    compactions,
    /** Lasting wishes that conversations keep. */
    wishes,
    /** Samples of how full contexts were, step by step. */
    samples: createContextSampleRepository(database),
    /** All sessions, as an administrator sees them. */
    overviews: createSessionOverviews(database),
    /** The built-in and the connected sites. */
    sites,
    /** The built-in site. */
    builtIn: siteServices(site, EMBEDDED_SITE),
    /** The services of one site, for routes and pages. */
    at: (siteId: string | null) => siteServices(site, siteId),
    /** Forms of the built-in site. */
    forms,
    /** Messages sent through them. */
    submissions,
    /** Goes up with each write of this process to the built-in site. */
    siteWrites: site.writes,
    /** Imports of whole sites from files. */
    imports,
    /** Windows in which pages are open. */
    presence: site.presence,
    /** The published site as files, looked through first. @param address where it will be, without a slash at its end */
    staticSite: async (address: string) => {
      const look = await globals.throughlineSiteLook?.();
      if (!look) throw new Error('The pages of the site are not built: run npm run build, and start again.');
      const formsOrigin = formsOriginFor(address, env);
      return prepareExport({ content: sites.contentOf(EMBEDDED_SITE), address, look, pictures, formsOrigin, onFault });
    },
    /** Pictures in the sizes that pages ask for. */
    pictures,
    /** Site of a picture of a library. */
    siteOfPicture: createSiteOfPicture(database),
    models,
    settings,
    /** All settings with their present values. */
    settingsReport: () =>
      settingsReport({ env, settings, providers, tools: paid.tools(), externalTools: toolServers.tools }),
    /** Servers whose tools are offered beside ours. */
    toolServers,
    /** The tool servers, with what their tools cost. */
    toolServersReport: () => toolServersReport(toolServers, settings.current()),
    /** The models that may be chosen, with what a turn of a conversation would cost. */
    modelList: paid.modelList,
    /** Budgets, and what is spent of them. */
    spending,
    /** Costs of models. */
    costs: paid.costs,
    /** Providers of models: connecting, trying and disconnecting them. */
    providers,
    /** Search and reading in the history of a session. */
    history,
    /** Search in all sessions of a user. */
    searchSessions: createSessionSearch(database),
    /** A page of the steps that a session made on the site, newest first. */
    thread: (session: Session, query: ThreadQuery) =>
      readThread({ content: site.pastOf(session.siteId), compactions, requestsOf }, session, query),
    context: new ContextService({
      context: manager,
      sources,
      attachments,
      messages,
      wishes,
      costOf,
      turns,
      compactions,
      events,
      onFree: (sessionId) => chat.startWaiting(sessionId),
    }),
    chat,
    /** Conversations that other programs hold. */
    completions,
    /** Tools and pages of the site, for other assistants. */
    mcpEndpoint,
    /** Tool calls of other assistants that wait for a person. */
    callRequests,
    /** Files of messages. */
    attachments,
    /** Events of the sessions, for all who follow them. */
    events,
    /** Aborts when this process stops; streams without an end of their own end then. */
    closing: closing.signal,
    /** Aborts `closing`. Disposing does too, when nobody may be left to hear it. */
    endStreams: () => closing.abort(),
    /** The whole conversation as the chat shows it. */
    transcript: (sessionId: string) => loadTranscript(stored, sessionId),
    /** Its newest turns, or those in front of a cursor. */
    transcriptPage: (sessionId: string, query: TranscriptQuery) => loadTranscriptPage(stored, sessionId, query),
    /** The messages that were superseded when this one was sent, as the chat shows them. */
    earlierVersion: (sessionId: string, messageId: string) => loadEarlierVersion(stored, sessionId, messageId),
    /** Changes that an undo in this session would take back; null when there are none. */
    undoable: ({ id, siteId }: Session) => findUndoable({ content: site.pastOf(siteId), compactions }, id),
    /** A turn's stream as the response to a request. */
    streamResponse: chatStreamResponse,
    async [Symbol.asyncDispose]() {
      closing.abort();
      letters?.close();
      await Promise.all([site.stopWork(), upkeep.close(), deletions]);
      const limitMs = env.SHUTDOWN_LIMIT_MS;
      await Promise.all([chat.close({ limitMs }), completions.close({ limitMs })]);
      await manager.close();
      await events.flush();
      await toolServers.close();
      await sites.close();
      await paid.close();
      redis?.destroy();
      await foundation.close();
    },
  };
}
