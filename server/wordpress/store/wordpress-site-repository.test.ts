import { readFileSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { isSealed } from '#server/core/secrets';
import { createContentRepository } from '#server/site/store/content-repository';
import type { Database } from '#server/platform/database/database';
import { databaseFileOf } from '#server/platform/database/file-connection';
import { turns } from '#server/platform/database/schema/turns';
import { entries, revisions, siteDocuments } from '#server/platform/database/schema/content';
import { sessions } from '#server/platform/database/schema/sessions';
import { remoteLinks, remotePast, wordpressSites } from '#server/platform/database/schema/wordpress';
import { createSecretBox } from '#server/platform/database/secret-box';
import {
  createWordPressSiteRepository,
  type NewWordPressSite,
} from '#server/wordpress/store/wordpress-site-repository';
import { secretsOf } from '#server/wordpress/wordpress-sites';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { itWithDatabase as it } from '#tests/support/test-database';

const SECRET = 'a secret of more than thirty-two characters';
const PASSWORD = 'abcd EFGH 1234 ijkl';
const now = () => 1_700_000_000_000;
const site = (host: string): NewWordPressSite => ({
  url: `https://${host}`,
  username: 'mara',
  password: PASSWORD,
  name: host,
  abilities: {
    version: '6.1',
    userName: 'Mara',
    canPublish: true,
    canEditPages: true,
    canUpload: true,
    canSetSettings: true,
    canSetNavigation: true,
    remarks: ['Pages have no excerpt.'],
  },
});
const storeOf = (db: Database, secret = SECRET) =>
  createWordPressSiteRepository(db, createSecretBox({ secret, databaseUrl: db.url }), now);
const activeOf = async (store: ReturnType<typeof storeOf>) =>
  (await store.list()).filter(({ isActive }) => isActive).map(({ name }) => name);

it('keeps a site, and no password that a copy of the database would tell', async ({ db }) => {
  const store = storeOf(db);
  const made = await store.create(site('one.example'));
  expect(made).toEqual({ id: made.id, ...site('one.example'), proxy: null, isActive: false, pulledAt: null });
  await expect(store.create(site('one.example'))).rejects.toThrow(ConflictError);
  const another = await store.update(made.id, {
    password: `${PASSWORD} mnop`,
    username: 'ben',
    proxy: 'ann:in front EFGH',
  });
  expect(another).toMatchObject({
    username: 'ben',
    password: `${PASSWORD} mnop`,
    proxy: 'ann:in front EFGH',
    url: made.url,
  });
  await store.setPulled(made.id, 7);
  expect(await store.list()).toEqual([{ ...another, pulledAt: 7 }]);
  const file = databaseFileOf(db.url);
  for (const path of [file, `${file}-wal`]) expect(readFileSync(path).includes('EFGH'), path).toBe(false);
  await expect(store.update('wps_none', { username: 'x' })).rejects.toThrow(NotFoundError);
});

it('seals plain values, rejects a password of another site, and names unreadable ones', async ({ db }) => {
  const store = storeOf(db);
  const one = await store.create(site('one.example'));
  const two = await store.create(site('two.example'));
  const stored = async (id: string) =>
    (await db.read.select().from(wordpressSites).where(eq(wordpressSites.id, id)).get())!.password;
  const put = (id: string, password: string) =>
    db.write((tx) => tx.update(wordpressSites).set({ password }).where(eq(wordpressSites.id, id)).run());
  const sealed = await stored(two.id);
  await put(one.id, PASSWORD);
  expect(await store.sealAll()).toEqual([]);
  expect([await stored(one.id), await stored(two.id)]).toEqual([expect.stringMatching(/^enc:1:/), sealed]);
  expect((await store.list())[0]?.password).toBe(PASSWORD);

  expect(await storeOf(db, `${SECRET}!`).sealAll()).toEqual([
    'https://one.example: application password',
    'https://two.example: application password',
  ]);
  expect(await stored(two.id)).toBe(sealed);
  await put(one.id, sealed);
  expect((await store.list()).map(({ password }) => isSealed(password))).toEqual([true, false]);
});

it('seals passwords of entries again, in present and former states', async ({ db }) => {
  const { id: siteId } = await storeOf(db).create(site('one.example'));
  const boxOf = (secret: string, former: readonly string[] = []) =>
    createSecretBox({ secret, former, databaseUrl: db.url });
  const sealed = secretsOf(boxOf(SECRET), siteId).seal('of the entry');
  const known = (password: string) => ({ fields: { status: 'publish', password }, blocks: [] });
  const link = { siteId, kind: 'page', seenAt: 1 } as const;
  await db.write(async (tx) => {
    await tx.insert(remoteLinks).values([
      { ...link, localId: 'pag_1', remoteId: 1, known: known(sealed) },
      { ...link, localId: 'pag_2', remoteId: 2, known: known('') },
    ]);
    await tx.insert(remotePast).values({ siteId, localId: 'pag_1', seq: 1, known: known(sealed) });
  });
  const next = boxOf(`${SECRET}!`, [SECRET]);
  expect(await createWordPressSiteRepository(db, next, now).sealAll()).toEqual([]);
  const stored = [
    ...(await db.read.select({ known: remoteLinks.known }).from(remoteLinks).orderBy(remoteLinks.localId)),
    ...(await db.read.select({ known: remotePast.known }).from(remotePast)),
  ].map((row) => (row.known as ReturnType<typeof known>).fields);
  expect(stored).toMatchObject([{ status: 'publish' }, { password: '' }, { status: 'publish' }]);
  // Without the former key.
  const { open } = secretsOf(boxOf(`${SECRET}!`), siteId);
  expect([open(stored[0]!.password), open(stored[2]!.password)]).toEqual(['of the entry', 'of the entry']);
});

it('makes one site active at a time, and none before it was taken over as a whole', async ({ db }) => {
  const store = storeOf(db);
  const one = await store.create(site('one.example'));
  const two = await store.create(site('two.example'));
  await store.setPulled(two.id, now());
  await expect(store.activate(one.id)).rejects.toThrow('one.example has not been fetched yet');
  await expect(store.activate('wps_none')).rejects.toThrow(NotFoundError);
  await store.setPulled(one.id, now());
  await store.activate(one.id);
  await store.activate(two.id);
  expect(await activeOf(store)).toEqual(['two.example']);
  await expect(store.delete(two.id)).rejects.toThrow(ConflictError);
  await store.activate(EMBEDDED_SITE);
  await store.activate(EMBEDDED_SITE);
  expect(await activeOf(store)).toEqual([]);
});

it('changes the standard site at any time, and keeps a site in use', async ({ db }) => {
  const store = storeOf(db);
  const [one, two] = [await store.create(site('one.example')), await store.create(site('two.example'))];
  for (const { id } of [one, two]) await store.setPulled(id, now());
  const times = { createdAt: 1, updatedAt: 1 };
  const turn = { id: 'trn_1', sessionId: 'ses_1', userMessageId: 'msg_1', leaseOwner: 'x', startedAt: 1 };
  await db.write(async (tx) => {
    const session = { id: 'ses_1', title: 'Spring menu', ownerId: 'usr_1', siteId: one.id, ...times };
    await tx.insert(sessions).values(session);
    await tx.insert(turns).values({ ...turn, status: 'running', leaseExpiresAt: now() + 1 });
  });
  const set = (status: 'running' | 'waiting_approval', leaseExpiresAt: number) =>
    db.write((tx) => tx.update(turns).set({ status, leaseExpiresAt }).run());
  await store.activate(two.id);
  await store.activate(EMBEDDED_SITE);
  await expect(store.delete(one.id)).rejects.toThrow('“Spring menu”');
  await set('waiting_approval', 1);
  await expect(store.delete(one.id)).rejects.toThrow(ConflictError);
  await store.delete(two.id);
  await set('running', now());
  await store.delete(one.id);
  expect(await store.list()).toEqual([]);
});

it('forgets a site with its copy, and nothing of any other', async ({ db }) => {
  const store = storeOf(db);
  const { id } = await store.create(site('one.example'));
  for (const siteId of [EMBEDDED_SITE, id]) {
    const content = new EmbeddedSite(createContentRepository(db, siteId));
    const { entry } = await content.create({ type: 'page', title: 'About' }, { actor: 'user' });
    await content.publish(entry.id, { actor: 'user' });
    await content.patch(entry.id, [{ op: 'set', field: 'slug', value: 'us' }], { actor: 'user' });
    await content.publish(entry.id, { actor: 'user' });
    await content.updateSettings({ siteName: siteId }, { actor: 'user' });
  }
  await store.delete(id);
  for (const table of [entries, revisions, siteDocuments]) {
    const rows = await db.read.select({ siteId: table.siteId }).from(table);
    expect(new Set(rows.map(({ siteId }) => siteId))).toEqual(new Set([EMBEDDED_SITE]));
  }
  expect(await store.list()).toEqual([]);
});
