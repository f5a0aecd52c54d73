import { z } from 'zod';
import { changeSchema } from '#server/core/site/changes';
import { countedPageOf, type Shape, time } from '#server/core/shapes';

/** A change of the site as a checkpoint lists it. */
const checkpointChangeSchema = z.strictObject({
  ...changeSchema.pick({
    id: true,
    targetType: true,
    targetId: true,
    slug: true,
    title: true,
    action: true,
    summary: true,
  }).shape,
  undoneBy: changeSchema.shape.undoneBy,
  isTakenAlong: z.boolean().describe('Something was brought back to how it was before this change'),
  createdAt: time,
});
export type CheckpointChange = Shape<typeof checkpointChangeSchema>;

/** `answer`: changes of one answer; `hand`: manual changes; `summary`: older messages were summarized. */
const checkpointKinds = ['answer', 'hand', 'summary'] as const;

/** A checkpoint in the history of a conversation. */
const checkpointSchema = z.strictObject({
  /** Id of the turn, the first change or the compaction. */
  id: z.string().min(1),
  kind: z.enum(checkpointKinds),
  at: time,
  turnId: z.string().nullable(),
  /** The message with the request, or with the summary, in the transcript. */
  messageId: z.string().nullable(),
  words: z.string().nullable().describe('Start of the request'),
  who: changeSchema.shape.origin.pick({ actor: true, userName: true }).nullable().describe('Null: a summary'),
  /** In chronological order; empty for a summary. */
  changes: z.array(checkpointChangeSchema),
});
export type Checkpoint = Shape<typeof checkpointSchema>;
/** Newest first. */
export const historyPageSchema = countedPageOf(checkpointSchema);
export type HistoryPage = Shape<typeof historyPageSchema>;

/** The request that started a turn. */
export interface OpeningRequest {
  readonly messageId: string;
  /** Its first words. */
  readonly words: string;
}
