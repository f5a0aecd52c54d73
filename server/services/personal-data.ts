import { and, count, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { People } from '#server/platform/auth/people';
import type { AuditAction } from '#server/core/admin/audit-actions';
import { serverText } from '#server/core/messages/server-text';
import { yieldToEventLoop } from '#server/core/async';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { createId } from '#server/core/ids';
import type { PersonalData } from '#server/core/admin/personal-data';
import type { Database, StoreTransaction } from '#server/platform/database/database';
import type { SessionRepository } from '#server/conversation/store/sessions/session-repository';
import { deleteInPieces } from '#server/conversation/store/sessions/delete-session';
import {
  assetFiles,
  assets,
  entries,
  importRuns,
  pictureVariants,
  presence,
  previewComments,
  revisions,
  siteDocuments,
  submissions,
} from '#server/platform/database/schema/content';
import { spending } from '#server/platform/database/schema/installation';
import { apiKeys, auditEntries, passkeys, signIns } from '#server/platform/database/schema/people';
import { blobs, keptRounds, sessions, storedResponses } from '#server/platform/database/schema/sessions';
import { approvalMails, callRequests } from '#server/platform/database/schema/turns';

/** What the server stores about one person, identified by an email address, with or without an account. */
export interface PersonalDataStore {
  /** Lists the stored data without changing it. @param email in lower case */
  find(email: string): Promise<PersonalData>;
  /**
   * Erases what `find` lists. The journal, the audit log and the costs keep their entries, with "Deleted person"
   * instead of the person. After an interruption, calling it again erases the rest.
   * @throws ConflictError if no administrator would be left; nothing is erased then
   */
  erase(email: string): Promise<PersonalData>;
  /** Rows about the person that `find` only counts or lists without their text, for an export; without secrets. */
  records(found: PersonalData): Promise<Readonly<Record<RecordKind, readonly object[]>>>;
}

type RecordKind = 'signIns' | 'passkeys' | 'apiKeys' | 'auditEntries' | 'changes' | 'comments';

interface PersonalDataDeps {
  readonly database: Database;
  /** Loaded when needed, because local mode does not use it. */
  readonly openPeople: () => Promise<People>;
  readonly sessions: SessionRepository;
  /** Stops the work of a person whose account is suspended. */
  readonly stopWork: (userId: string) => Promise<void>;
}

/** Maximum ids or rows in one statement. */
const IDS_AT_ONCE = 200;

/** Creates the store of personal data. */
export function createPersonalData({
  database,
  openPeople,
  sessions: conversations,
  stopWork,
}: PersonalDataDeps): PersonalDataStore {
  const { read } = database;
  const countOf = async (table: SQLiteTable, where: SQL | undefined) =>
    (await read.select({ n: count() }).from(table).where(where).get())?.n ?? 0;

  async function find(email: string): Promise<PersonalData> {
    const people = await openPeople();
    const account = (await people.list()).find((person) => person.email === email) ?? null;
    const formerAccounts = await formerIds(database, email, account?.id);
    const ids = idsOf({ account, formerAccounts });
    const isTheirs = (column: SQLiteColumn) => inArray(column, ids);
    return {
      email,
      account,
      formerAccounts,
      conversations: await read
        .select({
          id: sessions.id,
          title: sessions.title,
          messages: sessions.messageCount,
          createdAt: sessions.createdAt,
        })
        .from(sessions)
        .where(and(isTheirs(sessions.ownerId), sql`${sessions.deletedAt} is null`)),
      attachments: await read
        .select({ id: blobs.id, sessionId: blobs.sessionId, filename: blobs.filename, size: blobs.size })
        .from(blobs)
        .innerJoin(sessions, eq(sessions.id, blobs.sessionId))
        .where(and(isTheirs(sessions.ownerId), sql`${sessions.deletedAt} is null`)),
      pictures: await picturesOf(database, ids),
      submissions: await submissionsWith(database, email),
      comments: (await commentsWith(database, email)).map(({ id, pageTitle, createdAt }) => ({
        id,
        pageTitle,
        createdAt,
      })),
      signIns: await countOf(signIns, isTheirs(signIns.userId)),
      passkeys: await countOf(passkeys, isTheirs(passkeys.userId)),
      apiKeys: await countOf(apiKeys, isTheirs(apiKeys.userId)),
      callRequests: await countOf(callRequests, isTheirs(callRequests.userId)),
      approvalMails: await countOf(approvalMails, isTheirs(approvalMails.userId)),
      keptRounds: await countOf(keptRounds, isTheirs(keptRounds.ownerId)),
      storedResponses: await countOf(storedResponses, isTheirs(storedResponses.ownerId)),
      renamed: {
        journal: await countOf(revisions, isTheirs(revisions.userId)),
        audit: await countOf(auditEntries, isAbout(ids, email)),
        spending: await countOf(spending, isTheirs(spending.userId)),
        imports: await countOf(importRuns, isTheirs(importRuns.userId)),
        decisions: await countOf(callRequests, isTheirs(callRequests.decidedBy)),
      },
    };
  }

  return {
    find,
    async records({ account, formerAccounts, email }) {
      const ids = idsOf({ account, formerAccounts });
      const { createdAt } = auditEntries;
      return {
        signIns: await read
          .select({ createdAt: signIns.createdAt, ipAddress: signIns.ipAddress, userAgent: signIns.userAgent })
          .from(signIns)
          .where(inArray(signIns.userId, ids)),
        passkeys: await read
          .select({ name: passkeys.name, createdAt: passkeys.createdAt })
          .from(passkeys)
          .where(inArray(passkeys.userId, ids)),
        apiKeys: await read
          .select({ name: apiKeys.name, createdAt: apiKeys.createdAt, lastUsedAt: apiKeys.lastUsedAt })
          .from(apiKeys)
          .where(inArray(apiKeys.userId, ids)),
        auditEntries: await read.select().from(auditEntries).where(isAbout(ids, email)).orderBy(createdAt),
        changes: await read
          .select({
            id: revisions.id,
            action: revisions.action,
            title: revisions.title,
            summary: revisions.summary,
            createdAt: revisions.createdAt,
          })
          .from(revisions)
          .where(inArray(revisions.userId, ids)),
        comments: await commentsWith(database, email),
      };
    },
    async erase(email) {
      const before = await find(email);
      const { account } = before;
      const people = await openPeople();
      // The account is suspended first: this fails for the last administrator, and nothing is added afterwards. It is
      // deleted last, because it leads to everything else.
      if (account) {
        await people.update(account.id, { banned: true });
        await stopWork(account.id);
      }
      const found = await find(email);
      const ids = idsOf(found);
      for (const { id } of found.conversations) await conversations.delete(id);
      for (const each of chunksOf(found.submissions.map(({ id }) => id)))
        await deleteInPieces(database, { table: submissions, where: inArray(submissions.id, each) });
      for (const each of chunksOf(found.comments.map(({ id }) => id)))
        await deleteInPieces(database, { table: previewComments, where: inArray(previewComments.id, each) });
      for (const { id, isUsed } of found.pictures) if (!isUsed) await database.write((tx) => erasePicture(tx, id));
      for (const { table, column } of [
        { table: callRequests, column: callRequests.userId },
        { table: approvalMails, column: approvalMails.userId },
        { table: keptRounds, column: keptRounds.ownerId },
        { table: storedResponses, column: storedResponses.ownerId },
        { table: presence, column: presence.userId },
      ])
        await deleteInPieces(database, { table, where: inArray(column, ids) });
      await database.write(async (tx) => {
        await tx.delete(apiKeys).where(inArray(apiKeys.userId, ids));
        for (const id of ids) await replaceId(tx, id, createId('del'));
        await anonymizeAudit(tx, found);
      });
      if (account) await people.remove(account.id);
      // The suspension has already ended the sign-ins.
      return { ...found, account, signIns: before.signIns };
    },
  };
}

/** Ids of the account and of former accounts with the same address. */
function idsOf({ account, formerAccounts }: Pick<PersonalData, 'account' | 'formerAccounts'>): string[] {
  return [...(account ? [account.id] : []), ...formerAccounts];
}

/** Ids of deleted accounts that had this email address, from the audit log. */
async function formerIds(database: Database, email: string, present: string | undefined): Promise<string[]> {
  const id = sql<string | null>`json_extract(${auditEntries.details}, '$.id')`;
  const rows = await database.read
    .selectDistinct({ id })
    .from(auditEntries)
    .where(and(inArray(auditEntries.action, ['user-created', 'user-deleted']), eq(auditEntries.target, email)));
  return rows.flatMap((row) => (row.id === null || row.id === present ? [] : [row.id]));
}

/** Condition: audit entries by these people, about them, and by people who entered this email address. */
function isAbout(ids: readonly string[], email: string): SQL | undefined {
  return or(
    inArray(auditEntries.userId, [...ids]),
    eq(auditEntries.target, email),
    eq(auditEntries.actorName, email),
    ...[email, ...ids].map((value) => sql`instr(${auditEntries.details}, ${JSON.stringify(value)}) > 0`),
  );
}

/**
 * Pictures of the built-in library that these people added, and whether the site uses them, including in drafts and
 * scheduled changes.
 */
async function picturesOf({ read }: Database, ids: readonly string[]): Promise<PersonalData['pictures']> {
  const isAdded = and(
    eq(revisions.targetType, 'asset'),
    eq(revisions.action, 'create'),
    inArray(revisions.userId, [...ids]),
  );
  const added = await read
    .selectDistinct({ id: assets.id, filename: assets.filename, size: assets.size })
    .from(revisions)
    .innerJoin(assets, and(eq(assets.id, revisions.targetId), eq(assets.siteId, EMBEDDED_SITE)))
    .where(isAdded);
  if (added.length === 0) return [];
  const used = new Set<string>();
  const markUsed = (...values: readonly unknown[]) => {
    for (const [id] of JSON.stringify(values).matchAll(/ast_[0-9a-z]+/g)) used.add(id);
  };
  markUsed((await read.select({ value: siteDocuments.value }).from(siteDocuments)).map(({ value }) => value));
  for (let after = ''; ;) {
    const page = await read
      .select({ id: entries.id, draft: entries.draft, published: entries.published, planned: entries.planned })
      .from(entries)
      .where(sql`${entries.id} > ${after}`)
      .orderBy(entries.id)
      .limit(IDS_AT_ONCE);
    for (const { draft, published, planned } of page) markUsed(draft, published, planned);
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
    await yieldToEventLoop();
  }
  return added.map((picture) => ({ ...picture, isUsed: used.has(picture.id) }));
}

/** Erases the picture with the bytes of all its versions, except bytes that other pictures share. */
async function erasePicture(tx: StoreTransaction, id: string): Promise<void> {
  const hashOf = (column: SQLiteColumn) => sql<string | null>`json_extract(${column}, '$.hash')`;
  const versions = await tx
    .select({ before: hashOf(revisions.before), after: hashOf(revisions.after) })
    .from(revisions)
    .where(and(eq(revisions.targetType, 'asset'), eq(revisions.targetId, id)));
  const [now] = await tx.select({ hash: assets.hash }).from(assets).where(eq(assets.id, id));
  await tx.delete(assets).where(eq(assets.id, id));
  const hashes = new Set([now?.hash, ...versions.flatMap(({ before, after }) => [before, after])]);
  for (const hash of hashes) {
    if (typeof hash !== 'string') continue;
    const [other] = await tx.select({ id: assets.id }).from(assets).where(eq(assets.hash, hash)).limit(1);
    if (other) continue;
    await tx.delete(assetFiles).where(eq(assetFiles.hash, hash));
    await tx.delete(pictureVariants).where(sql`instr(${hash}, ${pictureVariants.version}) = 1`);
  }
}

/** Form messages that contain exactly this address: `ada@kiln.example` does not match within `nada@kiln.example`. */
async function submissionsWith({ read }: Database, email: string): Promise<PersonalData['submissions']> {
  const { id, pageTitle, formTitle, createdAt, words } = submissions;
  const rows = await read
    .select({ id, pageTitle, formTitle, createdAt, words })
    .from(submissions)
    .where(sql`instr(${words}, ${email}) > 0`);
  return rows.filter((row) => containsAddress(row.words, email)).map(({ words: _, ...row }) => row);
}

/** Comments through preview links whose name or text contains exactly this address. */
async function commentsWith({ read }: Database, email: string) {
  const { id, entryId, name, text, createdAt } = previewComments;
  const rows = await read
    .select({ id, pageTitle: entries.title, name, text, createdAt })
    .from(previewComments)
    .innerJoin(entries, eq(entries.id, entryId))
    .where(sql`instr(lower(${name} || char(10) || ${text}), ${email}) > 0`);
  return rows.filter((row) => containsAddress(`${row.name}\n${row.text}`.toLowerCase(), email));
}

/** True if the text contains the address by itself, not as a part of a longer one. */
function containsAddress(text: string, email: string): boolean {
  for (let at = text.indexOf(email); at >= 0; at = text.indexOf(email, at + 1)) {
    const isStart = !/[\p{L}\p{N}._%+'-]$/u.test(text.slice(0, at));
    const isEnd = !/^(?:[\p{L}\p{N}-]|\.[\p{L}\p{N}])/u.test(text.slice(at + email.length));
    if (isStart && isEnd) return true;
  }
  return false;
}

/** Replaces the id of a person by another id in the journal, the costs, the imports and the decisions, which are kept. */
async function replaceId(tx: StoreTransaction, id: string, to: string): Promise<void> {
  await tx.update(revisions).set({ userId: to }).where(eq(revisions.userId, id));
  await tx.update(spending).set({ userId: to }).where(eq(spending.userId, id));
  await tx.update(importRuns).set({ userId: to }).where(eq(importRuns.userId, id));
  await tx.update(callRequests).set({ decidedBy: to }).where(eq(callRequests.decidedBy, id));
}

/** Actions whose target is the title of a conversation. */
const SESSION_ACTIONS = ['session-read', 'session-exported', 'session-deleted'] satisfies AuditAction[];

/** Names of changed values that are of a person, in entries about one. */
const PERSONAL_VALUES = new Set(['name', 'email']);

/** The details of an entry about a person without their ids and address, and without a name before or after a change. */
function withoutPerson(details: string, { email, ...found }: PersonalData): string {
  const known = new Set([email, ...idsOf(found)]);
  return JSON.stringify(
    JSON.parse(details, (_, value: unknown) => {
      if (typeof value === 'string') return known.has(value) ? 'deleted' : value;
      if (typeof value !== 'object' || value === null || !('name' in value)) return value;
      if (!PERSONAL_VALUES.has(String(value.name))) return value;
      const changed = (name: string) => (Reflect.get(value, name) === null ? {} : { [name]: 'deleted' });
      return { ...value, ...('before' in value && changed('before')), ...('after' in value && changed('after')) };
    }),
  );
}

/** Removes the person from the audit log, whose entries are kept. */
async function anonymizeAudit(tx: StoreTransaction, found: PersonalData): Promise<void> {
  const { email } = found;
  const ids = idsOf(found);
  const { text: name, ...coded } = serverText('deleted-person');
  const message = JSON.stringify(coded);
  const owner = sql`json_extract(${auditEntries.details}, '$.ownerId')`;
  const isInDetails = [email, ...ids].map((value) => sql`instr(${auditEntries.details}, ${JSON.stringify(value)}) > 0`);
  const withDetails = await tx
    .select({ id: auditEntries.id, details: auditEntries.details })
    .from(auditEntries)
    .where(or(eq(auditEntries.target, email), ...isInDetails));
  for (const id of ids)
    await tx
      .update(auditEntries)
      .set({ target: name, targetMessage: message })
      .where(and(inArray(auditEntries.action, SESSION_ACTIONS), sql`${owner} = ${id}`));
  await tx
    .update(auditEntries)
    .set({ actorName: name, actorMessage: message, ipAddress: null, keyId: null })
    .where(or(inArray(auditEntries.userId, [...ids]), eq(auditEntries.actorName, email)));
  await tx.update(auditEntries).set({ target: name, targetMessage: message }).where(eq(auditEntries.target, email));
  for (const id of ids) await tx.update(auditEntries).set({ userId: null }).where(eq(auditEntries.userId, id));
  for (const { id, details } of withDetails)
    if (details !== null)
      await tx
        .update(auditEntries)
        .set({ details: withoutPerson(details, found) })
        .where(eq(auditEntries.id, id));
}

/** Cuts a list into pieces for one statement each. */
function chunksOf(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / IDS_AT_ONCE) }, (_, at) =>
    ids.slice(at * IDS_AT_ONCE, (at + 1) * IDS_AT_ONCE),
  );
}
