import type { HoldReason, TurnStatus } from '#server/core/messages';

/** Why a compaction ran. */
export const compactionReasons = [
  'overflow',
  'threshold',
  'manual',
  'tool-response',
  'real-time',
  'provider-overflow',
  'background',
] as const;
export type CompactionReason = (typeof compactionReasons)[number];

/** Payload of `data-compaction` while a summary is being made. Token counts are calibrated estimates. */
export interface CompactionStart {
  readonly phase: 'start';
  readonly tokensBefore: number;
  readonly modelLimit: number;
  readonly reason: CompactionReason;
}
export interface CompactionComplete {
  readonly phase: 'complete';
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly messagesCompacted: number;
  readonly wasPruned: boolean;
  readonly wasSummarized: boolean;
  readonly round: number;
  readonly compactionId: string;
  readonly strategy: string;
  readonly durationMs: number;
}
export interface CompactionFailed {
  readonly phase: 'failed';
  readonly message: string;
}
export type CompactionData = CompactionStart | CompactionComplete | CompactionFailed;

export interface PruneData {
  readonly outputsPruned: number;
  readonly tokensSaved: number;
  readonly prunedTools: readonly string[];
  /** Its record, by which it can be undone; null when nothing was pruned. */
  readonly compactionId: string | null;
}

/** Where the tokens of the next request are. Summed, they are `currentTokens` when nothing was reported yet. */
export interface ContextBreakdown {
  readonly instructions: number;
  readonly tools: number;
  readonly user: number;
  readonly assistant: number;
  readonly reasoning: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly media: number;
  readonly summary: number;
}

/** The state of a session's context for one model (GET /api/sessions/{id}/context, `data-context`). */
export interface ContextUsage {
  readonly modelId: string;
  readonly contextWindow: number;
  readonly outputReserve: number;
  readonly usableTokens: number;
  readonly currentTokens: number;
  /** Of usable, 0 to above 100, one decimal. */
  readonly percentUsed: number;
  readonly availableTokens: number;
  readonly isOverflow: boolean;
  readonly source: 'reported' | 'estimated';
  readonly breakdown: ContextBreakdown;
  readonly messageCount: number;
  /** Of the newest request that says so, what the provider read from its cache: 0 to 1; null where none does. */
  readonly cachedShare: number | null;
  /** US dollars as the provider reported them. */
  readonly cost: {
    /** Of the newest step in the context; null where the provider does not say. */
    readonly lastStep: number | null;
    /** Of the whole session, summaries included; left out of what a step prepares. */
    readonly total?: number | null;
  };
  /** What to tell the user about the model's limits (unknown model, not loaded); null when they are sure. */
  readonly warning: string | null;
}

/** A waiting message as clients see it. */
export interface QueueItem {
  readonly id: string;
  readonly text: string;
  /** Names of what is attached. */
  readonly files: readonly string[];
  readonly createdAt: number;
  /** Why it is sent only when somebody says so; null, or left out by events from before: it is sent in its turn. */
  readonly heldReason?: HoldReason | null;
}

export interface QueueData {
  readonly items: readonly QueueItem[];
  /** True after a cancel: nothing is sent by itself. */
  readonly held: boolean;
}

/** What is told of a session at GET /api/sessions/{id}/events, by name (design section 9). */
export interface SessionEventData {
  'message:queued': { readonly id: string; readonly position: number };
  'message:dequeued': { readonly count: number; readonly ids: readonly string[]; readonly coalesced: boolean };
  'queue:changed': QueueData;
  'compaction:start': Omit<CompactionStart, 'phase'>;
  'compaction:complete': Omit<CompactionComplete, 'phase'>;
  'compaction:failed': Omit<CompactionFailed, 'phase'>;
  'prune:complete': PruneData;
  /** A compaction or prune was taken back. */
  'compaction:undone': { readonly compactionId: string; readonly strategy: string };
  'context:usage': ContextUsage;
  'turn:start': { readonly turnId: string; readonly messageId: string };
  'turn:end': {
    readonly turnId: string;
    readonly status: Exclude<TurnStatus, 'running'>;
    readonly error: string | null;
  };
}
export type SessionEventName = keyof SessionEventData;

/** Every name, for clients that listen to each. */
export const sessionEventNames = [
  'message:queued',
  'message:dequeued',
  'queue:changed',
  'compaction:start',
  'compaction:complete',
  'compaction:failed',
  'prune:complete',
  'compaction:undone',
  'context:usage',
  'turn:start',
  'turn:end',
] as const satisfies readonly SessionEventName[];

/** One stored event; `id` grows within the whole installation and is the `id:` of its SSE message. */
export type SessionEvent = {
  [Name in SessionEventName]: {
    readonly id: number;
    readonly sessionId: string;
    readonly name: Name;
    readonly data: SessionEventData[Name];
    readonly createdAt: number;
  };
}[SessionEventName];

/** Our typed data parts in the UI message stream: `data-compaction`, `data-prune`, `data-context`, `data-queue`. */
export interface ThroughlineDataParts extends Record<string, unknown> {
  compaction: CompactionData;
  prune: PruneData;
  context: ContextUsage;
  queue: QueueData;
}

/**
 * Wake-up calls between whoever changes the store and whoever waits for the change, in this process or (with Redis)
 * in all of them. A signal carries nothing but its topic: what has happened is read from the store, so one that is lost,
 * late or repeated does no harm.
 */
export interface Signals {
  /** Never throws and never waits. */
  notify(topic: string): void;
  /** Calls `listener` at every signal until the returned function is called. */
  subscribe(topic: string, listener: () => void): () => void;
  close(): Promise<void>;
}

/** The session's events have grown. */
export const eventsTopic = (sessionId: string) => `events:${sessionId}`;
/** The events of some session have grown. */
export const ALL_EVENTS_TOPIC = 'events';
/** More of the session's running turn is stored, or it has ended. */
export const turnTopic = (sessionId: string) => `turn:${sessionId}`;
/** The session's running turn is to be cancelled. */
export const cancelTopic = (sessionId: string) => `cancel:${sessionId}`;
/** What the administrator set has changed. Of no session: who shares a Redis reads theirs once too often. */
export const settingsTopic = 'settings';
/** The tool servers that the administrator set up have changed. Of no session, like the settings. */
export const mcpServersTopic = 'mcp-servers';
/** The connected sites, or which of them is active, have changed. Of no session, like the settings. */
export const sitesTopic = 'sites';

/** Silent streams send a comment this often: proxies and clients see that they are alive; milliseconds. */
export const HEARTBEAT_MS = 15_000;
