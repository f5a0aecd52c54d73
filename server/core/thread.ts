import { z } from 'zod';
import { changeSchema } from '#server/core/changes';
import { countedPageOf, type Shape, time } from '#server/core/shapes';

/** A change as a knot shows it. */
const knotChangeSchema = z.strictObject({
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
export type KnotChange = Shape<typeof knotChangeSchema>;

/** `answer`: changes of one answer; `hand`: by hand; `summary`: older messages were summarized. */
const knotKinds = ['answer', 'hand', 'summary'] as const;

/** A step in the thread of a conversation. */
const knotSchema = z.strictObject({
  /** Turn, first change or compaction. */
  id: z.string().min(1),
  kind: z.enum(knotKinds),
  at: time,
  turnId: z.string().nullable(),
  /** Its request, or its summary, in the transcript. */
  messageId: z.string().nullable(),
  words: z.string().nullable().describe('Start of the request'),
  who: changeSchema.shape.origin.pick({ actor: true, userName: true }).nullable().describe('Null: a summary'),
  /** In the order of the work; none: a summary. */
  changes: z.array(knotChangeSchema),
});
export type Knot = Shape<typeof knotSchema>;
/** Newest first. */
export const threadPageSchema = countedPageOf(knotSchema);
export type ThreadPage = Shape<typeof threadPageSchema>;

/** Request that began a turn. */
export interface OpeningRequest {
  readonly messageId: string;
  /** Its first words. */
  readonly words: string;
}
