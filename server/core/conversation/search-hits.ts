import { z } from 'zod';
import { messageRoles } from '#server/core/conversation/messages';
import { components, idOf, listOf, pageOf, type Shape, time } from '#server/core/shapes';

/* Results of the full-text search in conversations. */

/** A search hit in one session. */
const historyHitSchema = z
  .strictObject({
    messageId: idOf('msg'),
    partId: idOf('prt'),
    seq: z.number().int().min(1),
    role: z.enum(messageRoles),
    kind: z.enum(['text', 'tool-call', 'tool-result']),
    toolName: z.string().optional(),
    snippet: z.string(),
    turnId: z.string().nullable().describe('Null: from before there were turns'),
    createdAt: time,
  })
  .register(components, { id: 'HistoryHit' });

/** A search hit in any session, with the id and the title of that session. */
const sessionHitSchema = z
  .strictObject({
    sessionId: idOf('ses'),
    title: z.string().describe('Title of the session'),
    ...historyHitSchema.shape,
  })
  .register(components, { id: 'SessionHit' });
export type SessionHit = Shape<typeof sessionHitSchema>;
export const sessionHitPageSchema = pageOf(sessionHitSchema).register(components, { id: 'SessionHitPage' });

/** Hits in one session. */
export const historyHitListSchema = listOf(historyHitSchema).register(components, { id: 'HistoryHitList' });
