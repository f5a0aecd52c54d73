import { setImmediate as untilSignalsAreHeard } from 'node:timers/promises';
import type { NewMessage } from '#server/core/conversation/messages';
import { LOCAL_OWNER } from '#server/core/admin/access-rights';
import type { Database } from '#server/platform/database/database';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';

/** Sessions made in one transaction. */
const BATCH = 500;
/** One title in so many has the rare word. */
const RARE_EVERY = 20;
const STARTED_AT = Date.UTC(2026, 0, 1);
const SUBJECTS = ['Pricing page', 'Opening hours', 'Workshop in spring', 'New bowls', 'Delivery and returns'];

/** In the titles of the oldest few sessions only: to find it, all titles are read. */
export const RARE_TITLE = 'celadon';
/** In every fifth title. */
export const COMMON_TITLE = 'workshop';

const titleOf = (n: number) =>
  `${SUBJECTS[n % SUBJECTS.length]} ${n}${n < 100 && n % RARE_EVERY === 0 ? ` ${RARE_TITLE}` : ''}`;

/**
 * Makes `count` sessions, each with a request and its answer, twice. The same for every run.
 * @returns the id of the newest
 */
export async function fillSessions(
  database: Database,
  distinct: readonly NewMessage[][],
  count: number,
): Promise<string> {
  let newest = '';
  for (let start = 0; start < count; start += BATCH) {
    await untilSignalsAreHeard();
    // Repositories write each for itself; thousands of sessions want one transaction for many.
    newest = await database.write(async (tx) => {
      const joined: Database = { ...database, write: (work) => work(tx) };
      let last = '';
      for (let n = start; n < Math.min(count, start + BATCH); n += 1) last = await fillSession(joined, distinct, n);
      return last;
    });
  }
  return newest;
}

async function fillSession(database: Database, distinct: readonly NewMessage[][], n: number): Promise<string> {
  const now = () => STARTED_AT + n * 60_000;
  const { id } = await createSessionRepository(database, now).create({ ownerId: LOCAL_OWNER, title: titleOf(n) });
  const said = [n, n + 1].flatMap((turn) => {
    const [request, , , answer] = distinct[turn % distinct.length]!;
    return [request!, answer!];
  });
  await createMessageRepository(database, now).appendMany(id, said);
  return id;
}
