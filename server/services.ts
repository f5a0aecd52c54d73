import 'server-only';
import type { Session } from '#server/core/conversation/sessions';
import type { DestinationStream } from 'pino';
import { chatStreamResponse } from '#server/conversation/events/turn-stream';
import { findUndoable, readHistory, type HistoryQuery } from '#server/conversation/events/read-history';
import {
  loadEarlierVersion,
  loadTranscript,
  loadTranscriptPage,
  type TranscriptQuery,
} from '#server/conversation/events/load-transcript';
import { followActivity } from '#server/conversation/events/session-activity';
import type { OwnSessions } from '#server/core/conversation/session-overview';
import type { ContentStore } from '#server/site/embedded/content-store';
import { BackupDownloads } from '#server/platform/database/backup-downloads';
import { type Env, parseEnv } from '#server/platform/config/env';
import { settingsReport, toolServersReport } from '#server/settings/settings-report';
import { withShownEffect } from '#server/tools/shown-effect';
import type { CallRequestStore } from '#server/core/conversation/pending-approvals';
import { formsOriginFor, prepareExport } from '#server/site/public/static-export';
import type { SiteThemeGlobals } from '#server/site/public/site-theme';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { ModelOverrides } from '#server/models/model-registry';
import { createContextSampleRepository } from '#server/conversation/store/sessions/context-sample-repository';
import { createSessionSearch } from '#server/conversation/store/search/history-reading';
import { completeTrigramIndex } from '#server/conversation/store/search/trigram-index';
import { createTurnRequests } from '#server/conversation/store/turn-rows';
import { createPictureVariants } from '#server/site/media/picture-variants';
import { createPictureVariantRepository } from '#server/site/store/picture-variant-repository';
import { createActivityStore, createSessionOverviews } from '#server/conversation/store/sessions/session-overviews';
import { tools as ownTools } from '#server/tools/index';
import { createReadMessages } from '#server/tools/read-messages';
import type { Tool } from '#server/tools/tool';
import { rightsTopic } from '#server/core/conversation/events';
import { createPersonalData } from '#server/services/personal-data';
import { createAuditLog } from '#server/platform/auth/audit-log';
import { createApprovalMailRepository } from '#server/conversation/store/approval-mail-repository';
import { createCallRequestRepository } from '#server/conversation/store/pending-approval-repository';
import { createAuditRepository } from '#server/platform/auth/store/audit-repository';
import { ResponsesApi } from '#server/integrations/openai/responses/responses-api';
import { StoredResponses } from '#server/integrations/openai/responses/stored-responses';
import { MessagesApi } from '#server/integrations/anthropic/messages-api';
import { lazyMcpEndpoint, openCompletions, openForms, openToolServers } from '#server/services/optional-features';
import { openFoundation } from '#server/services/foundation';
import { type LanguageCode, languageOfTag } from '#server/core/languages';
import { designedMailer } from '#server/services/designed-mailer';
import { createNotifications, sendTestMail } from '#server/services/notifications';
import { openModels } from '#server/services/models';
import { openSite } from '#server/services/site';
import { siteServices } from '#server/services/site-services';
import { openAccess } from '#server/services/access';
import { allDone } from '#server/core/async';
import { openConversations, openConversationStores } from '#server/services/conversations';
import { PreviewLinks } from '#server/site/public/preview-links';
import { SharedDrafts } from '#server/site/public/shared-drafts';
import { createPreviewCommentRepository } from '#server/site/store/preview-comment-repository';
import { receiveComment } from '#server/site/public/receive-comment';
import { createPreviewLinkRepository } from '#server/site/store/preview-link-repository';
import { createSiteOfPicture } from '#server/site/store/site-of-picture';

/** Everything that routes and pages may use, wired once per process. */
export type Services = Awaited<ReturnType<typeof startServices>>;

/** The services of one site, for routes and pages. */
export type SiteServices = ReturnType<Services['at']>;

/** Routes, pages and instrumentation each get their own instance of this module; they share the global object. */
const globals = globalThis as SiteThemeGlobals & { throughlineServices?: Promise<Services> };

/** The services of this process, started by the first call. */
export function services(): Promise<Services> {
  globals.throughlineServices ??= startServices(parseEnv(process.env));
  return globals.throughlineServices;
}

/** Replacements for built-in components. */
export interface Overrides extends ModelOverrides {
  /** All tools, in order. */
  readonly tools?: readonly Tool[];
  /** Stores the built-in site. Default: the database. */
  readonly contentStore?: ContentStore;
  /** How long to wait for a busy database, milliseconds: for one write, and for the writes of a running turn. */
  readonly patience?: { readonly writeMs: number; readonly turnMs: number };
  /** Receives the log lines. Default: standard output. */
  readonly logDestination?: DestinationStream;
}

/**
 * Wires services for a caller that disposes them itself (tests, scripts).
 * @throws when the database cannot be opened or migrated
 */
export async function startServices(env: Env, overrides: Overrides = {}) {
  const foundation = await openFoundation(env, overrides.patience?.writeMs, overrides.logDestination);
  const { log, now, database, signals, onFault, closing } = foundation;
  const stores = openConversationStores(foundation);
  const { sessions, messages, turns, compactions, events } = stores;
  const callRequests = createCallRequestRepository(database, now, () => notifications?.checkApprovals());
  const audit = createAuditLog(createAuditRepository(database), onFault);
  const site = await openSite(foundation, { audit, contentStore: overrides.contentStore });
  const { sites, imports } = site;
  const access = await openAccess(foundation);
  const { accounts, limits } = access;
  const approvalMails = createApprovalMailRepository(database);
  const ownContent = sites.contentOf(EMBEDDED_SITE);
  const mailer = access.mailer && designedMailer(access.mailer, ownContent, onFault);
  /** The language of the built-in site, for emails to people who have chosen none. */
  const defaultLanguage = async () => languageOfTag((await ownContent.settings()).language);
  const notifications =
    accounts && createNotifications({ mailer, accounts, defaultLanguage, turns, callRequests, approvalMails, onFault });
  const { forms, submissions, upkeep } = openForms(foundation, {
    content: ownContent,
    limits,
    mailer,
  });
  const pictures = createPictureVariants(createPictureVariantRepository(database), onFault);
  const previewLinks = new PreviewLinks(createPreviewLinkRepository(database, now), now);
  const previewComments = createPreviewCommentRepository(database, now);
  const backupDownloads = new BackupDownloads(env.DATABASE_URL, { now });
  await backupDownloads.start();
  const siteTheme = async () => {
    const theme = await globals.throughlineSiteTheme?.();
    if (!theme) throw new Error('The pages of the site are not built: run npm run build, and start again.');
    return theme;
  };
  const { tools = [...ownTools, createReadMessages(submissions, previewComments)] } = overrides;
  const paid = await openModels(foundation, overrides, tools);
  const { settings, models, providers, spending } = paid;
  const toolServers = await openToolServers(foundation);
  const { context, chat, contextService } = openConversations(foundation, {
    stores,
    site,
    models: paid,
    toolServers,
    limits,
    audit,
    approvalNotices: notifications,
    storePatienceMs: overrides.patience?.turnMs,
  });
  const completions = openCompletions(context);
  const mcpEndpoint = lazyMcpEndpoint(foundation, { site, tools, settings, callRequests, audit });

  await chat.start();
  const deletions = sessions
    .finishDeletions(closing)
    .catch((error: unknown) => onFault('Deleted conversations could not be removed', error));
  const indexing = completeTrigramIndex(database, { signal: closing, onFault });
  site.startPublishing();
  upkeep.start();
  return {
    env,
    log,
    ...access,
    /** What is stored about one person, and its erasure. */
    personalData: createPersonalData({
      database,
      openPeople: async () => accounts?.people ?? (await import('#server/platform/auth/people')).createPeople(database),
      sessions,
      stopWork: async (userId) => {
        signals.notify(rightsTopic(userId));
        await chat.cancelAllOf(userId);
      },
    }),
    /** Makes the streams of a user check immediately whether they are still allowed. */
    rightsChanged: (userId: string) => signals.notify(rightsTopic(userId)),
    /** Calls `listener` when the rights of this user have changed, until the returned function is called. */
    onRightsChanged: (userId: string, listener: () => void) => signals.subscribe(rightsTopic(userId), listener),
    audit,
    /** Sends a test mail. @param language that the sender has chosen; null: none */
    testMail: async (to: string, language: LanguageCode | null) =>
      sendTestMail(mailer, {
        origin: env.PUBLIC_URL ?? 'http://localhost',
        to,
        language: language ?? (await defaultLanguage()),
      }),
    /** Mails about accounts and pending approvals; null in local mode. */
    notifications,
    /**
     * Resolves when requests can be served: the database is the one that was opened, matches this build, and is
     * writable.
     * @throws StoreBusyError, StoreUnavailableError
     */
    requireReady: async () => {
      await allDone([database.check(), sites.report()]);
    },
    sessions,
    messages,
    turns,
    compactions,
    /** Preferences of all conversations. */
    wishes: context.preferences,
    /** Samples of how full the context was at each step. */
    samples: createContextSampleRepository(database),
    /** All sessions, as an administrator sees them. */
    overviews: createSessionOverviews(database),
    /** The built-in and the connected sites. */
    sites,
    /** The built-in site. */
    builtIn: siteServices(site, EMBEDDED_SITE),
    /** The content of a site, for a page that shows it to visitors. */
    forVisitors: site.forVisitors,
    /** The services of one site, for routes and pages. */
    at: (siteId: string | null) => siteServices(site, siteId),
    /** Forms of the built-in site. */
    forms,
    /** Messages sent through them. */
    submissions,
    /** Increases with each write of this process to the built-in site. */
    siteWrites: site.writes,
    /** Imports of whole sites from files. */
    imports,
    /** Windows in which a page is open. */
    presence: site.presence,
    /**
     * Checks the published site, then exports it as files. @param address where it will be served, without a trailing
     * slash
     */
    staticSite: async (address: string) => {
      const theme = await siteTheme();
      const formsOrigin = formsOriginFor(address, env);
      return prepareExport({ content: sites.contentOf(EMBEDDED_SITE), address, theme, pictures, formsOrigin, onFault });
    },
    /** Links that show drafts of the built-in site to people without an account. */
    previewLinks,
    /** Comments of people with such a link. */
    previewComments,
    /** Receives a comment of such a person. */
    receiveComment: (secret: string, given: URLSearchParams, client: string) =>
      receiveComment(
        { content: ownContent, links: previewLinks, comments: previewComments, limits },
        secret,
        given,
        client,
      ),
    /** Copies of the database for administrators to download. */
    backupDownloads,
    /** What these links show. */
    sharedDrafts: new SharedDrafts({
      content: sites.contentOf(EMBEDDED_SITE),
      links: previewLinks,
      pictures,
      theme: siteTheme,
      siteRoot: env.SITE_URL === undefined ? '/site' : new URL(env.SITE_URL).origin,
    }),
    /** Pictures in the sizes that pages request. */
    pictures,
    /** The site to which a library picture belongs. */
    siteOfPicture: createSiteOfPicture(database),
    models,
    settings,
    /** All settings with their current values. */
    settingsReport: () =>
      settingsReport({ env, settings, providers, tools: paid.tools(), externalTools: toolServers.tools }),
    /** Servers whose tools are offered in addition to ours. */
    toolServers,
    /** The tool servers, and what their tools cost. */
    toolServersReport: () => toolServersReport(toolServers, settings.current()),
    /** The models that can be chosen, and what a turn of a conversation would cost with each. */
    modelList: paid.modelList,
    /** Budgets, and what has been spent of them. */
    spending,
    /** Costs of models. */
    costs: paid.costs,
    /** Connects, tests and disconnects model providers. */
    providers,
    /** Searches and reads the history of a session. */
    history: stores.history,
    /** Searches all sessions of a user. */
    searchSessions: createSessionSearch(database),
    /** A page of the history of a session's site checkpoints, newest first. */
    thread: (session: Session, query: HistoryQuery) =>
      readHistory(
        { content: site.pastOf(session.siteId), compactions, requestsOf: createTurnRequests(database) },
        session,
        query,
      ),
    /** The context engine, for callers outside a turn. */
    context: contextService,
    chat,
    /** Conversations of other programs. */
    completions,
    messagesApi: new MessagesApi(completions),
    responsesApi: new ResponsesApi(completions, new StoredResponses(database, context.now), context.onFault),
    /** Tools and pages of the site, for other assistants. */
    mcpEndpoint,
    /** Tool calls of other assistants that wait for a person. */
    callRequests: {
      ...callRequests,
      list: async (reach) => (await callRequests.list(reach)).map(withShownEffect),
    } satisfies CallRequestStore,
    /** Files attached to messages. */
    attachments: stores.attachments,
    /** Events of the sessions, for all their subscribers. */
    events,
    /** Streams what happens in the conversations of a user. */
    activityOf: (own: OwnSessions, signal: AbortSignal) =>
      followActivity({ store: createActivityStore(database, now), events, signals }, own, signal),
    /** Aborts when this process stops, which ends streams that would otherwise stay open. */
    closing,
    /** Aborts `closing`. Disposing does this too, but by then the clients may have disconnected. */
    endStreams: foundation.endStreams,
    /** The whole conversation as the chat shows it. */
    transcript: (sessionId: string) => loadTranscript(stores, sessionId),
    /** Its newest turns, or the turns before a cursor. */
    transcriptPage: (sessionId: string, query: TranscriptQuery) => loadTranscriptPage(stores, sessionId, query),
    /** The messages that this one superseded when it was sent, as the chat shows them. */
    earlierVersion: (sessionId: string, messageId: string) => loadEarlierVersion(stores, sessionId, messageId),
    /** Changes that an undo in this session would reverse; null without such changes. */
    undoable: ({ id, siteId }: Session) => findUndoable({ content: site.pastOf(siteId), compactions }, id),
    /** A turn's stream as the response to a request. */
    streamResponse: chatStreamResponse,
    async [Symbol.asyncDispose]() {
      foundation.endStreams();
      notifications?.close();
      await Promise.all([site.stopWork(), upkeep.close(), deletions, indexing]);
      const limitMs = env.SHUTDOWN_LIMIT_MS;
      await Promise.all([chat.close({ limitMs }), completions.close({ limitMs })]);
      await context.engine.close();
      await events.flush();
      await toolServers.close();
      await backupDownloads.close();
      await sites.close();
      await paid.close();
      await foundation.close();
    },
  };
}
