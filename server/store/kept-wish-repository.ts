import { and, asc, eq, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import { createId } from '#server/core/ids';
import type { Database, StoreTransaction } from '#server/store/database';
import { storableText } from '#server/store/part-codec';
import { keptWishes, messages } from '#server/store/schema/sessions';
import { type KeptWish, type KeptWishStore, type NewKeptWish, sameQuote } from '#server/core/kept-wishes';

const columns = {
  id: keptWishes.id,
  quote: keptWishes.quote,
  messageId: keptWishes.messageId,
  createdAt: keptWishes.createdAt,
};
const isSaid = sql`not exists (
  select 1 from ${messages} where ${messages.id} = ${keptWishes.messageId} and ${messages.supersededBy} is not null)`;

/** Lasting wishes that conversations keep. @param now epoch milliseconds */
export function createKeptWishRepository(db: Database, now: () => number = Date.now): KeptWishStore {
  const listed = (sessionId: string, which: SQL) =>
    db.read
      .select(columns)
      .from(keptWishes)
      .where(and(eq(keptWishes.sessionId, sessionId), which, isSaid))
      .orderBy(asc(keptWishes.id));

  async function mark(sessionId: string, id: string, letGoAt: number | null): Promise<KeptWish | null> {
    const isOther = letGoAt === null ? isNotNull(keptWishes.letGoAt) : isNull(keptWishes.letGoAt);
    const row = await db.write((tx) =>
      tx
        .update(keptWishes)
        .set({ letGoAt })
        .where(and(eq(keptWishes.id, id), eq(keptWishes.sessionId, sessionId), isOther, isSaid))
        .returning(columns)
        .get(),
    );
    return row ?? null;
  }

  return {
    keptWishes: (sessionId) => listed(sessionId, isNull(keptWishes.letGoAt)),
    wishesLetGo: (sessionId) => listed(sessionId, isNotNull(keptWishes.letGoAt)),

    async keepWishes(sessionId, quotes) {
      const createdAt = now();
      await db.write((tx) => insertWishes(tx, sessionId, quotes, createdAt));
    },

    letGo: (sessionId, id) => mark(sessionId, id, now()),
    keepAgain: (sessionId, id) => mark(sessionId, id, null),
  };
}

/** Keeps these too, but none that is kept already, and none that the user let go after saying it. */
export async function insertWishes(
  tx: StoreTransaction,
  sessionId: string,
  quotes: readonly NewKeptWish[],
  createdAt: number,
): Promise<void> {
  if (quotes.length === 0) return;
  const present = await tx
    .select({ ...columns, letGoAt: keptWishes.letGoAt })
    .from(keptWishes)
    .where(and(eq(keptWishes.sessionId, sessionId), isSaid));
  const rows = quotes
    .filter((one, index) => index === quotes.findIndex((other) => sameQuote(one.quote, other.quote)))
    .filter(({ quote, messageId }) =>
      present.every((wish) => !sameQuote(wish.quote, quote) || (wish.letGoAt !== null && wish.messageId !== messageId)),
    )
    .map(({ quote, messageId }) => ({
      id: createId('kep'),
      sessionId,
      quote: storableText(quote.trim()),
      messageId,
      createdAt,
    }));
  if (rows.length > 0) await tx.insert(keptWishes).values(rows);
}
