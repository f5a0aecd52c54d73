import type { CompactionRecord } from '#server/core/compactions';
import type { ContextBreakdown, SessionEventName } from '#server/core/events';
import type { Role } from '#server/core/messages';

/** How full a session's context was at one moment: after a step, a prune or a compaction. Tokens. */
export interface ContextSample {
  readonly id: number;
  readonly turnId: string | null;
  readonly modelId: string;
  readonly contextWindow: number;
  readonly usableTokens: number;
  readonly currentTokens: number;
  readonly source: 'reported' | 'estimated';
  readonly breakdown: ContextBreakdown;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A session's context over time (GET /api/sessions/{id}/context/history); both oldest first. */
export interface ContextHistory {
  readonly samples: readonly ContextSample[];
  readonly compactions: readonly CompactionRecord[];
}

/** One part of the next request. */
export interface RequestPart {
  /** As the provider gets it: text, reasoning, tool-call, tool-result, image, file. */
  readonly type: string;
  /** Of a tool's call or result. */
  readonly toolName: string | null;
  /** What the model reads, cut to what a page can show; `characters` is the whole length. */
  readonly text: string;
  readonly characters: number;
  readonly tokens: number;
  /** A tool output that was cleared, whole or but for an excerpt. */
  readonly isCleared: boolean;
}

/** One message of the next request. */
export interface RequestMessage {
  readonly role: Role;
  /** Stands for what was compacted. */
  readonly isSummary: boolean;
  readonly tokens: number;
  readonly parts: readonly RequestPart[];
}

/** Exactly what the next step would send, with what each piece costs (GET /api/sessions/{id}/context/request). */
export interface NextRequest {
  readonly modelId: string;
  /** Sum of all that follows, calibrated as the engine counts. */
  readonly tokens: number;
  readonly instructions: { readonly text: string; readonly tokens: number };
  readonly tools: { readonly names: readonly string[]; readonly tokens: number };
  readonly messages: readonly RequestMessage[];
}

/** Something that a compaction left in the view as it was. */
export interface KeptMessage {
  readonly messageId: string;
  readonly role: Role;
  /** Its first words. */
  readonly preview: string;
}

/** A tool output that a prune cleared from the view. */
export interface ClearedOutput {
  readonly partId: string;
  /** Of an image that a user attached, its name. */
  readonly toolName: string;
  readonly tokens: number;
}

/** One round with everything it made and kept (GET /api/sessions/{id}/compactions/{compactionId}). */
export interface CompactionDetail {
  readonly compaction: CompactionRecord;
  /** Null for prunes and failures. */
  readonly summary: {
    /** All of it, as the model reads it. */
    readonly text: string;
    /** The part that code keeps: what was done, line by line. */
    readonly ledger: readonly string[];
    /** Words of the user that stand in it verbatim, the original request first. */
    readonly userWords: readonly string[];
  } | null;
  readonly kept: readonly KeptMessage[];
  readonly cleared: readonly ClearedOutput[];
  /** It can be taken back now. */
  readonly canUndo: boolean;
}

/** What a session does now, as far as an administrator cares. */
export const sessionStates = ['idle', 'running', 'compacting', 'waiting_approval', 'held', 'failed'] as const;
export type SessionState = (typeof sessionStates)[number];

/** One row of the administrator's table (GET /api/admin/sessions). */
export interface SessionOverview {
  readonly id: string;
  readonly title: string;
  readonly modelId: string | null;
  /** Whose it is; nobody else speaks in it. */
  readonly ownerId: string;
  /** Null where nobody has an account, or who had is gone. */
  readonly ownerName: string | null;
  readonly state: SessionState;
  readonly messageCount: number;
  /** Messages that wait. */
  readonly queued: number;
  /** Of the newest sample; null before the first step. */
  readonly context: {
    readonly currentTokens: number;
    readonly usableTokens: number;
    readonly percentUsed: number;
  } | null;
  readonly rounds: number;
  readonly lastCompactionAt: number | null;
  /** US dollars; null where no provider says it. */
  readonly cost: number | null;
  readonly createdAt: number;
  /** Last activity, epoch milliseconds. */
  readonly updatedAt: number;
}

/** Something happened in a session: its row in the table may be old (GET /api/admin/events). */
export interface SessionChange {
  readonly sessionId: string;
  /** What it was. */
  readonly name: SessionEventName;
}

/** A change as it is told; `id` is that of the session's own event and grows within the whole installation. */
export interface SessionChanged {
  readonly id: number;
  readonly name: 'session:changed';
  readonly data: SessionChange;
}
