import { and, asc, eq, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import { createId } from '#server/core/ids';
import type { Database, StoreTransaction } from '#server/platform/database/database';
import { storableText } from '#server/platform/database/json-column';
import { keptWishes, messages } from '#server/platform/database/schema/sessions';
import {
  type Preference,
  type PreferenceStore,
  type NewPreference,
  sameQuote,
} from '#server/core/conversation/preferences';

const columns = {
  id: keptWishes.id,
  quote: keptWishes.quote,
  messageId: keptWishes.messageId,
  createdAt: keptWishes.createdAt,
  confirmedAt: keptWishes.confirmedAt,
};
const isSaid = sql`not exists (
  select 1 from ${messages} where ${messages.id} = ${keptWishes.messageId} and ${messages.supersededBy} is not null)`;

/** Store of the preferences of conversations. @param now epoch milliseconds */
export function createPreferenceRepository(db: Database, now: () => number = Date.now): PreferenceStore {
  const listed = (sessionId: string, which: SQL) =>
    db.read
      .select(columns)
      .from(keptWishes)
      .where(and(eq(keptWishes.sessionId, sessionId), which, isSaid))
      .orderBy(asc(keptWishes.id));

  async function mark(
    sessionId: string,
    id: string,
    change: { readonly letGoAt: number | null } | { readonly confirmedAt: number | null },
    from: SQL | undefined,
  ): Promise<Preference | null> {
    const row = await db.write((tx) =>
      tx
        .update(keptWishes)
        .set(change)
        .where(and(eq(keptWishes.id, id), eq(keptWishes.sessionId, sessionId), from, isSaid))
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
      await db.write((tx) => insertPreferences(tx, sessionId, quotes, createdAt));
    },

    letGo: (sessionId, id) => mark(sessionId, id, { letGoAt: now() }, isNull(keptWishes.letGoAt)),
    keepAgain: (sessionId, id) => mark(sessionId, id, { letGoAt: null }, isNotNull(keptWishes.letGoAt)),
    confirm: (sessionId, id, isConfirmed) =>
      mark(
        sessionId,
        id,
        { confirmedAt: isConfirmed ? now() : null },
        and(
          isNull(keptWishes.letGoAt),
          isConfirmed ? isNull(keptWishes.confirmedAt) : isNotNull(keptWishes.confirmedAt),
        ),
      ),
  };
}

/** Adds proposed preferences, except those that are stored already and those that the user removed after typing them. */
export async function insertPreferences(
  tx: StoreTransaction,
  sessionId: string,
  quotes: readonly NewPreference[],
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
