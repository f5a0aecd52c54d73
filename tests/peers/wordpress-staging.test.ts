import { createServer, request as ask } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWordPressClient, testConnection } from '#server/wordpress/client/create-wordpress-client';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';

const PROXY = 'staging:not for everybody';
const COMPANION = "WPMU_PLUGIN_DIR . '/throughline-companion.php'";

/** A web server in front of WordPress that asks for a password, and hands the header on as nginx does. */
async function startStaging(wordpress: WordPressServer) {
  const wanted = `Basic ${Buffer.from(PROXY).toString('base64')}`;
  const server = createServer((incoming, response) => {
    if (incoming.headers.authorization !== wanted) {
      response
        .writeHead(401, { 'www-authenticate': 'Basic realm="staging"' })
        .end('<h1>401 Authorization Required</h1>');
      return;
    }
    const target = new URL(incoming.url ?? '/', wordpress.url);
    const outgoing = ask(target, { method: incoming.method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

describe.skipIf(!hasWordPress)('a WordPress with additional HTTP authentication', () => {
  let wordpress: WordPressServer;
  let staging: Awaited<ReturnType<typeof startStaging>>;
  beforeAll(async () => {
    wordpress = await startWordPress({ asClient: true });
    staging = await startStaging(wordpress);
  });
  afterAll(async () => {
    staging?.close();
    await wordpress?.[Symbol.asyncDispose]();
  });

  it('is connected with both passwords, and read and written', async () => {
    const { username, password } = wordpress;
    const connection = { url: staging.url, username, password, fetch };
    expect(await testConnection(connection)).toMatchObject({
      ok: false,
      message: expect.stringContaining('The web server itself asks for a name and a password') as string,
    });
    expect(await testConnection({ ...connection, proxy: PROXY })).toMatchObject({ ok: true });
    const client = createWordPressClient({ ...connection, proxy: PROXY });
    const made = await client.entries.create('page', { title: 'Staged' });
    expect((await client.entries.get('page', made.remoteId)).title).toBe('Staged');
    expect(await client.isThere(`${staging.url}/about/`)).toBe(true);
  });

  it('is connected where the users endpoint is switched off, by users/me', async () => {
    const off = `<?php add_filter('rest_endpoints', function ($endpoints) {
      unset($endpoints['/wp/v2/users'], $endpoints['/wp/v2/users/(?P<id>[\\\\d]+)']);
      return $endpoints;
    });`;
    const code = Buffer.from(off).toString('base64');
    await wordpress.php(`file_put_contents(WPMU_PLUGIN_DIR . '/no-users.php', base64_decode('${code}'));`);
    const { url, username, password } = wordpress;
    expect((await fetch(`${url}/wp-json/wp/v2/users`)).status).toBe(404);
    expect((await fetch(`${url}/wp-json/wp/v2/users/1`)).status).toBe(404);
    expect(await testConnection({ url, username, password, fetch })).toMatchObject({ ok: true });
  });

  it('says that it needs the companion plugin, or another application password', async () => {
    const { username, password } = wordpress;
    const connection = { url: staging.url, username, password, proxy: PROXY, fetch };
    const refused = { ok: false, message: expect.stringMatching(/companion plugin \(version 1\.2/) as string };
    expect(await testConnection({ ...connection, password: 'wrong' })).toMatchObject(refused);
    await wordpress.php(`rename(${COMPANION}, ${COMPANION} . '.off');`);
    const test = await testConnection(connection);
    expect(test).toMatchObject(refused);
    expect(JSON.stringify(test)).not.toContain('not for everybody');
  });
});
