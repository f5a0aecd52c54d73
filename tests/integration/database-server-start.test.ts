import { once } from 'node:events';
import { globSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { createClient } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { describe, expect, inject, it } from 'vitest';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { openDatabase } from '#server/platform/database/database';
import { explainServerError } from '#server/platform/database/remote-connection';
import { startLibsqlServer } from '#tests/support/libsql-server';

describe('opening a database server', () => {
  it('brings an empty one to the newest schema once, however many do it at a time', async () => {
    await using server = await startLibsqlServer({ authToken: 'secret' });
    const options = { url: server.url, authToken: 'secret' };
    const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase(options)));
    const [first, second] = databases;
    const { id } = await createSessionRepository(first!).create({ ownerId: 'own_1' });
    expect(await createSessionRepository(second!).get(id)).toMatchObject({ id });
    const [applied] = await second!.read.all<{ n: number }>(sql`select count(*) as n from __drizzle_migrations`);
    expect(applied?.n).toBe(globSync('drizzle/*.sql').length);
    for (const database of databases) await database.close();
  });

  it('reports that the server does not accept the token', async () => {
    await using server = await startLibsqlServer({ authToken: 'secret' });
    const opening = openDatabase({ url: server.url, authToken: 'guessed' });
    await expect(opening).rejects.toThrow(
      /^The database server 127\.0\.0\.1:\d+ does not accept DATABASE_AUTH_TOKEN\.$/,
    );
    await expect(openDatabase({ url: server.url })).rejects.toThrow('DATABASE_AUTH_TOKEN');
  });

  it('names the addresses without TLS immediately if the server does not speak it', async () => {
    await using server = await startLibsqlServer();
    const { host } = new URL(server.url);
    for (const scheme of ['libsql', 'https']) {
      await expect(openDatabase({ url: `${scheme}://${host}` })).rejects.toThrow(
        `The database server ${host} does not speak TLS, which ${scheme}:// demands. If the network to it is private, set DATABASE_URL to http://${host} or libsql://${host}?tls=0.`,
      );
    }
    await using database = await openDatabase({ url: `libsql://${host}?tls=0` });
    expect(database.isNew).toBe(true);
  });

  it('does not take an alert of a server that speaks TLS for one that does not', async () => {
    // A record of TLS: alert, fatal, handshake_failure (RFC 8446, section 6).
    const alert = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);
    await using server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(alert));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const error = await fetch(url).catch((failure: unknown) => failure);
    expect(String(explainServerError(error, url))).not.toContain('does not speak TLS');
  });

  it('works for two instances at the same moment, one of them at a replica', async () => {
    await using server = await startLibsqlServer();
    const replica = await server.startReplica();
    const atPrimary = await openDatabase({ url: server.url });
    // The replica is still empty.
    const opening = openDatabase({ url: replica.url });
    const before = server.requests;
    await expect.poll(() => server.requests).toBeGreaterThan(before + 10);
    replica.catchUp();
    const atReplica = await opening;
    expect([atPrimary.isNew, atReplica.isNew]).toEqual([true, false]);
    const { id } = await createSessionRepository(atReplica).create({ ownerId: 'own_1' });
    expect(await createSessionRepository(atPrimary).get(id)).toMatchObject({ id });
    await atPrimary.close();
    await atReplica.close();
  });

  it('refuses a server that a restore has filled in part', async () => {
    await using server = await startLibsqlServer({ copyOf: inject('migratedDatabase') });
    const client = createClient({ url: server.url });
    await client.execute('drop table __drizzle_migrations');
    await expect(openDatabase({ url: server.url })).rejects.toThrow('has not finished');
    const { rows } = await client.execute("select 1 from sqlite_master where name = '__drizzle_migrations'");
    expect(rows).toEqual([]);
    client.close();
  });

  it('changes nothing where the schema is to be kept', async () => {
    await using server = await startLibsqlServer();
    const database = await openDatabase({ url: server.url, older: 'keep' });
    expect(await database.read.all(sql`select name from sqlite_master`)).toEqual([]);
    await database.close();
  });
});
