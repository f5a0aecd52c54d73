import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { BackupDownloads } from '#server/platform/database/backup-downloads';
import { openDatabase } from '#server/platform/database/database';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';

let folder: string;
let url: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'throughline-download-'));
  copyFileSync(inject('migratedDatabase'), join(folder, 'site.db'));
  url = `file:${join(folder, 'site.db')}`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.parse('2026-11-30T12:00Z');

const copies = () => readdirSync(folder).filter((name) => name.startsWith('.backup-download-'));

it('reads a copy of a database in use, and leaves no file behind', async () => {
  await using database = await openDatabase({ url });
  const sessions = createSessionRepository(database);
  await sessions.create({ ownerId: 'own_local', title: 'Before' });
  // A server that was killed has left these: the first one long ago.
  for (const [name, time] of [
    ['old', 0],
    ['new', NOW],
  ] as const) {
    mkdirSync(join(folder, `.backup-download-${name}`));
    writeFileSync(join(folder, `.backup-download-${name}`, 'unfinished.db'), '');
    utimesSync(join(folder, `.backup-download-${name}`, 'unfinished.db'), time / 1_000, time / 1_000);
  }
  writeFileSync(join(folder, 'site.db.key'), 'secret');
  let now = NOW;
  const [downloads, ofAnotherProcess] = [1, 2].map(() => new BackupDownloads(url, { now: () => now })) as [
    BackupDownloads,
    BackupDownloads,
  ];
  await downloads.start();
  expect(copies()).toEqual(['.backup-download-new']);

  const making = downloads.prepare(AbortSignal.timeout(60_000));
  await expect(downloads.prepare(AbortSignal.timeout(60_000))).rejects.toThrow(ConflictError);
  const { id, bytes } = await making;
  expect(copies()).toEqual([`.backup-download-${id}`, '.backup-download-new'].toSorted());
  expect(readdirSync(join(folder, `.backup-download-${id}`))).toEqual(['copy.db']);
  now += 600_000;
  await expect(downloads.find(id)).rejects.toThrow(NotFoundError);
  now -= 1;
  await sessions.create({ ownerId: 'own_local', title: 'After' });

  const copy = Buffer.from(await new Response(await ofAnotherProcess.read(id)).arrayBuffer());
  expect(copy.length).toBe(bytes);
  await expect.poll(copies).toEqual(['.backup-download-new']);
  await expect(downloads.find(id)).rejects.toThrow(NotFoundError);
  writeFileSync(join(folder, 'restored.db'), copy);
  await using restored = await openDatabase({ url: `file:${join(folder, 'restored.db')}` });
  const { items } = await createSessionRepository(restored).list({ ownerId: 'own_local' });
  expect(items.map(({ title }) => title)).toEqual(['Before']);
});

it('stops with its request, and is refused for a database on a server', async () => {
  await using _ = await openDatabase({ url });
  const stop = AbortSignal.abort(new Error('Gone.'));
  await expect(new BackupDownloads(url, { now: () => 0 }).prepare(stop)).rejects.toThrow();
  expect(copies()).toEqual([]);
  const onServer = new BackupDownloads('http://localhost:8080', { now: () => 0 });
  await expect(onServer.prepare(stop)).rejects.toMatchObject({ text: { code: 'backup-on-server' } });
  expect(existsSync(folder)).toBe(true);
});
