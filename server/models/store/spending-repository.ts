import { and, between, desc, eq, gte, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { CostGroup, CostRow, Costs } from '#server/core/admin/spending';
import type { SpendingStore } from '#server/models/budgets';
import type { Database } from '#server/platform/database/database';
import { users } from '#server/platform/database/schema/people';
import { sessions } from '#server/platform/database/schema/sessions';
import { spending } from '#server/platform/database/schema/installation';

/** An administrator's query for the costs of a range of days. */
export interface CostsQuery {
  /** Days (UTC), inclusive. */
  readonly from: string;
  readonly to: string;
  readonly by: CostGroup;
}

export interface SpendingRepository extends SpendingStore {
  costs(query: CostsQuery): Promise<Costs>;
}

/** Maximum rows of a report; more would not be useful. */
const MAX_ROWS = 1_000;

const MILLION = 1_000_000;
/** A positive cost never rounds to zero. */
const micros = (dollars: number) =>
  dollars > 0 ? Math.max(1, Math.round(dollars * MILLION)) : Math.round(dollars * MILLION);

/** Session value for conversations that other programs store. */
const NO_SESSION = '';

export function createSpendingRepository(db: Database): SpendingRepository {
  return {
    add: (spent, day) =>
      db.write(async (tx) => {
        const { userId, modelId, kind, inputTokens, outputTokens, cacheReadTokens, cost, isEstimated } = spent;
        const sessionId = spent.sessionId ?? NO_SESSION;
        const removed = kind === 'chat' && spent.inputPrice !== null ? removedTokens(sessionId) : sql`0`;
        const paid = cost === null ? 0 : micros(cost);
        const row = {
          calls: 1,
          inputTokens,
          outputTokens,
          cacheReadTokens,
          cost: paid,
          estimated: isEstimated ? paid : 0,
          unpriced: cost === null ? 1 : 0,
          cacheSaved: micros(spent.cacheSaved),
          compactionSaved: sql<number>`cast(round(${removed} * ${(spent.inputPrice ?? 0) * MILLION}) as integer)`,
        };
        const sum = Object.fromEntries(
          Object.keys(row).map((name) => [
            name,
            sql`${spending[name as keyof typeof row]} + excluded.${sql.identifier(spending[name as keyof typeof row].name)}`,
          ]),
        );
        await tx
          .insert(spending)
          .values({ day, userId, sessionId, modelId, kind, ...row })
          .onConflictDoUpdate({
            target: [spending.day, spending.userId, spending.sessionId, spending.modelId, spending.kind],
            set: sum,
          })
          .run();
      }),

    async sums({ userId, sessionId }, since) {
      const ofDay = gte(spending.day, since);
      const total = (condition: SQL | undefined) =>
        db.read
          .select({ sum: sql<number>`coalesce(sum(${spending.cost}), 0)` })
          .from(spending)
          .where(condition)
          .get();
      const [install, person, conversation] = await Promise.all([
        total(ofDay),
        total(and(ofDay, eq(spending.userId, userId))),
        sessionId === null ? undefined : total(eq(spending.sessionId, sessionId)),
      ]);
      const dollars = (row: { sum: number } | undefined) => (row?.sum ?? 0) / MILLION;
      return { install: dollars(install), person: dollars(person), conversation: dollars(conversation) };
    },

    async costs({ from, to, by }) {
      const inDays = between(spending.day, from, to);
      const [total, summaries, rows] = await Promise.all([
        db.read.select(sums).from(spending).where(inDays).get(),
        db.read
          .select({ cost: sums.cost })
          .from(spending)
          .where(and(inDays, eq(spending.kind, 'summary')))
          .get(),
        groupQuery(db, by)
          .where(inDays)
          .groupBy(keyOf[by])
          .orderBy(...(by === 'day' ? [spending.day] : [desc(sums.cost), keyOf[by]]))
          .limit(MAX_ROWS + 1),
      ]);
      return {
        from,
        to,
        by,
        total: { ...toAmounts(total ?? NOTHING), summaries: (summaries?.cost ?? 0) / MILLION },
        rows: rows
          .slice(0, MAX_ROWS)
          .map(({ key, name, ...amounts }): CostRow => ({ key, name, ...toAmounts(amounts) })),
        isCut: rows.length > MAX_ROWS,
      };
    },
  };
}

/** Tokens that pruning and compaction currently remove from each request of a session. */
function removedTokens(sessionId: string): SQL {
  return sql`coalesce((select ${sessions.removedTokens} from ${sessions} where ${sessions.id} = ${sessionId}), 0)`;
}

const sumOf = (column: SQLiteColumn) => sql<number>`coalesce(sum(${column}), 0)`;
const sums = {
  calls: sumOf(spending.calls),
  inputTokens: sumOf(spending.inputTokens),
  outputTokens: sumOf(spending.outputTokens),
  cacheReadTokens: sumOf(spending.cacheReadTokens),
  cost: sumOf(spending.cost),
  estimated: sumOf(spending.estimated),
  unpriced: sumOf(spending.unpriced),
  cacheSaved: sumOf(spending.cacheSaved),
  compactionSaved: sumOf(spending.compactionSaved),
};

type SummedRow = Readonly<Record<keyof typeof sums, number>>;

const NOTHING = Object.fromEntries(Object.keys(sums).map((name) => [name, 0])) as SummedRow;

const keyOf = {
  day: spending.day,
  model: spending.modelId,
  person: spending.userId,
  conversation: spending.sessionId,
  kind: spending.kind,
} as const satisfies Record<CostGroup, unknown>;

function groupQuery(db: Database, by: CostGroup) {
  const name =
    by === 'person'
      ? sql<string | null>`max(${users.name})`
      : by === 'conversation'
        ? sql<string | null>`max(${sessions.title})`
        : sql<null>`null`;
  const query = db.read
    .select({ key: sql<string>`${keyOf[by]}`, name, ...sums })
    .from(spending)
    .$dynamic();
  if (by === 'person') return query.leftJoin(users, eq(users.id, spending.userId));
  return by === 'conversation' ? query.leftJoin(sessions, eq(sessions.id, spending.sessionId)) : query;
}

function toAmounts({ cost, estimated, cacheSaved, compactionSaved, ...counts }: SummedRow) {
  return {
    ...counts,
    cost: cost / MILLION,
    estimated: estimated / MILLION,
    cacheSaved: cacheSaved / MILLION,
    compactionSaved: compactionSaved / MILLION,
  };
}
