import { and, desc, eq, gte, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type CodedMessage, codedMessageSchema } from '#server/core/coded-message';
import type { AuditEntry, AuditFilter, AuditPage, AuditQuery, NewAuditEntry } from '#server/core/admin/audit';
import type { AuditAction } from '#server/core/admin/audit-actions';
import { createId } from '#server/core/ids';
import { jsonValueSchema } from '#server/core/json';
import { shorten } from '#server/core/text/short-text';
import { decodeCursor, pageSize, toPage } from '#server/platform/database/cursor';
import type { Database, StoreTransaction } from '#server/platform/database/database';
import { parseJsonColumn, storableText } from '#server/platform/database/json-column';
import { auditEntries } from '#server/platform/database/schema/people';

/** Age at which entries are deleted: a year, plus some days for looking back. Milliseconds. */
const RETENTION_MS = 400 * 86_400_000;
/** Maximum entries of one action by one person; further ones displace only entries of the same kind. */
const MAX_ENTRIES_PER_ACTION = 50_000;
/** Maximum failed sign-ins: password guessing fills only this limit. */
const MAX_FAILED_SIGN_INS = 10_000;
/** Number of entries that are added between two deletions of old ones. */
const TRIM_EVERY = 500;
/**
 * Maximum characters of a name or a target: text from strangers (the email address of a failed sign-in) is not stored
 * in full.
 */
const MAX_TEXT = 300;
/** Maximum characters of a name or target as data. Longer ones are stored as text alone. */
const MAX_MESSAGE = 2_000;

/** The audit log. Entries are only added; they are deleted by age, and if one person floods the log. */
export interface AuditRepository {
  /** Adds an entry with the present time. */
  append(entry: NewAuditEntry): Promise<void>;
  /** Lists entries, newest first. @throws InvalidInputError for an invalid cursor */
  list(query: AuditQuery): Promise<AuditPage>;
  /** All entries that match, newest first, in pages. */
  each(filter: AuditFilter): AsyncIterable<readonly AuditEntry[]>;
}

/** Maximum entries of one page. */
const MAX_PAGE = 200;

const cursorSchema = z.tuple([z.number(), z.string()]);
const detailsSchema = z.record(z.string(), jsonValueSchema);

/**
 * @param options `now` gives epoch milliseconds. Of the entries with the same action and person, the newest `most` are kept
 * (`mostFailedSignIns` of failed sign-ins), and up to `trimEvery` more.
 */
export function createAuditRepository(
  db: Database,
  {
    now = Date.now,
    most = MAX_ENTRIES_PER_ACTION,
    mostFailedSignIns = MAX_FAILED_SIGN_INS,
    trimEvery = TRIM_EVERY,
  } = {},
): AuditRepository {
  let untilTrim = 0;
  /** Actions and people with new entries since the last trim. */
  let added = new Map<string, EntryGroup>();

  async function list({ cursor, limit, ...filter }: AuditQuery): Promise<AuditPage> {
    const size = pageSize(limit, 50, MAX_PAGE);
    const { createdAt, id } = auditEntries;
    const after = cursor === undefined ? undefined : decodeCursor(cursorSchema, cursor);
    const rows = await db.read
      .select()
      .from(auditEntries)
      .where(and(matches(filter), after && sql`(${createdAt}, ${id}) < (${after[0]}, ${after[1]})`))
      .orderBy(desc(createdAt), desc(id))
      .limit(size + 1);
    return toPage(rows.map(fromRow), size, (last) => [last.createdAt, last.id]);
  }

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
        if (isTrimDue) await tx.delete(auditEntries).where(lt(auditEntries.createdAt, time - RETENTION_MS));
        for (const group of groups) await trim(tx, group, group.action === FAILED ? mostFailedSignIns : most);
      });
    },

    list,
    async *each(filter) {
      let cursor: string | null | undefined;
      do {
        const page: AuditPage = await list({ ...filter, cursor: cursor ?? undefined, limit: MAX_PAGE });
        yield page.items;
        cursor = page.nextCursor;
      } while (cursor !== null);
    },
  };
}

function matches({ action, userId, from, until }: AuditFilter): SQL | undefined {
  return and(
    action === undefined ? undefined : eq(auditEntries.action, action),
    userId === undefined ? undefined : eq(auditEntries.userId, userId),
    from === undefined ? undefined : gte(auditEntries.createdAt, from),
    until === undefined ? undefined : lt(auditEntries.createdAt, until),
  );
}

/** Entries of one action by one person. */
interface EntryGroup {
  readonly action: AuditAction;
  readonly userId: string | null;
}

const FAILED: AuditAction = 'sign-in-failed';

/** Keeps the newest entries with the same action and person. */
async function trim(tx: StoreTransaction, { action, userId }: EntryGroup, most: number): Promise<void> {
  const { id, createdAt } = auditEntries;
  const ofOne = userId === null ? isNull(auditEntries.userId) : eq(auditEntries.userId, userId);
  await tx.run(sql`
    delete from ${auditEntries} where ${id} in (
      select ${id} from ${auditEntries} where ${and(eq(auditEntries.action, action), ofOne)} order by ${createdAt} desc, ${id} desc limit -1 offset ${most}
    )`);
}

function columns({ actorName, actorMessage, target, targetMessage, details, ...rest }: NewAuditEntry) {
  return {
    ...rest,
    actorName: short(actorName),
    actorMessage: messageColumn(actorMessage),
    target: target && short(target),
    targetMessage: messageColumn(targetMessage),
    details: details && storableText(JSON.stringify(details)),
  };
}

function short(text: string): string {
  return storableText(shorten(text, MAX_TEXT));
}

function messageColumn(message: CodedMessage | null): string | null {
  const json = message && JSON.stringify(message);
  return json === null || json.length > MAX_MESSAGE ? null : storableText(json);
}

type AuditRow = typeof auditEntries.$inferSelect;

function fromRow({ details, action, actorMessage, targetMessage, ...row }: AuditRow): AuditEntry {
  const place = { table: 'audit_entries', id: row.id };
  const messageOf = (json: string | null) => (json === null ? null : parseJsonColumn(codedMessageSchema, json, place));
  return {
    ...row,
    action: action as AuditAction,
    actorMessage: messageOf(actorMessage),
    targetMessage: messageOf(targetMessage),
    details: details === null ? null : parseJsonColumn(detailsSchema, details, place),
  };
}
