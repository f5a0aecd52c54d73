import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as modern from '@modelcontextprotocol/client';
import * as older from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type FakeVendor, startFakeVendor } from '#tests/support/fake-vendors';
import { callMcp, consent, type OAuthWorld, startOAuthWorld } from '#tests/support/oauth-world';
import { callRoute, stopServing } from '#tests/support/routes';
import { startRouteServer } from '#tests/support/route-server';
import { createStubBrowser, type StubBrowser } from '#tests/support/stub-browser';

/*
 * Programs of exact versions, from nothing to a first draft over `/mcp` without a key: they find out how to sign in, register,
 * open the consent page, and call a tool. The test is the browser. `npm run test:clients` installs the programs in
 * `tests/clients`, without install scripts. They reach this machine only.
 */

const packages = join(import.meta.dirname, 'clients', 'node_modules');

let http: Awaited<ReturnType<typeof startRouteServer>>;
let world: OAuthWorld;
let url = '';
beforeAll(async () => {
  http = await startRouteServer();
  world = await startOAuthWorld(http.url);
  url = `${http.url}/mcp`;
});
afterAll(async () => {
  await stopServing();
  await http.close();
});

let folder = '';
let browser: StubBrowser;
let vendor: FakeVendor | null = null;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'throughline-client-'));
  browser = createStubBrowser(folder);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await vendor?.[Symbol.asyncDispose]();
  vendor = null;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A person reads the consent page and agrees: the browser returns to the program. @returns where it returned to */
async function agree(page: string): Promise<URL> {
  const { editor } = world.people;
  Object.assign(editor.headers, await world.signIn('edith@kiln.example'));
  const { origin, pathname, search } = new URL(page);
  expect(`${origin}${pathname}`).toBe(`${http.url}/oauth/authorize`);
  const { status, json } = await consent(editor, search.slice(1));
  expect(status, JSON.stringify(json)).toBe(200);
  return new URL((json as { redirectTo: string }).redirectTo);
}

/** Waits until the program opens the page, and agrees. */
async function agreeInBrowser(printed: () => string = () => ''): Promise<void> {
  const page = await vi.waitFor(
    () => {
      const found = browser.opened().find((each) => each.includes('/oauth/authorize?'));
      const shown = /http\S+\/oauth\/authorize\?\S+/.exec(printed())?.[0];
      const address = found ?? shown;
      if (address === undefined) throw new Error(`It opens no page: ${printed().slice(-6_000)}`);
      return address;
    },
    { timeout: 60_000, interval: 100 },
  );
  const back = await agree(page);
  // Some programs listen for the browser only after they have opened it.
  const answer = await vi.waitFor(() => fetch(back), { timeout: 20_000, interval: 200 });
  expect(answer.status, await answer.text()).toBeLessThan(400);
}

const titles = async (): Promise<readonly string[]> => {
  const answer = await callRoute('GET', '/api/content/posts?status=draft', { headers: world.people.editor.headers });
  const { items } = (await answer.json()) as { items: readonly { title: string }[] };
  return items.map(({ title }) => title);
};

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  NODE_ENV: 'production' as const,
  PATH: `${browser.folder}:${process.env['PATH'] ?? ''}`,
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, '.config'),
  DISPLAY: ':0',
  DO_NOT_TRACK: '1',
  NO_PROXY: '127.0.0.1,localhost',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ...more,
});

/** Starts a program; `ended` rejects with what it printed if it fails. */
function start(program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}, input = '') {
  const child = spawn(program, args, { cwd: folder, env: environment(more) });
  child.stdin.end(input);
  children.push(child);
  let printed = '';
  child.stdout.on('data', (piece: Buffer) => (printed += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (printed += piece.toString()));
  const ended = once(child, 'close').then(([code]) => {
    if (code !== 0)
      throw new Error(`${program} ${args.join(' ')} ended with ${String(code)}: ${printed.slice(-3_000)}`);
    return printed;
  });
  ended.catch(() => undefined);
  return { printed: () => printed, ended };
}

const node = (file: string, args: readonly string[], more: Readonly<Record<string, string>> = {}, input = '') =>
  start(process.execPath, [join(packages, file), ...args], more, input);

function write(name: string, content: string | object): void {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

/** A model that writes one draft with the tool of the site, and then says so. */
async function startModel(kind: 'anthropic' | 'google' | 'openai', title: string): Promise<string> {
  let hasCalled = false;
  vendor = await startFakeVendor({
    kind,
    key: '',
    models: ['test-model'],
    respond: ({ tools }) => {
      const tool = tools.find((name) => name.endsWith('create_content'));
      if (tool === undefined || hasCalled) return { text: 'The draft is there.' };
      hasCalled = true;
      return { call: { name: tool, input: { type: 'post', title } } };
    },
  });
  return vendor.baseUrl;
}

const createDraft = (title: string) => ({ name: 'create_content', arguments: { type: 'post', title } });

/** What a program of the SDK keeps, in the words of both of its generations. */
function createProvider() {
  const redirectUrl = 'http://127.0.0.1:7777/callback';
  const kept: { client?: unknown; tokens?: unknown; verifier?: string; page?: URL; discovery?: unknown } = {};
  const provider = {
    redirectUrl,
    clientMetadata: { client_name: 'SDK', redirect_uris: [redirectUrl] },
    clientInformation: () => kept.client as never,
    saveClientInformation: (client: unknown) => void (kept.client = client),
    tokens: () => kept.tokens as never,
    saveTokens: (tokens: unknown) => void (kept.tokens = tokens),
    redirectToAuthorization: (page: URL) => void (kept.page = page),
    saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
    discoveryState: () => kept.discovery as never,
    saveDiscoveryState: (state: unknown) => void (kept.discovery = state),
  };
  return { provider, kept };
}

/** Signs in as a program of SDK 1.32. */
async function signInWithSdk() {
  const { provider, kept } = createProvider();
  const first = new OlderTransport(new URL(url), { authProvider: provider });
  const client = new OlderClient({ name: 'sdk', version: '1' });
  await expect(client.connect(first as never)).rejects.toThrow(older.UnauthorizedError);
  await first.finishAuth((await agree(kept.page!.href)).searchParams.get('code')!);
  return { client, provider, token: (kept.tokens as { access_token: string }).access_token };
}

it('SDK 1.32 writes a first draft', async () => {
  const { client, provider } = await signInWithSdk();
  await client.connect(new OlderTransport(new URL(url), { authProvider: provider }));
  await client.callTool(createDraft('By SDK 1.32'));
  await client.close();
  expect(await titles()).toContain('By SDK 1.32');
});

it.each(['legacy', 'auto'] as const)('client 2.4 writes a first draft (negotiation: %s)', async (mode) => {
  const { provider, kept } = createProvider();
  const first = new modern.StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  const connect = async (transport: modern.StreamableHTTPClientTransport) => {
    const client = new modern.Client({ name: 'sdk', version: '2' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    return client;
  };
  await expect(connect(first)).rejects.toThrow(modern.UnauthorizedError);
  await first.finishAuth((await agree(kept.page!.href)).searchParams);
  const client = await connect(new modern.StreamableHTTPClientTransport(new URL(url), { authProvider: provider }));
  await client.callTool(createDraft(`By client 2.4 ${mode}`));
  await client.close();
  expect(await titles()).toContain(`By client 2.4 ${mode}`);
});

it('mcp-remote lets a client without OAuth write a first draft', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(packages, 'mcp-remote/dist/proxy.js'), url, String(await freePort()), '--host', '127.0.0.1'],
    env: environment({ MCP_REMOTE_CONFIG_DIR: folder }),
    stderr: 'pipe',
  });
  let printed = '';
  transport.stderr?.on('data', (piece: Buffer) => (printed += piece.toString()));
  const client = new OlderClient({ name: 'stdio', version: '1' });
  await Promise.all([client.connect(transport as never), agreeInBrowser(() => printed)]);
  await client.callTool(createDraft('By mcp-remote'));
  await client.close();
  expect(await titles()).toContain('By mcp-remote');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

it('the inspector finds no problem in the schemas of the tools, and writes a first draft', async () => {
  const inspector = '@modelcontextprotocol/inspector/clients/launcher/build/index.js';
  const target = ['--cli', '--server-url', url, '--transport', 'http', '--callback-url'];
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
  // It asks for a sign-in in a terminal only, unless it may open a browser.
  const env = { MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' };
  const strict = node(inspector, [...target, callback, '--method', 'tools/list', '--strict'], env);
  await agreeInBrowser(strict.printed);
  expect(await strict.ended).toContain('create_content');
  const input = ['--tool-args-json', JSON.stringify({ type: 'post', title: 'By the inspector' })];
  const call = [...target, callback, '--method', 'tools/call', '--tool-name', 'create_content', ...input];
  await node(inspector, [...call, '--stored-auth-only'], env).ended;
  expect(await titles()).toContain('By the inspector');
  // As a host of MCP Apps it finds the view of a tool.
  const app = ['--method', 'tools/call', '--tool-name', 'publish_content', '--app-info', '--advertise-apps'];
  const view = await node(inspector, [...target, callback, ...app, '--stored-auth-only'], env).ended;
  expect(view).toContain('ui://throughline/view.html');
});

/** FastMCP is a package of Python; `FASTMCP_PYTHON` names an interpreter that has it. */
const python = process.env['FASTMCP_PYTHON'];

it.runIf(python !== undefined)('a FastMCP proxy in front shows all tools, and writes a first draft', async () => {
  const { token } = await signInWithSdk();
  write('proxy.py', PROXY);
  const env = environment({ SITE_URL: url, SITE_TOKEN: token });
  const transport = new StdioClientTransport({ command: python!, args: [join(folder, 'proxy.py')], env });
  const client = new OlderClient({ name: 'stdio', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const { json } = await callMcp(token);
  const names = (json as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
  expect(tools.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  await client.callTool(createDraft('By FastMCP'));
  await client.close();
  expect(await titles()).toContain('By FastMCP');
});

const PROXY = `
import os
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.server.server import create_proxy
create_proxy(StreamableHttpTransport(os.environ["SITE_URL"], auth=os.environ["SITE_TOKEN"])).run()
`;

it('Codex writes a first draft', async () => {
  const baseUrl = await startModel('openai', 'By Codex');
  write(
    '.codex/config.toml',
    [
      'model = "test-model"',
      'model_provider = "fake"',
      'check_for_update_on_startup = false',
      'mcp_oauth_credentials_store = "file"',
      '[analytics]',
      'enabled = false',
      '[model_providers.fake]',
      'name = "Fake"',
      `base_url = "${baseUrl}"`,
      'wire_api = "responses"',
      '[mcp_servers.site]',
      `url = "${url}"`,
    ].join('\n'),
  );
  const login = node('@openai/codex/bin/codex.js', ['mcp', 'login', 'site']);
  await agreeInBrowser(login.printed);
  await login.ended;
  const options = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
  await node('@openai/codex/bin/codex.js', ['exec', ...options, 'Write a draft.']).ended;
  expect(await titles()).toContain('By Codex');
});

it('Claude Code writes a first draft', async () => {
  const baseUrl = await startModel('anthropic', 'By Claude Code');
  const program = join(packages, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`);
  const env = {
    ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1$/, ''),
    ANTHROPIC_AUTH_TOKEN: 'any',
    ANTHROPIC_MODEL: 'test-model',
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'test-model',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // Otherwise the model has to search for the tool first.
    ENABLE_TOOL_SEARCH: 'false',
  };
  await start(program, ['mcp', 'add', '--transport', 'http', 'site', url], env).ended;
  // It needs a terminal for this.
  const command = `${program} mcp login site`;
  const login = start('script', ['--quiet', '--return', '--command', command, '/dev/null'], env);
  await agreeInBrowser(login.printed);
  await login.ended;
  const allowed = ['--allowedTools', 'mcp__site__create_content'];
  await start(program, ['-p', 'Write a draft.', '--output-format', 'json', ...allowed], env).ended;
  expect(await titles()).toContain('By Claude Code');
});

it('Gemini CLI writes a first draft', async () => {
  const baseUrl = await startModel('google', 'By Gemini CLI');
  write('.gemini/settings.json', {
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { disableAutoUpdate: true, enableAutoUpdate: false },
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    mcpServers: { site: { httpUrl: url, oauth: { enabled: true }, trust: true } },
  });
  const env = {
    GEMINI_API_KEY: 'any',
    GOOGLE_GEMINI_BASE_URL: baseUrl.replace(/\/v1(beta)?$/, ''),
    GEMINI_MODEL: 'test-model',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  };
  const asked = node('@google/gemini-cli/bundle/gemini.js', ['--yolo', '-p', 'Write a draft.'], env, 'y\n');
  await agreeInBrowser(asked.printed);
  await asked.ended;
  expect(await titles()).toContain('By Gemini CLI');
});
