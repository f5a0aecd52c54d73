import { and, desc, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { AuditAction, AuditEntry, AuditPage, AuditQuery } from '#server/core/audit';
import { createId } from '#server/core/ids';
import { jsonValueSchema } from '#server/core/json';
import { decodeCursor, pageSize, toPage } from '#server/store/cursor';
import type { Database, StoreTransaction } from '#server/store/database';
import { parseJsonColumn } from '#server/store/json-column';
import { auditEntries } from '#server/store/schema';
import { storableText } from '#server/store/storable-text';

/** Older entries fall off. */
const MOST_ENTRIES = 100_000;
/** How many are added between two looks at whether there are too many. */
const TRIM_EVERY = 500;
/** Characters of a name or a target: what strangers send (an e-mail that failed) is not kept in full. */
const MAX_TEXT = 300;

export type NewAuditEntry = Omit<AuditEntry, 'id' | 'createdAt'>;

/** Who did what. Entries are only ever added; the oldest fall off. */
export interface AuditRepository {
  append(entry: NewAuditEntry): Promise<void>;
  /** @throws InvalidInputError for a cursor that is none */
  list(query: AuditQuery): Promise<AuditPage>;
}

const cursorSchema = z.tuple([z.number(), z.string()]);
const detailsSchema = z.record(z.string(), jsonValueSchema);

/** `now` gives epoch milliseconds; `most` entries are kept, and up to `trimEvery` more. */
export function createAuditRepository(
  db: Database,
  { now = Date.now, most = MOST_ENTRIES, trimEvery = TRIM_EVERY } = {},
): AuditRepository {
  let untilTrim = 0;
  return {
    async append(entry) {
      const isTrimDue = untilTrim <= 0;
      untilTrim = isTrimDue ? trimEvery - 1 : untilTrim - 1;
      await db.write(async (tx) => {
        await tx.insert(auditEntries).values({ ...columns(entry), id: createId('aud'), createdAt: now() });
        if (isTrimDue) await trim(tx, most);
      });
    },

    async list({ action, userId, cursor, limit }) {
      const size = pageSize(limit, 50, 200);
      const { createdAt, id } = auditEntries;
      const after = cursor === undefined ? undefined : decodeCursor(cursorSchema, cursor);
      const rows = await db.read
        .select()
        .from(auditEntries)
        .where(
          and(
            action === undefined ? undefined : eq(auditEntries.action, action),
            userId === undefined ? undefined : eq(auditEntries.userId, userId),
            after && sql`(${createdAt}, ${id}) < (${after[0]}, ${after[1]})`,
          ),
        )
        .orderBy(desc(createdAt), desc(id))
        .limit(size + 1);
      return toPage(rows.map(fromRow), size, (last) => [last.createdAt, last.id]);
    },
  };
}

async function trim(tx: StoreTransaction, most: number): Promise<void> {
  const { id, createdAt } = auditEntries;
  await tx.run(sql`
    delete from ${auditEntries} where ${id} in (
      select ${id} from ${auditEntries} order by ${createdAt} desc, ${id} desc limit -1 offset ${most}
    )`);
}

function columns({ actorName, target, details, ...rest }: NewAuditEntry) {
  return {
    ...rest,
    actorName: short(actorName),
    target: target && short(target),
    details: details && storableText(JSON.stringify(details)),
  };
}

function short(text: string): string {
  return storableText(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
}

function fromRow({ details, action, ...row }: typeof auditEntries.$inferSelect): AuditEntry {
  const place = { table: 'audit_entries', id: row.id };
  return {
    ...row,
    action: action as AuditAction,
    details: details === null ? null : parseJsonColumn(detailsSchema, details, place),
  };
}
