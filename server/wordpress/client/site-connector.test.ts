import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ForbiddenError, InvalidInputError, NotFoundError, SiteUnavailableError } from '#server/core/errors';
import { testConnection } from '#server/wordpress/client/create-wordpress-client';
import { createSiteConnector } from '#server/wordpress/client/site-connector';
import { allOf, collect } from '#server/wordpress/client/collections';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';
import { type LoopbackServer, startLoopback } from '#tests/support/loopback-server';

const servers: LoopbackServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const fault = (status: number, code: string, message = '', params?: object) =>
  json(status, { code, message, data: { status, params } });
const html =
  (status: number): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Just a moment...</h1>');

/** A site whose REST index answers normally, and all else by the handler. */
async function serve(handle: RequestListener, index: RequestListener = json(200, { namespaces: ['wp/v2'] })) {
  const requests: string[] = [];
  const server = await startLoopback((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    (/wp-json\/\?|rest_route=(?:%2F|\/)&/.test(request.url ?? '') ? index : handle)(request, response);
  });
  servers.push(server);
  const { url } = server;
  const connection = { url, username: 'ann', password: 'abcd efgh', timeoutMs: 10_000 };
  const site = (options: object = {}) =>
    createSiteConnector({
      ...connection,
      fetch: createOutgoingFetch({ allowed: 'configured', redirects: 3 }),
      ...options,
    });
  const ask = (method: 'GET' | 'POST' = 'GET', options = {}) =>
    site(options).ask('/wp/v2/pages/7', { method, schema: z.object({ id: z.number() }), what: 'page', id: 7 });
  return { requests, url, site, ask };
}

describe('responses of WordPress and of servers in front of it', () => {
  it.each<[string, RequestListener, new (...args: never[]) => Error, RegExp]>([
    ['a wrong password', fault(401, 'incorrect_password'), SiteUnavailableError, /application password/],
    ['no right to edit', fault(403, 'rest_cannot_edit', 'You cannot.'), ForbiddenError, /You cannot\. Give the user/],
    [
      'no such entry',
      fault(404, 'rest_post_invalid_id', 'Invalid post ID.'),
      NotFoundError,
      /no page "7".*Invalid post/,
    ],
    [
      'nothing that is said to be gone',
      fault(404, 'rest_disabled', 'Off'),
      SiteUnavailableError,
      /not show this.*Off\./,
    ],
    ['no trash', fault(501, 'rest_trash_not_supported', 'No'), InvalidInputError, /has no trash for this/],
    [
      'a list that the user may not have',
      json(400, {
        code: 'rest_invalid_param',
        message: 'Invalid parameter(s): status',
        data: { status: 400, params: { status: 'No.' }, details: { status: { code: 'rest_forbidden_status' } } },
      }),
      ForbiddenError,
      /user: No\. Give the user/,
    ],
    ['no such route', fault(404, 'rest_no_route', 'No route'), SiteUnavailableError, /no REST API for this/],
    [
      'a bad value',
      fault(400, 'rest_invalid_param', 'Invalid', { status: 'No <b>x</b> &amp; y' }),
      InvalidInputError,
      /it: No x & y\.$/,
    ],
    [
      'what it was sent, told on',
      fault(400, 'debug', 'Got Basic YW5uOmFiY2QgZWZnaA== of abcdefgh', { x: 'ann:abcd efgh' }),
      InvalidInputError,
      /it: ann:\[hidden\]\.$/,
    ],
    ['a bad file', fault(500, 'rest_upload_sideload_error', 'Not this type'), InvalidInputError, /Not this type\./],
    ['a page of a security plugin', html(200), SiteUnavailableError, /web page instead of data/],
    ['a firewall', html(403), SiteUnavailableError, /allow \/wp-json\//],
    ['a sign-in of the web server', html(401), SiteUnavailableError, /web server itself asks/],
    ['another shape', json(200, { id: 'seven' }), SiteUnavailableError, /sends unexpected data/],
    [
      'a redirect elsewhere',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.2/' }).end(),
      SiteUnavailableError,
      /redirects to http:\/\/127\.0\.0\.2, which is not followed/,
    ],
  ])('%s', async (_, handle, type, message) => {
    const { ask, requests } = await serve(handle);
    const error = await ask('POST').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(message);
    expect(JSON.stringify([String(error), error])).not.toMatch(/abcd|YW5uOmF/);
    expect(requests).toHaveLength(2);
  });

  it('trouble: reads are tried again, writes are not', async () => {
    let asked = 0;
    const { ask } = await serve((request, response) =>
      (request.method === 'GET' && ++asked === 3 ? json(200, { id: 7 }) : html(503))(request, response),
    );
    expect((await ask()).value).toEqual({ id: 7 });
    // Maintenance mode of WordPress, which lasts for longer than anybody waits.
    const busy = await serve((_, response) =>
      response.writeHead(503, { 'retry-after': '600' }).end('Briefly unavailable'),
    );
    await expect(busy.ask()).rejects.toThrow(/down or in maintenance/);
    // The index, and one request.
    expect(busy.requests).toHaveLength(2);
    const { ask: write, requests } = await serve(html(503));
    await expect(write('POST')).rejects.toThrow(/down or in maintenance/);
    expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
  });

  it('its data after a warning of PHP', async () => {
    const warning = '<br />\n<b>Warning</b>: Undefined array key {x} in <b>/a/[b].php</b> on line 3<br />\n';
    const { ask } = await serve((_, response) => response.end(`${warning}{"id":7}`));
    expect((await ask('POST')).value).toEqual({ id: 7 });
  });

  const answer = '{"name":"Stub \\"}","namespaces":["wp/v2"]}';
  it.each([
    ...readFileSync('tests/fixtures/wordpress/after-the-json.txt', 'utf8').split('-----\n'),
    `${answer}\n<script>window.x = {"a": [1]};</script>`,
    `<b>Notice</b>: Undefined offset [0] {} in x.php\n${answer}<!-- Page cached {1} -->`,
    `\ufeff\n${answer}\u0000\n`,
    `${answer}${answer}`,
  ])('its data before what cache plugins and PHP add: %j', async (body) => {
    const { ask } = await serve((_, response) => response.end(body.replaceAll('{"name"', '{"id":7,"name"')));
    expect((await ask('GET')).value).toMatchObject({ id: 7 });
  });

  it.each([
    '<!doctype html><script>var a = {"name":"Stub","namespaces":[]};</script>',
    '<html><body>[]</body></html>',
    'Offset [0] in line {"a"}',
  ])('no data: %j', async (body) => {
    const { ask } = await serve((_, response) => response.end(body));
    await expect(ask('GET')).rejects.toThrow(/web page instead of data/);
  });

  it('nothing at all', async () => {
    const { ask, url } = await serve((_, response) => response.destroy());
    await expect(ask('POST')).rejects.toThrow(/cannot be reached.*It may have been written all the same/);
    await servers.pop()?.close();
    await expect(ask()).rejects.toThrow(new RegExp(`^${new URL(url).host} cannot be reached \\(ECONNREFUSED\\)`));
  });

  it.each<[string, RequestListener, RegExp]>([
    ['a proxy that has waited for long enough', html(504), /cannot be used \(504\)/],
    ['a plugin that breaks', fault(500, 'internal_server_error', 'Critical.'), /fails \(500\): Critical\./],
    ['a page', html(200), /web page instead of data/],
  ])('%s in place of the answer to a write', async (_, handle, message) => {
    const { ask } = await serve(handle);
    const error = (await ask('POST').catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/It may have been written all the same: check before you repeat it\.$/);
    await expect(ask('GET')).rejects.toThrow(/^(?!.*is not known)/);
  });

  it('an address that is mistyped', async () => {
    const { ask } = await serve(json(200, {}));
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    await expect(ask('GET', { fetch })).rejects.toThrow(/cannot be reached \(ENOTFOUND\).*Check the address\.$/);
  });

  it('too late', async () => {
    const { ask } = await serve((_, response) => response.writeHead(200).write('{'));
    await expect(ask('GET', { timeoutMs: 300 })).rejects.toThrow(/has not answered within 0.3 seconds/);
  });

  it('too much', async () => {
    const { site, url } = await serve((_, response) => response.end(Buffer.alloc(200_000)));
    await expect(site().visit(`${url}/x.png`, 100_000)).rejects.toMatchObject({ code: 'too_large' });
    await expect(site().visit('http://127.0.0.2/x.png', 100_000)).rejects.toThrow(/not an address of/);
  });

  it('a file that is not there', async () => {
    const { site, url } = await serve(html(404));
    await expect(site().visit(`${url}/x.png`, 100_000)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('nothing of WordPress', async () => {
    const { ask } = await serve(html(404), html(404));
    await expect(ask()).rejects.toThrow(/no WordPress REST API at this address/);
    const hidden = await serve(html(404), fault(403, 'rest_disabled', 'REST is off.'));
    await expect(hidden.ask()).rejects.toThrow(/REST is off/);
  });

  it('its data at another address, which the start page names; never on another site', async () => {
    const away: RequestListener = (request, response) => {
      if (request.url === '/') response.setHeader('link', '</api/>; rel="https://api.w.org/"');
      const known = request.url?.startsWith('/api/');
      (known ? json(200, { id: 7, namespaces: ['wp/v2'] }) : html(404))(request, response);
    };
    expect((await (await serve(away, html(404))).ask()).value).toEqual({ id: 7 });
    const elsewhere: RequestListener = (_, response) =>
      response.writeHead(404, { link: '<http://127.0.0.2/wp-json/>; rel="https://api.w.org/"' }).end();
    await expect((await serve(elsewhere, html(404))).ask()).rejects.toThrow(/no WordPress REST API/);
  });
});

it('a long list is read in smaller pieces where a host has no memory for so many', async () => {
  const memory = 12;
  const { site, requests } = await serve((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://a.test');
    const [size = 0, offset = 0] = ['per_page', 'offset'].map((name) => Number(searchParams.get(name)));
    if (size > memory) return fault(500, 'internal_server_error', 'Critical.')(request, response);
    const ids = Array.from({ length: 50 }, (_, index) => ({ id: index + 1 })).slice(offset, offset + size);
    response.setHeader('x-wp-total', '50');
    json(200, ids)(request, response);
  });
  const list = { query: {}, item: z.object({ id: z.number() }), what: 'posts' };
  const found = await collect(allOf(site(), '/wp/v2/posts', list));
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  // Once it is known what the host can do, it is asked for no more.
  expect(requests.filter((request) => request.includes('per_page=100'))).toHaveLength(3);
  const broken = await serve(fault(500, 'internal_server_error', 'Critical.'));
  await expect(collect(allOf(broken.site(), '/wp/v2/posts', list))).rejects.toThrow(/fails \(500\)/);
});

it('a long list is read to its end where a proxy takes away how long it is', async () => {
  const { site } = await serve((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://a.test');
    const offset = Number(searchParams.get('offset'));
    const ids = Array.from({ length: 200 }, (_, index) => ({ id: index + 1 }));
    json(200, ids.slice(offset, offset + 100))(request, response);
  });
  const list = { query: {}, item: z.object({ id: z.number() }), what: 'posts' };
  expect(await collect(allOf(site(), '/wp/v2/posts', list))).toHaveLength(200);
});

it.each([
  [['publish_posts'], ['Ann cannot publish pages: publishing one fails there.']],
  [[], ['Ann cannot publish: publishing fails there.']],
  [['publish_posts', 'publish_pages'], []],
])('a connection test names what its user cannot publish: %j', async (rights, remarks) => {
  const capabilities = Object.fromEntries(['edit_posts', ...rights].map((name) => [name, true]));
  const { url } = await serve((request, response) =>
    (request.url?.includes('users') ? json(200, { id: 1, name: 'Ann', capabilities }) : fault(404, 'rest_no_route'))(
      request,
      response,
    ),
  );
  const send = createOutgoingFetch({ allowed: 'configured', redirects: 3 });
  const tested = await testConnection({ url, username: 'ann', password: 'abcd efgh', fetch: send });
  const told = tested.ok ? tested.abilities.remarks : [tested.message];
  expect(told.filter((remark) => remark.includes('publish'))).toEqual(remarks);
});
