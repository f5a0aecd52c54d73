import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findProgram } from '#scripts/lib/tests/programs';
import { projectPath } from '#scripts/lib/project';
import { MAX_IMPORT_BYTES, MAX_PICTURE_BYTES } from '#server/core/limits';
import { signInsAnswer } from '#server/core/admin/people';
import { runInBackground } from '#tests/peers/support/running-program';
import { type AccountsServer, PASSWORD, startAccountsServer } from '#tests/support/accounts-server';
import { startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { freePort } from '#tests/support/free-port';
import { sendRequest } from '#tests/support/rest-client';

/* The files of `deploy` for nginx and Caddy, run by the real programs, with other names, ports and certificates. */

interface Place {
  /** Port for https, and that for http. */
  readonly port: number;
  readonly plainPort: number;
  /** Of our server. */
  readonly upstream: number;
  readonly folder: string;
  readonly certificate: string;
  readonly key: string;
}

const deployed = (name: string) => readFileSync(projectPath(`deploy/${name}`), 'utf8');

/** Everything that a deployed file leaves to its operator; if it loses one of these, its test fails. */
function filledIn(file: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce((text, [pattern, replacement]) => {
    expect(text).toMatch(pattern);
    return text.replaceAll(pattern, replacement);
  }, file);
}

const PROXIES = [
  {
    name: 'nginx',
    program: findProgram(['nginx']),
    configure: ({ port, plainPort, upstream, folder, certificate, key }: Place) => {
      const site = filledIn(deployed('nginx.conf'), [
        [/\/etc\/letsencrypt\/\S+\/fullchain\.pem/g, certificate],
        [/\/etc\/letsencrypt\/\S+\/privkey\.pem/g, key],
        [/listen 443 ssl/g, `listen 127.0.0.1:${port} ssl`],
        [/listen 80;/g, `listen 127.0.0.1:${plainPort};`],
        [/127\.0\.0\.1:3000/g, `127.0.0.1:${upstream}`],
        [/kiln\.example/g, 'kiln.localhost'],
      ]);
      // What Debian's own file has around it.
      const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((each) => `${each}_temp_path ${join(folder, each)};`)
        .join('\n');
      const user = process.getuid?.() === 0 ? 'user root;' : '';
      const around = `daemon off;\npid ${join(folder, 'pid')};\nerror_log stderr;\n${user}\nevents {}`;
      const file = join(folder, 'nginx.conf');
      writeFileSync(file, `${around}\nhttp {\naccess_log off;\n${folders}\n${site}\n}\n`);
      return ['-e', 'stderr', '-c', file];
    },
  },
  {
    name: 'Caddy',
    program: findProgram(['caddy']),
    configure: ({ port, upstream, folder, certificate, key }: Place) => {
      const sites = filledIn(deployed('Caddyfile'), [
        [/^((?:cms\.)?kiln)\.example \{$/gm, `$1.localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`],
        [/127\.0\.0\.1:3000/g, `127.0.0.1:${upstream}`],
      ]);
      const file = join(folder, 'Caddyfile');
      writeFileSync(
        file,
        `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${folder}\n}\n${sites}`,
      );
      return ['run', '--config', file, '--adapter', 'caddyfile'];
    },
  },
];

describe.each(PROXIES)('the file for $name', ({ name, program, configure }) => {
  if (program === undefined) {
    it.skip(`runs: there is no ${name} here`, () => undefined);
    return;
  }

  let folder: string;
  let place: Place;
  let ca: string;
  let provider: Awaited<ReturnType<typeof startFakeOpenRouter>>;
  let server: AccountsServer;
  let proxy: ReturnType<typeof runInBackground>;
  let cookie = '';
  /** Lets the model go on. */
  const goesOn = Promise.withResolvers<void>();

  const hosts = () => ({ app: `cms.kiln.localhost:${place.port}`, site: `kiln.localhost:${place.port}` });

  /** A request through the proxy; gives its answer as soon as it begins. */
  async function begin(
    host: string,
    path: string,
    { body, ...options }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
  ): Promise<IncomingMessage> {
    const [servername = ''] = host.split(':');
    const outgoing = request({
      host: '127.0.0.1',
      port: place.port,
      servername,
      ca,
      agent: false,
      path,
      method: options.method ?? 'GET',
      headers: { host, origin: `https://${hosts().app}`, cookie, ...options.headers },
    });
    // A client that is refused early may still be sending.
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    outgoing.end(body);
    const [incoming] = await answered;
    outgoing.on('error', () => undefined);
    return incoming;
  }
  async function ask(...asked: Parameters<typeof begin>) {
    const incoming = await begin(...asked);
    return { status: incoming.statusCode, headers: incoming.headers, text: await readAll(incoming) };
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'throughline-proxy-'));
    const [port, plainPort, upstream] = [await freePort(), await freePort(), await freePort()];
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
    place = { port, plainPort, upstream, folder, certificate, key };
    const words =
      '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=kiln.localhost ' +
      '-addext subjectAltName=DNS:kiln.localhost,DNS:cms.kiln.localhost';
    execFileSync('openssl', ['req', ...words.split(' '), '-keyout', key, '-out', certificate], { stdio: 'pipe' });
    ca = readFileSync(certificate, 'utf8');
    provider = await startFakeOpenRouter({
      respond: () => ({ chunks: ['The first words. ', 'The rest.'], restAfter: goesOn.promise }),
    });
    server = await startAccountsServer({
      port: upstream,
      seed: true,
      env: {
        PUBLIC_URL: `https://${hosts().app}`,
        SITE_URL: `https://${hosts().site}`,
        TRUST_PROXY: 'on',
        OPENROUTER_API_KEY: 'test-key',
        OPENROUTER_BASE_URL: provider.baseUrl,
        DEFAULT_MODEL: 'anthropic/claude-sonnet-4.5',
      },
    });
    proxy = runInBackground(program, configure(place), { cwd: folder, env: { ...process.env, HOME: folder } });
    await proxy.untilReady(async () => (await ask(hosts().app, '/api/ready')).status === 200);
  });
  afterAll(async () => {
    await proxy?.end();
    await server?.stop();
    await provider?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('people sign in with https-only cookies and their real addresses', async () => {
    const { email } = server.people.editor;
    const entered = await ask(hosts().app, '/api/auth/sign-in', {
      method: 'POST',
      headers: { 'x-forwarded-for': '198.51.100.9' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    expect([entered.status, entered.headers['strict-transport-security']]).toEqual([200, expect.any(String)]);
    const cookies = entered.headers['set-cookie'] ?? [];
    expect(cookies).toEqual(cookies.map(() => expect.stringMatching(/^__Secure-.*; Secure/) as unknown));
    cookie = cookies.map((each) => each.split(';')[0]).join('; ');
    const { items } = signInsAnswer.parse(JSON.parse((await ask(hosts().app, '/api/auth/sign-ins')).text));
    expect(items.find(({ isCurrent }) => isCurrent)).toMatchObject({ address: '127.0.0.1' });
    expect((await ask(hosts().app, '/')).status).toBe(200);
  });

  it('passes an answer on while it is written, and events as they happen', { timeout: 120_000 }, async () => {
    const made = await ask(hosts().app, '/api/sessions', { method: 'POST', body: '{}' });
    const { id } = z.object({ id: z.string() }).parse(JSON.parse(made.text));
    const events = await begin(hosts().app, `/api/sessions/${id}/events`);
    const chat = await begin(hosts().app, '/api/chat', {
      method: 'POST',
      body: JSON.stringify({ id, message: { role: 'user', parts: [{ type: 'text', text: 'Tell me.' }] } }),
    });
    let said = '';
    // The model says nothing more before the first words, and the event of the turn, are here.
    for await (const piece of events.setEncoding('utf8')) if (String(piece).includes('turn:start')) break;
    for await (const piece of chat.setEncoding('utf8')) {
      said += String(piece);
      if (!said.includes('The first words.')) continue;
      if (!said.includes('The rest.')) goesOn.resolve();
    }
    expect(said).toContain('The rest.');
  });

  it('lets a large picture and a large import in, and nothing that is larger', async () => {
    const side = Math.floor(Math.sqrt(MAX_PICTURE_BYTES / 3) * 0.97);
    const noise = { raw: { width: side, height: side, channels: 3 as const } };
    const picture = await sharp(randomBytes(side * side * 3), noise)
      .png()
      .toBuffer();
    expect(picture.length).toBeGreaterThan(MAX_PICTURE_BYTES * 0.9);
    const send = (path: string, body: Buffer) => ask(hosts().app, path, { method: 'POST', body });
    const added = await send('/api/content/media?filename=noise.png&alt=Noise', picture);
    expect([added.status, added.text]).toEqual([201, expect.stringContaining('noise.png')]);
    const read = await send('/api/content/imports?filename=site.json&dryRun=1', Buffer.alloc(MAX_IMPORT_BYTES, ' '));
    // The app's own word, of what is inside.
    expect([read.status, read.text]).toEqual([400, expect.stringContaining('"code"')]);
    const refused = await send('/api/content/imports?filename=site.json', Buffer.alloc(MAX_IMPORT_BYTES * 1.1, ' '));
    expect(refused.status).toBe(413);
  });

  it('shows the site under its own host, and nothing of the app there, nor under any other', async () => {
    const page = await ask(hosts().site, '/');
    expect(page.status).toBe(200);
    expect(page.text).toContain(`<link rel="canonical" href="https://${hosts().site}/"/>`);
    expect((await ask(hosts().site, '/api/sessions')).status).toBe(404);
    expect((await ask(hosts().app, '/api/sessions')).status).toBe(200);
    const other = await begin(hosts().app, '/', { headers: { host: 'evil.example' } }).then(readAll, () => '');
    expect(other).not.toMatch(/<html/i);
  });

  it.runIf(name === 'nginx')('redirects http to https', async () => {
    const { status, headers } = await sendRequest(`http://127.0.0.1:${place.plainPort}`, {
      method: 'GET',
      path: '/pricing?a=1',
      headers: { host: 'kiln.localhost' },
    });
    expect([status, headers.location]).toEqual([301, 'https://kiln.localhost/pricing?a=1']);
  });
});
