import { z } from 'zod';
import type { NewPart, Part } from '#server/core/parts';
import type { CoalescedMetadata } from '#server/core/turns';

export const roles = ['user', 'assistant', 'tool'] as const;
export type Role = (typeof roles)[number];

export const messageStatuses = ['streaming', 'complete', 'interrupted', 'failed'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/**
 * Tokens that one step used, as the provider reported them. `inputTokens` is the whole request and already includes
 * cache reads and writes; `cost` is in US dollars where the provider says it.
 */
export const usageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  cost: z.number().optional(),
  /** Of the input, our count of instructions and tool schemas, before any factor: they may be others at the next step. */
  fixedCount: z.number().optional(),
  /** What older rows have in its place: the same with the factor of then in it. */
  fixedTokens: z.number().optional(),
  /** Which view was sent: a report says nothing about another one (see view-key). */
  viewKey: z.string().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** One stored message with its parts in order. `seq` is unique within the session and gives the order. */
export interface Message {
  readonly id: string;
  readonly sessionId: string;
  readonly seq: number;
  readonly role: Role;
  readonly status: MessageStatus;
  /** A compaction's summary: hidden from the transcript, first in the view. */
  readonly isSummary: boolean;
  /** The user message that this message answers. */
  readonly parentId: string | null;
  readonly turnId: string | null;
  readonly modelId: string | null;
  readonly finishReason: string | null;
  readonly error: string | null;
  readonly usage: Usage | null;
  /** Of a user message that is several in one (see core/turns); null otherwise. */
  readonly metadata: CoalescedMetadata | null;
  /** The user message that was sent in the place of this one's; null: it stands. The view has only what stands. */
  readonly supersededBy: string | null;
  readonly createdAt: number;
  readonly parts: readonly Part[];
}

/** A message before it has a row. */
export interface NewMessage {
  readonly id?: string;
  readonly role: Role;
  readonly parts: readonly NewPart[];
  readonly status?: MessageStatus;
  readonly parentId?: string | null;
  readonly turnId?: string | null;
  readonly modelId?: string | null;
  readonly finishReason?: string | null;
  readonly error?: string | null;
  readonly usage?: Usage | null;
  readonly metadata?: CoalescedMetadata | null;
}

/** Until the first request gives a session its name. */
export const DEFAULT_SESSION_TITLE = 'New conversation';

/** One conversation. */
export interface Session {
  readonly id: string;
  readonly title: string;
  readonly modelId: string | null;
  readonly ownerId: string;
  /** Extra instructions of this session (imported system messages). */
  readonly instructions: string | null;
  readonly compactionCount: number;
  readonly lastCompactionAt: number | null;
  readonly currentlyCompacting: boolean;
  readonly compactingSince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}
