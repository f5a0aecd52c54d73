import { z } from 'zod';
import { changeSchema } from '#server/core/site/changes';
import { components, countedPageOf, type Shape, time } from '#server/core/shapes';

/** A change of the site as a checkpoint lists it. */
const checkpointChangeSchema = z
  .strictObject({
    ...changeSchema.pick({
      id: true,
      targetType: true,
      targetId: true,
      slug: true,
      title: true,
      action: true,
      summary: true,
      summaryMessage: true,
    }).shape,
    undoneBy: changeSchema.shape.undoneBy,
    isTakenAlong: z.boolean().describe('Something was brought back to how it was before this change'),
    createdAt: time.describe('When the change was made, epoch milliseconds'),
  })
  .register(components, { id: 'CheckpointChange' });
export type CheckpointChange = Shape<typeof checkpointChangeSchema>;

/** `answer`: changes of one answer; `hand`: manual changes; `summary`: older messages were summarized. */
const checkpointKinds = ['answer', 'hand', 'summary'] as const;

/** A checkpoint in the history of a conversation. */
const checkpointSchema = z
  .strictObject({
    id: z.string().min(1).describe('Id of the turn, the first change or the compaction'),
    kind: z
      .enum(checkpointKinds)
      .describe('`answer`: changes of one answer. `hand`: changes by hand. `summary`: older messages were summarized'),
    at: time.describe('When its newest change was made, or the summary, epoch milliseconds'),
    turnId: z.string().nullable().describe('Id of the turn of an answer; null: no turn'),
    messageId: z.string().nullable().describe('The message with the request, or with the summary, in the transcript'),
    words: z.string().nullable().describe('Start of the request'),
    who: changeSchema.shape.origin.pick({ actor: true, userName: true }).nullable().describe('Null: a summary'),
    changes: z.array(checkpointChangeSchema).describe('In chronological order; empty for a summary'),
  })
  .register(components, { id: 'Checkpoint' });
export type Checkpoint = Shape<typeof checkpointSchema>;
/** Newest first. */
export const historyPageSchema = countedPageOf(checkpointSchema).register(components, { id: 'HistoryPage' });
export type HistoryPage = Shape<typeof historyPageSchema>;

/** The request that started a turn. */
export interface OpeningRequest {
  readonly messageId: string;
  /** Its first words. */
  readonly words: string;
}
