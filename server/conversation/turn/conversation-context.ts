import type { ContextManager } from '#server/context/context-manager';
import type { Calibrations } from '#server/context/calibration';
import type { SessionSite } from '#server/context/ports';
import type { CurrentSettings } from '#server/context/settings/context-settings';
import type { SessionEvents } from '#server/conversation/events/session-events';
import type { Attachments } from '#server/conversation/step/attachments';
import type { TurnSite } from '#server/conversation/step/site-context';
import type { Toolboxes } from '#server/conversation/step/toolboxes';
import type { CompactionRepository } from '#server/conversation/store/compaction-repository';
import type { MessageRepository } from '#server/conversation/store/message-repository';
import type { HistorySearch } from '#server/conversation/store/search/history-search';
import type { SessionRepository } from '#server/conversation/store/sessions/session-repository';
import type { Preferences } from '#server/conversation/turn/preferences';
import type { Session } from '#server/core/conversation/sessions';
import type { TurnLogs } from '#server/core/conversation/turn-logs';
import type { Lease } from '#server/core/conversation/turns';
import type { EndedKeyWork, TurnStore } from '#server/core/conversation/turn-store';
import type { ServerText } from '#server/core/coded-message';
import type { ChangeOrigin } from '#server/core/site/changes';
import type { PresenceStore } from '#server/core/site/presence';
import type { ModelRegistry } from '#server/models/model-registry';
import type { ProcessContext } from '#server/platform/process-context';

/** The sites that conversations work on. */
export interface ConversationSites {
  /** The site of a conversation; calls on a site that is no longer connected throw. */
  at(siteId: string): TurnSite;
  /** The site of a session as the context engine reads it. */
  ofSession(session: Session): SessionSite;
  /** @throws ConflictError for a site that is no longer connected */
  requireConnected(siteId: string): Promise<void>;
  /** Standing instructions of the sites. */
  readonly standing: StandingInstructions;
  /** People who are currently editing. */
  readonly presence: PresenceStore;
}

/**
 * What the classes that run conversations share. It is created once per process, in `server/services/conversations.ts`;
 * each class keeps it and uses what it needs.
 */
export interface ConversationContext extends ProcessContext {
  readonly sessions: SessionRepository;
  readonly messages: MessageRepository;
  readonly turns: TurnStore;
  readonly compactions: CompactionRepository;
  readonly history: HistorySearch;
  readonly attachments: Attachments;
  readonly preferences: Preferences;
  /** Events of the sessions, for all their followers. */
  readonly events: SessionEvents;
  /** Logs of running turns for other processes; null without Redis. */
  readonly turnLogs: TurnLogs | null;
  readonly models: ModelRegistry;
  readonly settings: CurrentSettings;
  /** Learned from the usage that providers report. */
  readonly calibrations: Calibrations;
  /** The tools of each conversation. */
  readonly toolboxes: Toolboxes;
  readonly toolServers: ConnectedToolServers;
  readonly sites: ConversationSites;
  /** The context engine: prepares, prunes and compacts the context of a session. */
  readonly engine: ContextManager;
  readonly limits: UserLimits;
  readonly audit: ConversationAudit;
  /** Mails people who have to decide about calls; null: no mail is sent. */
  readonly approvalNotices: ApprovalNotices | null;
  /** Lease of this process for the turns that it runs. */
  readonly lease: Lease;
  /** Time limit for a running turn to store its data, milliseconds. Default as in RetryingWriter. */
  readonly storePatienceMs: number | undefined;
}

/** The tool servers, which describe themselves. */
interface ConnectedToolServers {
  /** How to use those that conversations of a site may use, in the words of each server. */
  instructionsFor(siteId: string): readonly { readonly name: string; readonly text: string }[];
}

/** Standing instructions of the sites, kept in memory. */
interface StandingInstructions {
  /** The instructions as models read them; empty if the site has none. */
  current(siteId: string): string;
  /** Reads them again, because another process may have changed them. */
  refresh(siteId: string): Promise<void>;
}

interface UserLimits {
  /** Number of turns that the user may run concurrently. */
  turnsLeft(userId: string): number;
  /** Reserves one of the user's slots for running requests; the returned function frees it. @throws RateLimitedError */
  reserveSlot(userId: string): Promise<() => void>;
}

/** The entries of the audit log about conversations. */
interface ConversationAudit {
  /** Records a call by the assistant, on behalf of its user. Never throws. */
  recordTool(tool: string, origin: ChangeOrigin, target: string | ServerText | null): Promise<void>;
  /** Records work that ended because its API key became invalid. Never throws. */
  recordEndedKeyWork(work: EndedKeyWork): Promise<void>;
}

/** Receives that an approval may have been requested; its turn has ended in the store by then. */
export interface ApprovalNotices {
  checkApprovals(): void;
}
