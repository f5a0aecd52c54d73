import { and, desc, eq, isNull, lt, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { AuditAction, AuditEntry, AuditPage, AuditQuery } from '#server/core/audit';
import { createId } from '#server/core/ids';
import { jsonValueSchema } from '#server/core/json';
import { shorten } from '#server/core/short-text';
import { decodeCursor, pageSize, toPage } from '#server/store/cursor';
import type { Database, StoreTransaction } from '#server/store/database';
import { parseJsonColumn, storableText } from '#server/store/part-codec';
import { auditEntries } from '#server/store/schema/people';

/** Older entries fall off: a year, and some days to look back in. Milliseconds. */
const KEPT_MS = 400 * 86_400_000;
/** Entries of one action by one person; more push out their own kind and nothing else. */
const MOST_ALIKE = 50_000;
/** Failed sign-ins kept: guessing passwords fills this bound and no other. */
const MOST_FAILED_SIGN_INS = 10_000;
/** Number added between two looks at what falls off. */
const TRIM_EVERY = 500;
/** Characters of a name or a target: what strangers send (an e-mail that failed) is not kept in full. */
const MAX_TEXT = 300;

export type NewAuditEntry = Omit<AuditEntry, 'id' | 'createdAt'>;

/** The audit log. Entries are only ever added; they are dropped by age, and when one person floods the log. */
export interface AuditRepository {
  append(entry: NewAuditEntry): Promise<void>;
  /** @throws InvalidInputError for a cursor that is none */
  list(query: AuditQuery): Promise<AuditPage>;
}

const cursorSchema = z.tuple([z.number(), z.string()]);
const detailsSchema = z.record(z.string(), jsonValueSchema);

/** `now` gives epoch milliseconds; of those that are alike `most` are kept, and up to `trimEvery` more. */
export function createAuditRepository(
  db: Database,
  { now = Date.now, most = MOST_ALIKE, mostFailedSignIns = MOST_FAILED_SIGN_INS, trimEvery = TRIM_EVERY } = {},
): AuditRepository {
  let untilTrim = 0;
  /** Actions and people with new entries since the last trim. */
  let added = new Map<string, Alike>();
  return {
    async append(entry) {
      const { action, userId } = entry;
      added.set(`${action} ${userId}`, { action, userId });
      const isTrimDue = untilTrim <= 0;
      untilTrim = isTrimDue ? trimEvery - 1 : untilTrim - 1;
      const groups = isTrimDue ? [...added.values()] : [];
      if (isTrimDue) added = new Map();
      await db.write(async (tx) => {
        const time = now();
        await tx.insert(auditEntries).values({ ...columns(entry), id: createId('aud'), createdAt: time });
        if (isTrimDue) await tx.delete(auditEntries).where(lt(auditEntries.createdAt, time - KEPT_MS));
        for (const group of groups) await trim(tx, group, group.action === FAILED ? mostFailedSignIns : most);
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

/** Entries of one action by one person. */
type Alike = Pick<NewAuditEntry, 'action' | 'userId'>;

const FAILED: AuditAction = 'sign-in-failed';

/** Leaves the newest of those that are alike. */
async function trim(tx: StoreTransaction, { action, userId }: Alike, most: number): Promise<void> {
  const { id, createdAt } = auditEntries;
  const ofOne = userId === null ? isNull(auditEntries.userId) : eq(auditEntries.userId, userId);
  await tx.run(sql`
    delete from ${auditEntries} where ${id} in (
      select ${id} from ${auditEntries} where ${and(eq(auditEntries.action, action), ofOne)} order by ${createdAt} desc, ${id} desc limit -1 offset ${most}
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
  return storableText(shorten(text, MAX_TEXT));
}

function fromRow({ details, action, ...row }: typeof auditEntries.$inferSelect): AuditEntry {
  const place = { table: 'audit_entries', id: row.id };
  return {
    ...row,
    action: action as AuditAction,
    details: details === null ? null : parseJsonColumn(detailsSchema, details, place),
  };
}
