import { getTableColumns, sql, type SQLWrapper } from 'drizzle-orm';
import { z } from 'zod';
import {
  type Entry,
  type EntryDocument,
  entryDocumentSchema,
  entryMarks,
  type EntryStatus,
  patchOpSchema,
} from '#server/core/site/content';
import { codedMessageSchema } from '#server/core/coded-message';
import type { ChangeSet } from '#server/core/site/changes';
import { DELETED_PERSON_NAME, DELETED_PERSON_PREFIX } from '#server/core/admin/access-rights';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { entries, revisions } from '#server/platform/database/schema/content';
import { users } from '#server/platform/database/schema/people';
import { CorruptRowError } from '#server/platform/database/json-column';
import { foldedEntry } from '#server/site/store/folded-texts';

/* Converts entries and changes to rows and back. */

type EntryRow = typeof entries.$inferSelect;
type RevisionRow = typeof revisions.$inferSelect;
/** A change without its target's states, which are whole documents. */
type ChangeRow = Omit<RevisionRow, 'seq' | 'siteId' | 'before' | 'after'> & { readonly userName?: string | null };

const { seq: _seq, siteId: _site, before: _before, after: _after, ...columnsOfChange } = getTableColumns(revisions);
/** Columns that `changeFromRow` reads. */
export const changeColumns = {
  ...columnsOfChange,
  userName: sql<
    string | null
  >`case when substr(${revisions.userId}, 1, 4) = ${DELETED_PERSON_PREFIX} then ${DELETED_PERSON_NAME} else (select ${users.name} from ${users} where ${users.id} = ${revisions.userId}) end`,
};

const operationsSchema = z.array(patchOpSchema);

function parsedColumn<T>(schema: z.ZodType<T>, value: unknown, table: string, id: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CorruptRowError(table, id, parsed.error);
}

/** JSON columns are written by `JSON.stringify` from documents in one key order, so equal documents are equal text. */
function statusOf(draft: EntryDocument, published: EntryDocument | null): EntryStatus {
  if (published === null) return 'draft';
  return JSON.stringify(draft) === JSON.stringify(published) ? 'published' : 'changed';
}

/** An entry from its row. @throws CorruptRowError */
export function entryFromRow(row: EntryRow): Entry {
  const draft = parsedColumn(entryDocumentSchema, row.draft, 'entries', row.id);
  const published = parsedColumn(entryDocumentSchema.nullable(), row.published, 'entries', row.id);
  const plannedOrNull = parsedColumn(entryDocumentSchema.nullable(), row.planned, 'entries', row.id);
  const { id, type, revision, publishedAt, publishAt, deletedAt, createdAt, updatedAt } = row;
  const planned = publishAt === null ? null : (plannedOrNull ?? draft);
  const status = statusOf(draft, published);
  const times = { publishedAt, publishAt, deletedAt, createdAt, updatedAt };
  return { id, type, revision, status, draft, published, planned, ...times, ...marksFromRow(row) };
}

/** SQL condition on the column `marks`: visitors can read the entry without a password. */
export const isWithoutPasswordIn = (marks: SQLWrapper) => sql`(${marks} is null or ${marks} not like '%"password"%')`;
export const isWithoutPassword = isWithoutPasswordIn(entries.marks);

const marksSchema = z.array(z.enum(entryMarks)).nullable();

export function marksFromRow({ id, marks }: Pick<EntryRow, 'id' | 'marks'>): Pick<Entry, 'marks'> {
  const found = parsedColumn(marksSchema, marks, 'entries', id);
  return found === null ? {} : { marks: found };
}

/** The row of an entry. Slugs and title are stored in addition to the documents, for their indexes. */
export function rowFromEntry(entry: Entry): Omit<typeof entries.$inferInsert, 'siteId'> {
  const { status: _derived, ...columns } = entry;
  return {
    ...columns,
    marks: entry.marks ?? null,
    slug: entry.draft.slug,
    publishedSlug: entry.published?.slug ?? null,
    title: entry.draft.title,
    folded: foldedEntry(entry),
  };
}

/** A summary as data; null in rows of earlier versions. @throws CorruptRowError */
export function summaryMessageFromRow({
  id,
  summaryMessage,
}: {
  readonly id: string;
  readonly summaryMessage: unknown;
}) {
  return parsedColumn(codedMessageSchema.nullable(), summaryMessage, 'revisions', id);
}

/** A change from the columns `changeColumns`. @throws CorruptRowError */
export function changeFromRow(row: ChangeRow): ChangeSet {
  const { id, targetType, targetId, slug, title, revision, action, summary, undoneBy, createdAt } = row;
  const { actor, userId, userName = null, sessionId, turnId, toolCallId, approvalId } = row;
  return {
    id,
    targetType,
    targetId,
    slug,
    title,
    revision,
    action,
    operations: parsedColumn(operationsSchema, row.operations, 'revisions', id),
    inverse: parsedColumn(operationsSchema, row.inverse, 'revisions', id),
    summary,
    summaryMessage: summaryMessageFromRow(row),
    origin: {
      actor,
      ...(userId !== null && { userId }),
      ...(userName !== null && { userName }),
      ...(sessionId !== null && { sessionId }),
      ...(turnId !== null && { turnId }),
      ...(toolCallId !== null && { toolCallId }),
      ...(approvalId !== null && { approvalId }),
    },
    undoneBy,
    createdAt,
  };
}

/** A change with its target's states before and after. @throws CorruptRowError */
export function journalEntryFromRow(row: RevisionRow): { change: ChangeSet; before: JsonValue; after: JsonValue } {
  const state = (value: unknown) => parsedColumn(jsonValueSchema, value, 'revisions', row.id);
  return { change: changeFromRow(row), before: state(row.before), after: state(row.after) };
}

/** The row of a change; `seq` is its position in the journal. */
export function rowFromChange(
  change: ChangeSet,
  before: JsonValue,
  after: JsonValue,
): Omit<RevisionRow, 'siteId' | 'seq'> {
  const { origin, operations, inverse, ...columns } = change;
  return {
    ...columns,
    operations,
    inverse,
    before,
    after,
    actor: origin.actor,
    userId: origin.userId ?? null,
    sessionId: origin.sessionId ?? null,
    turnId: origin.turnId ?? null,
    toolCallId: origin.toolCallId ?? null,
    approvalId: origin.approvalId ?? null,
    undoes: null,
  };
}

/** SQL expression for the status of an entry, equal to `statusOf`. */
export const statusColumn = sql<EntryStatus>`case
  when ${entries.published} is null then 'draft'
  when ${entries.published} = ${entries.draft} then 'published'
  else 'changed' end`;
