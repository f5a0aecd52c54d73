import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { NotFoundError } from '#server/core/errors';
import type { Database } from '#server/store/database';
import { parseJsonColumn } from '#server/store/json-column';
import { sessions } from '#server/store/schema';

/** Names of the tools that were loaded into a conversation, the least recently loaded first. */
export interface LoadedToolsStore {
  /** Empty where there is no such session. */
  read(sessionId: string): Promise<readonly string[]>;
  /** @param decide may run more than once @throws NotFoundError */
  update(sessionId: string, decide: (names: readonly string[]) => readonly string[]): Promise<readonly string[]>;
}

const namesSchema = z.array(z.string());

export function createLoadedToolsStore(db: Database): LoadedToolsStore {
  const parse = (id: string, text: string) => parseJsonColumn(namesSchema, text, { table: 'sessions', id });
  return {
    async read(id) {
      const row = await db.read.select({ names: sessions.loadedTools }).from(sessions).where(eq(sessions.id, id)).get();
      return row ? parse(id, row.names) : [];
    },

    update: (id, decide) =>
      db.write(async (tx) => {
        const row = await tx.select({ names: sessions.loadedTools }).from(sessions).where(eq(sessions.id, id)).get();
        if (!row) throw new NotFoundError('session', id);
        const names = decide(parse(id, row.names));
        await tx
          .update(sessions)
          .set({ loadedTools: JSON.stringify(names) })
          .where(eq(sessions.id, id))
          .run();
        return names;
      }),
  };
}
