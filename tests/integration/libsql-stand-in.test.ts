import { createClient } from '@libsql/client';
import { describe, expect, it } from 'vitest';
import { type LibsqlServer, type LibsqlServerOptions, startLibsqlServer } from '#tests/support/libsql-server';

/* The stand-in of a database server, where the tests of the product do not show how it behaves. */

async function startWithTable(options?: LibsqlServerOptions): Promise<LibsqlServer> {
  const server = await startLibsqlServer(options);
  await clientOf(server).execute('create table lines (line text)');
  return server;
}

const clientOf = ({ url }: { readonly url: string }) => createClient({ url });

async function linesOf(server: LibsqlServer): Promise<unknown[]> {
  const { rows } = await clientOf(server).execute('select line from lines order by rowid');
  return rows.map(({ line }) => line);
}

/** One request of the protocol, without a client. */
async function sendPipeline(server: LibsqlServer, baton: string | null, sql: string): Promise<Response> {
  const body = JSON.stringify({ baton, requests: [{ type: 'execute', stmt: { sql } }] });
  return fetch(`${server.url}/v2/pipeline`, { method: 'POST', body });
}

describe('the stand-in of a database server', () => {
  it('lets writers wait in the order in which they came', async () => {
    await using server = await startWithTable();
    const first = await clientOf(server).transaction('write');
    await first.execute("insert into lines values ('first')");
    const second = clientOf(server).batch(["insert into lines values ('second')"], 'write');
    await expect.poll(() => server.waitingWriters).toBe(1);
    const third = clientOf(server).execute("insert into lines values ('third')");
    await expect.poll(() => server.waitingWriters).toBe(2);
    expect(await linesOf(server)).toEqual([]);
    await first.commit();
    await Promise.all([second, third]);
    expect(await linesOf(server)).toEqual(['first', 'second', 'third']);
  });

  it('refuses writers during a checkpoint, and nobody else', async () => {
    await using server = await startWithTable();
    const end = await server.beginCheckpoint();
    await expect(clientOf(server).execute("insert into lines values ('one')")).rejects.toMatchObject({
      code: 'SQLITE_BUSY',
    });
    expect(await linesOf(server)).toEqual([]);
    end();
    await clientOf(server).execute("insert into lines values ('one')");
    expect(await linesOf(server)).toEqual(['one']);
  });

  it('leaves a transaction alone that nobody waits for, and then says once that it was rolled back', async () => {
    await using server = await startWithTable({ transactionMs: 0 });
    const transaction = await clientOf(server).transaction('write');
    await transaction.execute("insert into lines values ('one')");
    await transaction.execute("insert into lines values ('two')");
    await clientOf(server).execute("insert into lines values ('other')");
    const late = transaction.execute("insert into lines values ('three')");
    await expect(late).rejects.toMatchObject({ code: 'TRANSACTION_TIMEOUT' });
    // As on the server: the stream lives on without a transaction.
    await transaction.execute("insert into lines values ('four')");
    expect(await linesOf(server)).toEqual(['other', 'four']);
  });

  it('answers no request with more than it may', async () => {
    await using server = await startWithTable({ responseBytes: 1000 });
    await clientOf(server).execute({ sql: 'insert into lines values (?)', args: ['x'.repeat(600)] });
    expect(await linesOf(server)).toHaveLength(1);
    await clientOf(server).execute({ sql: 'insert into lines values (?)', args: ['x'.repeat(600)] });
    await expect(linesOf(server)).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
  });

  it('compresses responses, and ends streams as the server does', async () => {
    await using server = await startWithTable();
    const opened = await sendPipeline(server, null, 'select 1');
    expect(opened.headers.get('content-encoding')).toBe('gzip');
    const { baton } = (await opened.json()) as { baton: string };
    server.expireStreams();
    const expired = await sendPipeline(server, baton, 'select 1');
    expect([expired.status, await expired.json()]).toEqual([
      400,
      { message: 'The stream has expired due to inactivity', code: 'STREAM_EXPIRED' },
    ]);
    server.forgetStreams();
    const unknown = await sendPipeline(server, baton, 'select 1');
    expect([unknown.status, await unknown.text()]).toEqual([400, 'Received an invalid baton']);
  });

  it('carries a request out that was lost on its way', async () => {
    await using server = await startWithTable();
    const late = server.loseUntilLater(/insert/);
    const lost = clientOf(server).execute("insert into lines values ('late')");
    await expect(lost).rejects.toThrow('fetch failed');
    await clientOf(server).execute("insert into lines values ('sooner')");
    await late.carryOut();
    expect(await linesOf(server)).toEqual(['sooner', 'late']);
  });

  it('reads at a replica what it had, unless a transaction could write', async () => {
    await using server = await startWithTable();
    const replica = await server.startReplica();
    const client = clientOf(replica);
    await client.execute("insert into lines values ('one')");
    const count = 'select count(*) as n from lines';
    const atReplica = async () => [
      (await client.execute(count)).rows[0]?.['n'],
      (await client.batch([count], 'write'))[0]?.rows[0]?.['n'],
    ];
    expect(await atReplica()).toEqual([0, 0]);
    const transaction = await client.transaction('write');
    expect((await transaction.execute(count)).rows[0]?.['n']).toBe(1);
    await transaction.rollback();
    replica.catchUp();
    expect(await atReplica()).toEqual([1, 1]);
  });
});
