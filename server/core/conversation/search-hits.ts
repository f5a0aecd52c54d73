import { z } from 'zod';
import { messageRoles } from '#server/core/conversation/messages';
import { components, idOf, listOf, pageOf, type Shape, time } from '#server/core/shapes';

/* Results of the full-text search in conversations. */

/** A search hit in one session. */
const historyHitSchema = z
  .strictObject({
    messageId: idOf('msg'),
    partId: idOf('prt'),
    seq: z.number().int().min(1).describe('Number of the message in its session, from 1'),
    role: z.enum(messageRoles).describe('Who the message is from'),
    kind: z.enum(['text', 'tool-call', 'tool-result']).describe('What the words were found in'),
    toolName: z.string().optional().describe('Name of the tool of a call or a result; absent for texts'),
    snippet: z.string().describe('Text around the match, at most 200 characters'),
    turnId: z.string().nullable().describe('Null: from before there were turns'),
    createdAt: time,
  })
  .describe('A message part that contains the searched words')
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
