import { z } from 'zod';
import { messageRoles } from '#server/core/conversation/messages';
import { idOf, pageOf, type Shape, time } from '#server/core/shapes';

/* Results of the full-text search in conversations. */

/** A search hit in one session. */
export const historyHitSchema = z.strictObject({
  messageId: idOf('msg'),
  partId: idOf('prt'),
  seq: z.number().int().min(1),
  role: z.enum(messageRoles),
  kind: z.enum(['text', 'tool-call', 'tool-result']),
  toolName: z.string().optional(),
  snippet: z.string(),
  turnId: z.string().nullable().describe('Null: from before there were turns'),
  createdAt: time,
});

/** A search hit in any session, with the id and the title of that session. */
const sessionHitSchema = z.strictObject({
  sessionId: idOf('ses'),
  /** Title of the session. */
  title: z.string(),
  ...historyHitSchema.shape,
});
export type SessionHit = Shape<typeof sessionHitSchema>;
export const sessionHitPageSchema = pageOf(sessionHitSchema);
