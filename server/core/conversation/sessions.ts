import { z } from 'zod';
import { components, count, idOf, pageOf, type Shape, time } from '#server/core/shapes';

/** Title until the first request gives the session one. */
export const DEFAULT_SESSION_TITLE = 'New conversation';

/** One conversation. */
export const sessionSchema = z
  .strictObject({
    id: idOf('ses'),
    title: z.string().min(1).describe('Title; `New conversation` until the first message gives it one'),
    modelId: z.string().nullable().describe('Null: the default model'),
    ownerId: z.string().min(1).describe('Id of the user to whom it belongs; `own_local` in local mode'),
    siteId: z.string().min(1).describe('The site that it works on, an id of `GET /api/sites`'),
    instructions: z.string().nullable().describe('System messages that came with an import or a prepare'),
    compactionCount: count.describe('Number of compactions so far, also undone ones; without prunes and failures'),
    lastCompactionAt: time
      .nullable()
      .describe('When the newest compaction ended, epoch milliseconds; null: there was none'),
    currentlyCompacting: z.boolean().describe('True while a compaction runs'),
    compactingSince: time.nullable().describe('When the running compaction began, epoch milliseconds; null: none runs'),
    createdAt: time,
    updatedAt: time.describe('Last activity, epoch milliseconds'),
  })
  .describe('One session (conversation)')
  .register(components, { id: 'Session' });
export const sessionPageSchema = pageOf(sessionSchema).register(components, { id: 'SessionPage' });
export type Session = Shape<typeof sessionSchema>;

/**
 * Names of the tools that each conversation has loaded, the least recently loaded first. If not all of our tools fit,
 * the list also contains ours, the least recently used or loaded first.
 */
export interface LoadedTools {
  /** Empty if the session does not exist. */
  read(sessionId: string): Promise<readonly string[]>;
  /** @param decide may run more than once @throws NotFoundError */
  update(sessionId: string, decide: (names: readonly string[]) => readonly string[]): Promise<readonly string[]>;
}
