import { Attachments } from '#server/conversation/step/attachments';
import { sessionInstructions } from '#server/conversation/step/session-context';
import { createJoinedTools, type ToolCatalog, Toolboxes } from '#server/conversation/step/toolboxes';
import { FeedSource } from '#server/conversation/events/feed-source';
import { SessionEvents } from '#server/conversation/events/session-events';
import { createBlobRepository } from '#server/conversation/store/sessions/blob-repository';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import { createEventRepository } from '#server/conversation/store/event-repository';
import { createHistorySearch } from '#server/conversation/store/search/history-search';
import {
  createLoadedToolsStore,
  createSessionRepository,
} from '#server/conversation/store/sessions/session-repository';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { createPreferenceRepository } from '#server/conversation/store/sessions/preference-repository';
import { createTurnRepository } from '#server/conversation/store/turn-repository';
import { ContextService } from '#server/conversation/turn/context-service';
import type { ApprovalNotices, ConversationContext } from '#server/conversation/turn/conversation-context';
import { Preferences } from '#server/conversation/turn/preferences';
import { TurnService } from '#server/conversation/turn/turn-service';
import { ContextManager } from '#server/context/context-manager';
import { countRecurringTokens } from '#server/context/tokens';
import type { McpServers } from '#server/integrations/mcp-client/mcp-servers';
import type { AuditLog } from '#server/platform/auth/audit-log';
import type { Limits } from '#server/platform/auth/limits';
import { newLease } from '#server/platform/database/leases';
import type { ProcessContext } from '#server/platform/process-context';
import { RedisTurnLogs } from '#server/platform/signals/redis-turn-logs';
import type { Models } from '#server/services/models';
import type { Site } from '#server/services/site';
import { alwaysOffered, frequentTools } from '#server/tools/index';

/** What the server stores of conversations. */
export type ConversationStores = ReturnType<typeof openConversationStores>;

/** Opens the stores of conversations, without anything that runs them. */
export function openConversationStores({ database, now, leaseWatch, signals, onFault }: ProcessContext) {
  const store = createEventRepository(database, { onFault });
  const stored = {
    sessions: createSessionRepository(database, now),
    messages: createMessageRepository(database, now, leaseWatch),
    turns: createTurnRepository(database, now, leaseWatch),
    compactions: createCompactionRepository(database, now, leaseWatch),
  };
  const source = new FeedSource({ ...stored, events: store });
  return {
    ...stored,
    history: createHistorySearch(database),
    attachments: new Attachments(createBlobRepository(database)),
    events: new SessionEvents({ store, source, signals, onFault }),
  };
}

/** What conversations need besides the process. */
interface ConversationParts {
  readonly stores: ConversationStores;
  readonly site: Site;
  readonly models: Models;
  readonly toolServers: McpServers;
  readonly limits: Limits;
  readonly audit: AuditLog;
  readonly approvalNotices: ApprovalNotices | null;
  readonly storePatienceMs: number | undefined;
}

/** Runs the conversations of this process. */
export function openConversations(
  process: ProcessContext,
  { stores, site, models: offered, toolServers, ...parts }: ConversationParts,
) {
  const { models, settings, calibrations } = offered;
  const preferences = new Preferences({
    ...stores,
    store: createPreferenceRepository(process.database),
    models,
    settings,
  });
  const context: ConversationContext = {
    ...process,
    ...stores,
    ...parts,
    models,
    settings,
    calibrations,
    preferences,
    turnLogs: process.redis && new RedisTurnLogs(process.redis),
    sites: site,
    toolServers,
    toolboxes: openToolboxes(process, site, offered, toolServers),
    engine: new ContextManager({ ...process, settings }),
    lease: newLease(process.env.TURN_LEASE_MS),
  };
  const chat = new TurnService(context);
  return { context, chat, contextService: new ContextService(context, chat) };
}

/** The tools that each conversation offers its model. */
function openToolboxes(
  { database }: ProcessContext,
  { sites, standing }: Site,
  { tools, settings }: Models,
  toolServers: McpServers,
): Toolboxes {
  const joinExternal = createJoinedTools();
  const catalog: ToolCatalog = {
    own: tools,
    external: () => joinExternal(toolServers.tools, sites.tools),
    always: alwaysOffered,
    frequent: frequentTools,
    instructionTokens: () => countRecurringTokens(sessionInstructions(standing.longest(), null)),
  };
  return new Toolboxes(catalog, createLoadedToolsStore(database), settings);
}
