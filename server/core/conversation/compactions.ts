import { z } from 'zod';
import { compactionReasons } from '#server/core/conversation/events';
import { type Message, usageSchema } from '#server/core/conversation/messages';
import { codedMessageSchema } from '#server/core/coded-message';
import type { MessageCode } from '#server/core/messages/message-codes';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/**
 * Code of the error of a compaction that was abandoned although nothing failed: no summary was smaller by the required
 * gain. Unlike a failed compaction, it counts as an attempt that gained nothing.
 */
export const NO_GAIN = 'compaction-no-gain' satisfies MessageCode;

/** Causes of compactions and prunes; prunes also run after a turn has ended. */
const compactionTriggers = [...compactionReasons, 'turn-end'] as const;
export type CompactionTrigger = (typeof compactionTriggers)[number];

/** Effect of one compaction or prune on a session's view. Token counts are those of the whole view. */
export const compactionSchema = z
  .strictObject({
    id: idOf('cmp'),
    sessionId: idOf('ses'),
    round: z
      .number()
      .int()
      .min(1)
      .describe("1 for the session's first compaction; a prune or a failure has the number of the next round"),
    strategy: z.string().min(1).describe('Name of the strategy, or `prune`'),
    trigger: z
      .enum(compactionTriggers)
      .describe(
        'What caused it. `overflow`: the next request exceeded the usable tokens; `tool-response`: the same, because of tool results; `threshold`: it exceeded the trigger of the strategy; `real-time`: an answer reached the window while it was written; `provider-overflow`: the provider refused the request as too long; `manual`: a request; `background`: a summary that was prepared in advance; `turn-end`: a prune after a turn',
      ),
    status: z
      .enum(['completed', 'failed', 'undone'])
      .describe('`failed`: the view did not change. `undone`: it was taken back'),
    tokensBefore: count.describe('Tokens of the whole view before'),
    tokensAfter: count.describe('Tokens of the whole view afterwards'),
    messagesCompacted: count.describe('Number of messages that the summary replaces; 0 for a prune'),
    compactedMessageIds: z.array(idOf('msg')).describe('Ids of the messages that the summary replaces'),
    prunedPartIds: z.array(idOf('prt')).describe('Parts that a prune cleared'),
    keptBeforeSummary: z
      .array(idOf('msg'))
      .describe('Ids of messages before the cut that the view keeps verbatim before the summary'),
    keptAfterSummary: z
      .array(idOf('msg'))
      .describe('Ids of messages before the cut that the view keeps verbatim after the summary'),
    firstKeptMessageId: idOf('msg')
      .nullable()
      .describe('The view continues from this message; null if nothing older than the summary was kept'),
    summaryMessageId: idOf('msg')
      .nullable()
      .describe('Id of the message with the summary; null for prunes and failures'),
    modelId: z.string().nullable().describe('Model that wrote the summary; null if none did'),
    contextWindow: count.nullable().describe('Tokens of the window that the view was made for; null for prunes'),
    durationMs: count.describe('Run time in milliseconds'),
    usage: usageSchema
      .nullable()
      .describe('Tokens of the model calls that wrote the summary; null: no model was called, or not reported'),
    error: z
      .string()
      .nullable()
      .describe('Reasons why it failed, or why attempts of its model were refused, one per line'),
    errorMessage: codedMessageSchema.nullable().describe('`error` as data; null if it has no code'),
    createdAt: time,
  })
  .describe('One compaction or prune of the view; a failed one, too')
  .register(components, { id: 'Compaction' });
export type CompactionRecord = Shape<typeof compactionSchema>;

/** What is known of every compaction, prune and failure. Token counts are those of the whole view. */
export interface CompactionFigures {
  readonly round: number;
  readonly strategy: string;
  readonly trigger: CompactionTrigger;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

interface NamedThing {
  /** Kind of the thing: `page`, `post`, `navigation`, `settings`, ... */
  readonly kind: string;
  readonly id: string;
  readonly title: string;
}

/** An entry, picture or document of the site, identified as in the journal. */
export interface ThingRef extends NamedThing {
  readonly slug: string | null;
}

/** One change of the site that was made in a session, taken from the journal. Code copies it; no model paraphrases it. */
export interface LedgerEntry extends ThingRef {
  /** `create`, `update`, `publish`, `delete`, ... */
  readonly action: string;
  /** The change as a short sentence: `Added a faq section to "Pricing"`. */
  readonly summary: string;
  /** Texts that it set. Absent: none, or unknown. */
  readonly values?: readonly ValueChange[] | undefined;
  /** True if a later change undid it. */
  readonly undone: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Call that made it; absent if no call did. */
  readonly toolCallId?: string | undefined;
}

/** A text of a field before and after a change. */
export interface ValueChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** The current state of an entry, picture or document of a site. */
export interface Thing extends NamedThing {
  /** Address on the site, if it has one. */
  readonly path: string | null;
  /** `draft`, `published`, `changed`, `deleted`; null if it is unknown, or if the thing has no state. */
  readonly state: string | null;
  /** Its sections or other parts that have ids, in order. */
  readonly parts?: readonly { readonly id: string; readonly type: string }[] | undefined;
  /** Its content as text, if its parts have no ids. */
  readonly detail?: string | undefined;
  /** True if the site did not respond: the state is the one that was read last. */
  readonly isLastKnown?: boolean | undefined;
}

/** What became of a summary that was requested from a model; reported to logs and metrics. */
export interface SummaryOutcome {
  /**
   * `written`, `failed`: by the model. `paused`: the model was not called, because it failed shortly before. `used`: a
   * summary that was prepared in the background was used. `dropped`: a written summary was not used.
   */
  readonly outcome: 'written' | 'failed' | 'paused' | 'used' | 'dropped';
  readonly sessionId: string;
  readonly modelId: string;
  readonly trigger: CompactionTrigger;
  /** The reason why it failed or was dropped; contains no secrets. */
  readonly reason?: string | undefined;
}

/** Sorted names of tools after a compaction, stored with it. */
export interface WorkingContext {
  /** Tools that the verbatim messages refer to. */
  readonly tools: readonly string[];
  /** Tools that only compacted messages referred to. */
  readonly removedTools: readonly string[];
}

/** Finds the tools that the kept messages refer to, and those that only the replaced messages referred to. */
export function workingContext(kept: readonly Message[], replaced: readonly Message[]): WorkingContext {
  const calls = (messages: readonly Message[]) =>
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? part.content.toolName : [])));
  const tools = new Set(calls(kept));
  const removed = [...new Set(calls(replaced))].filter((name) => !tools.has(name));
  return { tools: [...tools].toSorted(), removedTools: removed.toSorted() };
}
