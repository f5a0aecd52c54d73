import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { type SiteAbilities, siteAbilitiesSchema } from '#server/core/site/remote-site';
import { isSealed, SEALED_PREFIX } from '#server/core/secrets';
import { serverText } from '#server/core/messages/server-text';
import type { Database, StoreTransaction } from '#server/platform/database/database';
import { LeaseWatch } from '#server/platform/database/leases';
import {
  assets,
  entries,
  importedComments,
  importedItems,
  importRuns,
  redirects,
  revisions,
  siteDocuments,
} from '#server/platform/database/schema/content';
import { turns } from '#server/platform/database/schema/turns';
import { sessions } from '#server/platform/database/schema/sessions';
import { remoteLinks, remotePast, wordpressSites } from '#server/platform/database/schema/wordpress';
import type { SecretBox } from '#server/platform/database/secret-box';
import { storableText, CorruptRowError } from '#server/platform/database/json-column';
import { leaseOf, turnColumns } from '#server/conversation/store/turn-rows';

/** Access to a site, and what the connection test found. */
export interface NewWordPressSite {
  /** Without a trailing slash. */
  readonly url: string;
  readonly username: string;
  /** The application password; still sealed (`isSealed`) if it cannot be opened. */
  readonly password: string;
  /** `name:password` for the web server in front of WordPress; null or absent: the web server requires none. */
  readonly proxy?: string | null;
  readonly name: string;
  readonly abilities: SiteAbilities;
}

export interface StoredWordPressSite extends NewWordPressSite {
  readonly id: string;
  readonly isActive: boolean;
  /** Epoch milliseconds; null: never. */
  readonly pulledAt: number | null;
}

/** Largest number of connected sites; more would be a mistake. */
const MAX_SITES = 20;
/** Largest number of conversations named in a refusal. */
const MAX_NAMED = 3;

/** The connected WordPress sites. Passwords are stored sealed; see SecretBox. */
export interface WordPressSiteRepository {
  /** In the order in which they were connected. */
  list(): Promise<StoredWordPressSite[]>;
  /** @throws ConflictError if the address is already connected, or the limit of sites is reached */
  create(site: NewWordPressSite): Promise<StoredWordPressSite>;
  /** @throws NotFoundError */
  update(id: string, changes: Partial<Omit<NewWordPressSite, 'url'>>): Promise<StoredWordPressSite>;
  /** Records that all changes before `pulledAt` were taken over. Does nothing for a removed site. */
  setPulled(id: string, pulledAt: number): Promise<void>;
  /**
   * Makes a site, or the built-in one (`embedded`), the default one: for visitors, and for requests that name no site.
   * @throws NotFoundError; ConflictError for a site that was never taken over completely
   */
  activate(id: string): Promise<void>;
  /**
   * Deletes a site with its local copy and journal.
   * @returns the deleted site @throws NotFoundError; ConflictError while it is the default one, while a conversation on
   * it is being answered or waits for a decision, and during an import into it
   */
  delete(id: string): Promise<StoredWordPressSite>;
  /**
   * Encrypts passwords that are stored as plain text or with an older key, those of single entries included.
   * @returns passwords that cannot be decrypted, for a person: `https://example.org: application password`. Those of
   * entries are not among them: they are read from WordPress again.
   */
  sealAll(): Promise<string[]>;
}

type Row = typeof wordpressSites.$inferSelect;

/** @param now epoch milliseconds */
export function createWordPressSiteRepository(
  db: Database,
  box: SecretBox,
  now: () => number = Date.now,
  watch: LeaseWatch = new LeaseWatch(now),
): WordPressSiteRepository {
  const placeOf = (id: string) => `wordpress_sites/${id}/password`;
  const proxyPlaceOf = (id: string) => `wordpress_sites/${id}/proxy`;
  const sealProxy = (id: string, proxy: string | null) => (proxy ? box.seal(proxy, proxyPlaceOf(id)) : null);
  const fromRow = ({ createdAt: _, updatedAt: __, ...row }: Row): StoredWordPressSite => ({
    ...row,
    password: box.open(row.password, placeOf(row.id)),
    proxy: row.proxy === null ? null : box.open(row.proxy, proxyPlaceOf(row.id)),
    abilities: abilitiesOf(row),
  });

  return {
    async list() {
      return (await db.read.select().from(wordpressSites).orderBy(asc(wordpressSites.id))).map(fromRow);
    },

    create: (site) =>
      db.write(async (tx) => {
        const present = await tx.select({ url: wordpressSites.url }).from(wordpressSites);
        if (present.some(({ url }) => url === site.url))
          throw new ConflictError(serverText('site-connected', { address: site.url }));
        if (present.length >= MAX_SITES) {
          throw new ConflictError(serverText('too-many-sites', { count: MAX_SITES }));
        }
        const id = createId('wps');
        const time = now();
        const { password, name, proxy = null, ...rest } = site;
        const secrets = { password: box.seal(password, placeOf(id)), proxy: sealProxy(id, proxy) };
        const sealed = { id, ...rest, name: storableText(name), ...secrets };
        const row = { ...sealed, isActive: false, pulledAt: null, createdAt: time, updatedAt: time };
        return fromRow(await tx.insert(wordpressSites).values(row).returning().get());
      }),

    update: (id, { password, name, proxy, ...rest }) =>
      db.write(async (tx) => {
        const behind = proxy === undefined ? {} : { proxy: sealProxy(id, proxy) };
        const sealed = password === undefined ? {} : { password: box.seal(password, placeOf(id)) };
        const named = name === undefined ? {} : { name: storableText(name) };
        const changes = { ...rest, ...named, ...sealed, ...behind, updatedAt: now() };
        const row = await tx.update(wordpressSites).set(changes).where(eq(wordpressSites.id, id)).returning().get();
        if (!row) throw new NotFoundError('connected site', id);
        return fromRow(row);
      }),

    async setPulled(id, pulledAt) {
      await db.write((tx) => tx.update(wordpressSites).set({ pulledAt }).where(eq(wordpressSites.id, id)).run());
    },

    activate: (id) =>
      db.write(async (tx) => {
        const active = await tx.select().from(wordpressSites).where(eq(wordpressSites.isActive, true)).get();
        if ((active?.id ?? EMBEDDED_SITE) === id) return;
        if (id !== EMBEDDED_SITE) requireTakenOver(await findRow(tx, id));
        await tx.update(wordpressSites).set({ isActive: false }).where(eq(wordpressSites.isActive, true)).run();
        await tx.update(wordpressSites).set({ isActive: true }).where(eq(wordpressSites.id, id)).run();
      }),

    delete: (id) =>
      db.write(async (tx) => {
        const row = await findRow(tx, id);
        if (row.isActive) throw new ConflictError(serverText('standard-site'));
        await requireNobodyAtWork(tx, id, now(), watch);
        // The rows of the connection (links among them) are deleted by the cascade of their foreign key to the site. The
        // tables below have no such key, so they are emptied here.
        const ofSite = [
          redirects,
          entries,
          siteDocuments,
          assets,
          revisions,
          importedItems,
          importedComments,
          importRuns,
        ];
        for (const table of ofSite) {
          await tx.delete(table).where(eq(table.siteId, id)).run();
        }
        await tx.delete(wordpressSites).where(eq(wordpressSites.id, id)).run();
        return fromRow(row);
      }),

    sealAll: () =>
      db.write(async (tx) => {
        const unreadable: string[] = [];
        let hasOlderKey = false;
        for (const row of await tx.select().from(wordpressSites)) {
          const { password, proxy = null, url } = fromRow(row);
          if (isSealed(password)) unreadable.push(`${url}: application password`);
          if (proxy !== null && isSealed(proxy)) unreadable.push(`${url}: password of its web server`);
          if (box.isCurrent(row.password) && (row.proxy === null || box.isCurrent(row.proxy))) continue;
          hasOlderKey = true;
          const sealed = { password: box.seal(password, placeOf(row.id)), proxy: sealProxy(row.id, proxy) };
          await tx.update(wordpressSites).set(sealed).where(eq(wordpressSites.id, row.id)).run();
        }
        // Reading all entries takes long, and theirs have the key of their site's password.
        if (hasOlderKey) await sealEntries(tx, box);
        return unreadable;
      }),
  };
}

/** What the passwords of a site's entries are sealed for. */
export const entryPasswordsOf = (siteId: string) => `wordpress_sites/${siteId}/entries`;

/** Seals passwords of single entries that were sealed with an older key, in their present and former states. */
async function sealEntries(tx: StoreTransaction, box: SecretBox): Promise<void> {
  for (const table of [remoteLinks, remotePast]) {
    const password = sql<string>`json_extract(${table.known}, '$.fields.password')`;
    // The text is searched first, because reading the JSON of every entry takes long.
    const hasSealed = sql`instr(${table.known}, ${`"password":"${SEALED_PREFIX}`}) > 0`;
    const rows = await tx
      .select({ rowid: sql<number>`${table}.rowid`, siteId: table.siteId, password })
      .from(table)
      .where(hasSealed);
    for (const { rowid, siteId, password: stored } of rows) {
      if (typeof stored !== 'string' || box.isCurrent(stored)) continue;
      const opened = box.open(stored, entryPasswordsOf(siteId));
      if (isSealed(opened)) continue;
      const known = sql`json_set(${table.known}, '$.fields.password', ${box.seal(opened, entryPasswordsOf(siteId))})`;
      await tx
        .update(table)
        .set({ known })
        .where(sql`rowid = ${rowid}`)
        .run();
    }
  }
}

function abilitiesOf({ id, abilities }: Pick<Row, 'id' | 'abilities'>): SiteAbilities {
  const parsed = siteAbilitiesSchema.safeParse(abilities);
  if (!parsed.success) throw new CorruptRowError('wordpress_sites', id, parsed.error);
  return parsed.data;
}

/** @throws NotFoundError */
async function findRow(tx: StoreTransaction, id: string): Promise<Row> {
  const row = await tx.select().from(wordpressSites).where(eq(wordpressSites.id, id)).get();
  if (!row) throw new NotFoundError('connected site', id);
  return row;
}

/** @throws ConflictError */
function requireTakenOver({ name, pulledAt }: Row): void {
  if (pulledAt !== null) return;
  throw new ConflictError(serverText('site-not-fetched', { name }));
}

/** @throws ConflictError while a conversation on the site is being answered or waits, and during an import into it */
async function requireNobodyAtWork(
  tx: StoreTransaction,
  siteId: string,
  time: number,
  watch: LeaseWatch,
): Promise<void> {
  const found = await tx
    .select({ ...turnColumns, title: sessions.title })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(and(eq(sessions.siteId, siteId), inArray(turns.status, ['running', 'waiting_approval'])))
    .orderBy(desc(turns.startedAt));
  const atWork = found.filter((turn) => turn.status === 'waiting_approval' || !watch.hasRunOut(leaseOf(turn), time));
  if (atWork.length > 0) {
    const names = atWork.slice(0, MAX_NAMED).map(({ title }) => `“${title}”`);
    const named = names.join(', ');
    throw new ConflictError(serverText('site-at-work', { count: atWork.length, titles: named }));
  }
  const isInto = and(eq(importRuns.siteId, siteId), eq(importRuns.status, 'running'));
  const imports = await tx.select().from(importRuns).where(isInto).get();
  if (imports) throw new ConflictError(serverText('site-being-imported', { filename: imports.filename }));
}
