import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createOutgoingFetch, nextAddress } from '#server/platform/outgoing/outgoing-fetch';
import { configuredNetwork } from '#server/platform/outgoing/network';
import { createDownload } from '#server/platform/outgoing/download';

/** In these tests the internet is 127.0.0.2; 127.0.0.1 is this machine. */
const INTERNET = '127.0.0.2';
const INSIDE = '127.0.0.1';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;
const servers: ReturnType<typeof createServer>[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(host: string, handle: Handle, port = 0) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handle(request, response);
  });
  servers.push(server);
  server.listen(port, host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, requests };
}

/** Answers each question for a name with the next of these addresses, and then with the last. */
function network(...answers: string[][]) {
  const asked: string[] = [];
  return {
    asked,
    resolve: (name: string) => {
      asked.push(name);
      return Promise.resolve((answers.length > 1 ? answers.shift() : answers[0]) ?? []);
    },
    isAllowed: (address: string) => address === INTERNET,
  };
}

const picture: Handle = (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('picture');
const redirected =
  (location: string, status = 302): Handle =>
  (_, response) =>
    response.writeHead(status, { location }).end();
const limits = { maxBytes: 100_000, mediaType: 'image/', timeoutMs: 10_000 };

describe('an address that anybody gave', () => {
  it('is fetched where it is on the internet', async () => {
    const { port, requests } = await serve(INTERNET, picture);
    const { data, filename } = await createDownload(network([INTERNET]))(
      `http://site.test:${port}/a/my%20cat.png?x=1`,
      limits,
    );
    expect([Buffer.from(data).toString(), filename]).toEqual(['picture', 'my cat.png']);
    expect(requests[0]?.headers).toMatchObject({ host: `site.test:${port}`, accept: 'image/*' });
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://127.0.0.1.:80/',
  ])('is refused before anything is sent: %s', async (address) => {
    await expect(createDownload()(address, limits)).rejects.toThrow(/not one of a web server/);
  });

  it.each([
    'ftp://site.test/a',
    'file:///etc/passwd',
    'data:image/png;base64,AA',
    'http://me:word@site.test/',
    'http:',
  ])('is refused in a form that is none of the web: %s', async (address) => {
    const { asked, ...rest } = network([INTERNET]);
    await expect(createDownload({ ...rest })(address, limits)).rejects.toThrow(/address must|not an address/i);
    expect(asked).toEqual([]);
  });

  it('is refused where one of the addresses of its name lies inside', async () => {
    const { port, requests } = await serve(INTERNET, picture);
    await expect(createDownload(network([INTERNET, INSIDE]))(`http://site.test:${port}/`, limits)).rejects.toThrow(
      /not one of a web server/,
    );
    expect(requests).toEqual([]);
  });

  it('is resolved once: a later answer changes nothing (DNS rebinding)', async () => {
    const { port } = await serve(INTERNET, picture);
    const inside = await serve(INSIDE, picture, port);
    const net = network([INTERNET], [INSIDE]);
    const { data } = await createDownload(net)(`http://site.test:${port}/`, limits);
    expect([Buffer.from(data).toString(), net.asked]).toEqual(['picture', ['site.test']]);
    expect(inside.requests).toEqual([]);
    await expect(createDownload(net)(`http://site.test:${port}/`, limits)).rejects.toThrow(/not one of a web/);
    expect(inside.requests).toEqual([]);
  });

  it('is checked again at each redirect', async () => {
    const inside = await serve(INSIDE, picture);
    const { port } = await serve(INTERNET, (request, response) =>
      request.url === '/1'
        ? redirected('/2')(request, response)
        : redirected(`http://127.0.0.1:${inside.port}/`)(request, response),
    );
    await expect(createDownload(network([INTERNET]))(`http://site.test:${port}/1`, limits)).rejects.toThrow(
      /127\.0\.0\.1:\d+ is not one of/,
    );
    await expect(createDownload(network([INTERNET], [INSIDE]))(`http://site.test:${port}/1`, limits)).rejects.toThrow(
      /not one of a web/,
    );
    expect(inside.requests).toEqual([]);
  });

  it.each([
    ['to a file', 'file:///etc/passwd', /must begin with/],
    ['with a password', 'http://me:word@site.test/', /must not contain a user name or password/],
    ['to nowhere', 'http://[', /nowhere/],
  ])('is not followed %s', async (_, location, message) => {
    const { port } = await serve(INTERNET, redirected(location));
    await expect(createDownload(network([INTERNET]))(`http://site.test:${port}/`, limits)).rejects.toThrow(message);
  });

  it('is followed five times', async () => {
    const { port, requests } = await serve(INTERNET, redirected('/again'));
    await expect(createDownload(network([INTERNET]))(`http://site.test:${port}/`, limits)).rejects.toThrow(/too often/);
    expect(requests).toHaveLength(6);
  });

  it.each<[string, Handle]>([
    [
      'says how large it is',
      (_, response) =>
        response.writeHead(200, { 'content-type': 'image/png', 'content-length': 200_000 }).end(Buffer.alloc(200_000)),
    ],
    [
      'says nothing of its size',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'image/png' });
        for (let index = 0; index < 20; index += 1) response.write(Buffer.alloc(10_000));
        response.end();
      },
    ],
    [
      'unfolds to more',
      (_, response) =>
        response
          .writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(50_000_000))),
    ],
  ])('is broken off where an answer is too large that %s', async (_, handle) => {
    const { port } = await serve(INTERNET, handle);
    await expect(createDownload(network([INTERNET]))(`http://site.test:${port}/`, limits)).rejects.toThrow(
      /above 100,000 bytes/,
    );
  });

  it.each<[string, Handle, RegExp]>([
    ['an error', (_, response) => response.writeHead(404).end(), /error \(404\)/],
    ['another type', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x'), /such a file/],
    ['no type', (_, response) => response.writeHead(200).end('x'), /such a file/],
    ['a broken connection', (_, response) => response.destroy(), /cannot be reached/],
  ])('may answer with %s', async (_, handle, message) => {
    const { port } = await serve(INTERNET, handle);
    await expect(createDownload(network([INTERNET]))(`http://site.test:${port}/`, limits)).rejects.toThrow(message);
  });

  it.each<[string, Handle]>([
    ['never answers', () => undefined],
    ['never ends', (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).write('x')],
  ])('is given up in time where it %s', async (_, handle) => {
    const { port } = await serve(INTERNET, handle);
    await expect(
      createDownload(network([INTERNET]))(`http://site.test:${port}/`, { ...limits, timeoutMs: 50 }),
    ).rejects.toThrow(/not answer in time/);
  });
});

describe('an address that an administrator configured', () => {
  const fetchConfigured = createOutgoingFetch({ allowed: 'configured', redirects: 1 });

  it('may be inside, and takes its secret along within its origin only', async () => {
    const elsewhere = await serve(INSIDE, picture);
    const { port, requests } = await serve(INSIDE, (request, response) =>
      (request.url === '/away'
        ? redirected(`http://127.0.0.1:${elsewhere.port}/`, 307)
        : request.url === '/near'
          ? redirected('/there', 307)
          : picture)(request, response),
    );
    const init = { method: 'POST', headers: { authorization: 'Bearer key' }, body: 'question' };
    expect((await fetchConfigured(`http://127.0.0.1:${port}/near`, init)).status).toBe(200);
    expect(requests.map(({ url, method, headers }) => [method, url, headers.authorization])).toEqual([
      ['POST', '/near', 'Bearer key'],
      ['POST', '/there', 'Bearer key'],
    ]);
    await expect(fetchConfigured(`http://127.0.0.1:${port}/away`, init)).rejects.toThrow(/is not followed/);
    expect(elsewhere.requests).toEqual([]);
  });

  it('is not asked by GET what was sent by POST', async () => {
    const { port, requests } = await serve(INSIDE, redirected('/there'));
    const asked = fetchConfigured(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' });
    await expect(asked).rejects.toThrow(/must not be repeated as GET/);
    expect(requests).toHaveLength(1);
  });

  it('accepts a Request object', async () => {
    const { port, requests } = await serve(INSIDE, (request, response) => request.pipe(response));
    const request = new Request(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x', headers: { 'x-a': 'b' } });
    expect(await (await fetchConfigured(request, { signal: AbortSignal.timeout(9_000) })).text()).toBe('x');
    expect(requests[0]?.headers['x-a']).toBe('b');
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'https://[::ffff:169.254.169.254]/',
    'http://[fe80::1]:11434/v1',
    'http://[fd00:ec2::254]/',
    'http://2852039166/',
  ])('is never link-local, where clouds keep credentials: %s', async (address) => {
    const signal = AbortSignal.timeout(2_000);
    await expect(fetchConfigured(address, { signal })).rejects.toThrow(/link-local/);
  });

  it('is resolved once, and refused if any address is link-local, also after a redirect', async () => {
    const { port, requests } = await serve(INSIDE, redirected('/2', 307));
    const { resolve, asked } = network([INSIDE], [INSIDE, '169.254.169.254']);
    const fetchByName = createOutgoingFetch({
      allowed: 'configured',
      redirects: 1,
      network: { ...configuredNetwork, resolve },
    });
    // The answer to the first request closes its connection: the name is looked up again for the second.
    servers
      .at(-1)!
      .prependListener('request', (_, response: ServerResponse) => response.setHeader('connection', 'close'));
    await expect(fetchByName(`http://models.test:${port}/1`)).rejects.toThrow(/models\.test:\d+ is not .* link-local/);
    expect(requests.map(({ url }) => url)).toEqual(['/1']);
    expect(asked).toEqual(['models.test', 'models.test']);
  });

  it('that cannot be found is a failure of the network, which is worth another try', async () => {
    const asked = fetchConfigured('http://no-such-host.invalid/');
    await expect(asked).rejects.toThrow('fetch failed');
    await expect(asked).rejects.toMatchObject({ cause: { syscall: 'getaddrinfo' } });
  });
});

const next = (from: string, to: string | null, allowed: 'configured' | 'public' = 'public', method = 'GET') =>
  nextAddress({ url: new URL(from), method, allowed }, 302, to).href;

it('a redirect is relative to its own address', () => {
  expect(next('https://a.test/x/y', '../z')).toBe('https://a.test/z');
  expect(next('http://a.test/', 'https://b.test/')).toBe('https://b.test/');
  expect(next('https://a.test/', '/b', 'configured')).toBe('https://a.test/b');
});

it.each<[string, string | null, RegExp]>([
  ['to what is not encrypted', 'http://a.test/', /not encrypted/],
  ['with a password', 'https://me:word@a.test/', /must not contain a user name or password/],
  ['to no web address', 'ftp://a.test/', /must begin with/],
  ['to nowhere', null, /nowhere/],
])('it is not followed %s', (_, to, message) => expect(() => next('https://a.test/', to)).toThrow(message));

it('with a configured address it stays in its origin, for any spelling', () => {
  for (const to of ['https://b.test/', '//b.test/', 'https://a.test:444/', 'https://a.test.b.test/', '\\\\b.test/'])
    expect(() => next('https://a.test/', to, 'configured')).toThrow(/is not followed/);
});
