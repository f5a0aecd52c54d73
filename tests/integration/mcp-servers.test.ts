import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import type { McpServerInput, McpServerReport, McpTransport } from '#server/core/admin/mcp-servers';
import type { Message } from '#server/core/conversation/messages';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import { StdioTransport } from '#server/integrations/mcp-client/stdio-transport';
import { modelNames } from '#server/integrations/mcp-client/model-names';
import { startServices } from '#server/services';
import {
  everythingProgram,
  type EverythingServer,
  isAlive,
  startEverythingServer,
} from '#tests/support/everything-server';
import { startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { holdTimeouts } from '#tests/support/held-timers';
import { startLoopback } from '#tests/support/loopback-server';
import { finish, says, type ScriptedStep, toolCall } from '#tests/support/scripted-model';
import { foldTurn, type ScriptedChat, startScriptedChat } from '#tests/support/scripted-chat';
import { startTestServices } from '#tests/support/test-services';

const SECRET = 'tok-very-secret';
/** A program that tells its process id and ignores the request to stop. */
const DEAF = `process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1_000); console.log(JSON.stringify({ jsonrpc: '2.0', method: 'pid', params: { pid: process.pid } }));`;
vi.stubEnv('MCP_TEST_TOKEN', SECRET);
const everything = everythingProgram();
let chat: ScriptedChat | undefined;
let sentToPrograms: MockInstance<StdioTransport['send']>;
beforeEach(() => {
  sentToPrograms = vi.spyOn(StdioTransport.prototype, 'send');
});
afterEach(async () => {
  await chat?.[Symbol.asyncDispose]();
  chat = undefined;
});
afterAll(() => {
  everything[Symbol.dispose]();
  vi.unstubAllEnvs();
});

/** Nothing is loaded on demand. */
const ROOMY = { TOOL_DEFINITIONS_LIMIT: '50000', CONTEXT_WINDOW: '200000' };

const odd = (...options: string[]): McpTransport => ({
  type: 'stdio',
  command: process.execPath,
  args: [resolve('tests/support/odd-tool-server.ts'), ...options],
  env: { TOKEN: '${MCP_TEST_TOKEN}' },
});

/** A step that makes these calls. */
const calls = (...made: (string | [name: string, input: object])[]): ScriptedStep => [
  ...made.flatMap((each, index) => {
    const [name, input] = typeof each === 'string' ? [each, {}] : each;
    return toolCall(`call_${index}_${name}`, name, JSON.stringify(input));
  }),
  finish('tool-calls'),
];

async function start(steps: readonly ScriptedStep[], env: Record<string, string> = ROOMY): Promise<ScriptedChat> {
  chat = await startScriptedChat(steps, env);
  return chat;
}

type Servers = Pick<ScriptedChat['services'], 'toolServers' | 'toolServersReport'>;

/** Sets a server up, and waits until its tools are there. */
const PERSON = { kind: 'local' } as const;

async function addServer(services: Servers, server: Partial<McpServerInput> = {}): Promise<McpServerReport> {
  const name = server.name ?? 'everything';
  const { id } = await services.toolServers.create(
    {
      transport: everything.transport,
      policy: 'always',
      isEnabled: true,
      ...server,
      name,
    },
    PERSON,
  );
  return reportOf(services, id, ({ status }) => status === 'ready');
}

async function reportOf(services: Servers, id: string, fits: (report: McpServerReport) => boolean) {
  return vi.waitFor(
    async () => {
      const report = (await services.toolServersReport()).items.find((item) => item.id === id);
      expect(report).toSatisfy(fits);
      return report!;
    },
    { interval: 20 },
  );
}

/** Waits until a program is sent such a request: a call is said to run before that. */
async function untilSent(method: string): Promise<void> {
  const asked = expect.objectContaining({ method });
  await vi.waitFor(() => expect(sentToPrograms).toHaveBeenCalledWith(asked, expect.anything()));
}

const resultsOf = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-result' ? [part.content] : [])));

async function outputs(): Promise<unknown[]> {
  return resultsOf(await chat!.messages()).map(({ output }) => output);
}

const offered = (request: number) => (chat!.requests[request]!.tools ?? []).map(({ name }) => name);

describe('a tool server that is a program', () => {
  it('has its tools offered under its name, called in a turn, and ends with us', async () => {
    const { services } = await start([
      calls(
        ['everything__get-sum', { a: 2, b: 40 }],
        ['everything__get-sum', { a: 'two' }],
        ['everything__get-structured-content', { location: 'Chicago' }],
        ['everything__get-resource-links', { count: 2 }],
        ['everything__read_resource', { uri: 'demo://resource/dynamic/text/2' }],
      ),
      says('Done.'),
    ]);
    const { tools, tokens } = await addServer(services);
    const pid = everything.pid();
    expect(tools.map(({ name }) => name)).toContain('everything__get-sum');
    expect(tokens).toBe(tools.reduce((sum, tool) => sum + tool.tokens, 0));

    const { errors } = await chat!.say('Use the tools.', {});
    expect(errors).toEqual([]);
    expect(offered(0)).toEqual(expect.arrayContaining(['get_content', ...tools.map(({ name }) => name)]));
    expect(await outputs()).toEqual([
      { type: 'text', value: 'The sum of 2 and 40 is 42.' },
      { type: 'error-text', value: expect.stringMatching(/expected number/) },
      { type: 'json', value: { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 } },
      { type: 'text', value: expect.stringMatching(/demo:\/\/resource\/dynamic\/text\/2/) },
      { type: 'text', value: expect.stringMatching(/^\[Resource demo:\S+ \(text\/plain\)\]\nResource 2: This is/) },
    ]);
    // Its instructions are data, in the message of the user.
    expect(JSON.stringify(chat!.requests[0])).toContain('says about its tools (its words, not the user');
    expect(isAlive(pid)).toBe(true);
    await chat![Symbol.asyncDispose]();
    chat = undefined;
    expect(isAlive(pid)).toBe(false);
  });

  it('may die in the middle of a call: the turn continues, and the next call works', async () => {
    const { services } = await start([
      calls(['everything__trigger-long-running-operation', { duration: 600, steps: 1 }]),
      calls(['everything__get-sum', { a: 1, b: 1 }]),
      says('It is 2.'),
    ]);
    const { id } = await addServer(services);
    const pid = everything.pid();
    const turn = chat!.say('Take your time.');
    await untilSent('tools/call');
    process.kill(pid, 'SIGKILL');
    const { message, errors } = await turn;
    expect(errors).toEqual([]);
    expect(message.parts.at(-1)).toMatchObject({ type: 'text', text: 'It is 2.' });
    expect(await outputs()).toEqual([
      { type: 'error-text', value: expect.stringMatching(/"everything" broke off.*SIGKILL.*check before repeating/s) },
      { type: 'text', value: 'The sum of 1 and 1 is 2.' },
    ]);
    expect(everything.pid()).not.toBe(pid);
    expect(await reportOf(services, id, ({ status }) => status === 'ready')).toMatchObject({ problem: null });
    // Its tools stayed offered in between: the next request begins with the same bytes.
    expect(chat!.requests[1]!.tools).toEqual(chat!.requests[0]!.tools);
  });

  it('exits, fails, and sends requests: each gives a result, and no secret is shown', async () => {
    const asking = modelNames('odd', ['ask back', 'ask_back']).get('ask back')!;
    const { services } = await start([calls('odd__fail', 'odd__refuse', asking, 'odd__die'), says('Oh.')]);
    const { tools } = await addServer(services, { name: 'odd', transport: odd() });
    expect(tools.find(({ title }) => title === 'ask back')?.name).toBe(asking);
    expect((await chat!.say('Try all.')).errors).toEqual([]);
    const declined = { error: { code: -32_601 } };
    const results = await outputs();
    expect(results).toMatchObject([
      { type: 'error-text', value: 'The cheese is out of •••.' },
      { type: 'error-text', value: expect.stringContaining('No entry with •••.') },
      { type: 'text' },
      { type: 'error-text', value: expect.stringMatching(/exit code 3.*out of cheese with •••/s) },
    ]);
    expect(JSON.parse((results[2] as { value: string }).value)).toMatchObject([declined, declined]);
    const report = await services.toolServersReport();
    expect(JSON.stringify([results, report])).not.toContain(SECRET);
    expect(report.items[0]!.transport).toMatchObject({ env: ['TOKEN'] });
  });

  it('is notified of a cancelled call, which is not waited for', async () => {
    const { services, session } = await start([calls('odd__hang'), calls('odd__cancelled'), says('Well.')]);
    await addServer(services, { name: 'odd', transport: odd() });
    await chat!.enqueue('Go.');
    await untilSent('tools/call');
    await services.chat.cancel(session.id);
    await chat!.say('What was cancelled?');
    const [, cancelled] = (await outputs()) as { value: string }[];
    expect(JSON.parse(cancelled!.value)).toHaveLength(1);
  });

  it('may change its tools, list them in any order, and describe them at length', async () => {
    const { services } = await start([calls('odd__grow'), says('Grown.'), says('Again.')]);
    const { id, tools } = await addServer(services, { name: 'odd', transport: odd() });
    const long = tools.find(({ title }) => title === 'ask_back')!;
    expect(long.description).toMatch(/^Hidden words/);
    expect(long.description.length).toBeLessThanOrEqual(1_000);
    await chat!.say('Grow.');
    const grown = await reportOf(services, id, (report) => report.tools.length === tools.length + 1);
    await chat!.say('And now?');
    const names = (request: number) => offered(request).filter((name) => name.startsWith('odd__'));
    expect(names(0)).toEqual(names(0).toSorted());
    expect(names(2)).toEqual(grown.tools.map(({ name }) => name).toSorted());
  });

  it('is ended with all that it started', async () => {
    const pids: number[] = [];
    const wrapper = { type: 'stdio' as const, command: 'sh', args: ['-c', `"$NODE" -e "$DEAF"; true`] };
    const program = new StdioTransport(
      { ...wrapper, env: { NODE: process.execPath, DEAF } },
      process.env,
      () => undefined,
    );
    Object.assign(program, { onmessage: ({ params }: { params: { pid: number } }) => pids.push(params.pid) });
    await program.start();
    await vi.waitFor(() => expect(pids).toHaveLength(1));
    await program.close();
    await vi.waitFor(() => expect(isAlive(pids[0]!)).toBe(false));
  });

  it('is killed if it ignores the request to stop', async () => {
    const transport = { type: 'stdio' as const, command: process.execPath, args: ['-e', DEAF], env: {} };
    const program = new StdioTransport(transport, process.env, () => undefined);
    const started = Promise.withResolvers<number>();
    Object.assign(program, {
      onmessage: ({ params }: { params: { pid: number } }) => started.resolve(params.pid),
    });
    await program.start();
    const pid = await started.promise;
    await program.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('is ended while its tools are waited for', async () => {
    const { services } = await start([]);
    // A list that never comes is not given up by itself.
    holdTimeouts(30_000);
    const transport = odd('mute');
    const { id } = await services.toolServers.create(
      { name: 'odd', transport, policy: 'ask', isEnabled: true },
      PERSON,
    );
    await untilSent('tools/list');
    expect(await reportOf(services, id, () => true)).toMatchObject({ status: 'connecting', tools: [] });
    await chat![Symbol.asyncDispose]();
    chat = undefined;
  });

  it('says why it cannot be run', async () => {
    const { services } = await start([]);
    const test = (transport: McpTransport) => services.toolServers.test(transport, null, PERSON);
    const failed = (message: RegExp) => ({ ok: false, tools: null, message: expect.stringMatching(message) });
    expect(await test({ type: 'stdio', command: 'no-such-program', args: [], env: {} })).toMatchObject(
      failed(/"no-such-program" cannot be run.*ENOENT/),
    );
    const broken = { type: 'stdio', command: process.execPath, args: ['-e', 'throw new Error("no cheese")'], env: {} };
    expect(await test(broken as McpTransport)).toMatchObject(failed(/exit code 1.*no cheese/s));
    expect(await test({ ...odd(), env: { TOKEN: '${MCP_ABSENT}' } } as McpTransport)).toMatchObject(
      failed(/MCP_ABSENT is not set/),
    );
    expect(await test(odd())).toMatchObject({ ok: true, tools: 10 });
    const { items } = await services.toolServersReport();
    expect(items).toEqual([]);
  });

  it('is not run where programs are switched off', async () => {
    const { services } = await start([], { ...ROOMY, MCP_STDIO: 'off' });
    await expect(addServer(services)).rejects.toThrow(/MCP_STDIO=on/);
    await expect(services.toolServers.test(everything.transport, null, PERSON)).rejects.toThrow(/MCP_STDIO=on/);
    expect(await services.toolServersReport()).toMatchObject({ items: [], canRunPrograms: false });
  });
});

describe('a tool server that is reached over HTTP', () => {
  let server: EverythingServer;
  beforeAll(async () => {
    server = await startEverythingServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const transport = () => ({ type: 'http' as const, url: server.url, headers: {} });

  it('is called, dies in the middle of a call, and is found again', async () => {
    const { services } = await start([
      calls(['remote__get-sum', { a: 20, b: 3 }]),
      calls(['remote__trigger-long-running-operation', { duration: 600, steps: 1 }]),
      says('It is gone.'),
      calls(['remote__get-sum', { a: 4, b: 5 }]),
      says('Nine.'),
    ]);
    await addServer(services, { name: 'remote', transport: transport() });
    const turn = chat!.say('Add, then wait.');
    await vi.waitFor(async () => {
      const parts = (await chat!.messages()).flatMap((message) => message.parts);
      expect(parts.filter(({ type }) => type === 'tool-call').at(-1)).toMatchObject({
        content: { toolName: 'remote__trigger-long-running-operation' },
        state: 'running',
      });
    });
    await server.kill();
    expect((await turn).errors).toEqual([]);
    await server.restart();
    expect((await chat!.say('Add again.')).errors).toEqual([]);
    expect(await outputs()).toMatchObject([
      { type: 'text', value: 'The sum of 20 and 3 is 23.' },
      { type: 'error-text', value: expect.stringMatching(/"remote" broke off/) },
      { type: 'text', value: 'The sum of 4 and 5 is 9.' },
    ]);
  });

  it('may speak the older transport, be restarted, and die in the middle of a call', async () => {
    await using older = await startEverythingServer('sse');
    const { services } = await start([
      calls(['older__get-sum', { a: 1, b: 2 }]),
      says('Three.'),
      calls(['older__get-sum', { a: 4, b: 5 }]),
      calls(['older__trigger-long-running-operation', { duration: 600, steps: 1 }]),
      says('It is gone.'),
    ]);
    const { id } = await addServer(services, {
      name: 'older',
      transport: { type: 'sse', url: older.url, headers: {} },
    });
    await chat!.say('Add.');
    await older.restart();
    const turn = chat!.say('Add again, then wait.');
    await vi.waitFor(async () => {
      const parts = (await chat!.messages()).flatMap((message) => message.parts);
      expect(parts.filter(({ type }) => type === 'tool-call').at(-1)).toMatchObject({
        content: { toolName: 'older__trigger-long-running-operation' },
        state: 'running',
      });
    });
    await older.kill();
    await turn;
    expect(await outputs()).toMatchObject([
      { type: 'text', value: 'The sum of 1 and 2 is 3.' },
      { type: 'text', value: 'The sum of 4 and 5 is 9.' },
      { type: 'error-text', value: expect.stringMatching(/"older" broke off/) },
    ]);
    await reportOf(services, id, ({ status }) => status === 'failed');
  });

  it('may forget the session: the call is made in a new one; one that broke off is not repeated', async () => {
    const { services } = await start([calls('plain__forget', 'plain__break', 'plain__forget'), says('Well.')]);
    const plain = await startPlainServer();
    try {
      await addServer(services, { name: 'plain', transport: { type: 'http', url: plain.url, headers: {} } });
      await chat!.say('Go.');
      expect(await outputs()).toMatchObject([
        { type: 'text', value: 'forget in session-2' },
        { type: 'error-text', value: expect.stringMatching(/"plain" broke off/) },
        { type: 'text', value: 'forget in session-3' },
      ]);
      expect(plain.calls).toEqual([
        'forget in session-1',
        'forget in session-2',
        'break in session-2',
        'forget in session-3',
      ]);
    } finally {
      await plain.close();
    }
  });

  it('is not followed to another address, and gets its headers at its own only', async () => {
    const told: string[] = [];
    const elsewhere = await startLoopback((request) => void told.push(String(request.headers.authorization)));
    const near = await startLoopback((request, response) => {
      told.push(`${request.url} ${request.headers.authorization}`);
      const location = request.url === '/mcp' ? '/mcp/' : `${elsewhere.url}/mcp`;
      response.writeHead(307, { location }).end();
    });
    try {
      const { services } = await start([]);
      const headers = { authorization: 'Bearer ${MCP_TEST_TOKEN}' };
      const answer = await services.toolServers.test({ type: 'http', url: `${near.url}/mcp`, headers }, null, PERSON);
      expect(answer).toMatchObject({ ok: false, message: expect.stringContaining('is not followed') });
      expect(told).toEqual([`/mcp Bearer ${SECRET}`, `/mcp/ Bearer ${SECRET}`]);
    } finally {
      await near.close();
      await elsewhere.close();
    }
  });

  it('may answer with a page: of that is kept what fits', async () => {
    const broken = await startLoopback(
      (_, response) => void response.writeHead(500).end('<p>Out of cheese</p>'.repeat(10_000)),
    );
    try {
      const { services } = await start([]);
      const address = { type: 'http' as const, url: broken.url, headers: {} };
      const { ok, message } = await services.toolServers.test(address, null, PERSON);
      expect({ ok, length: message.length }).toEqual({ ok: false, length: 1_000 });
      expect(message).toContain('Out of cheese');
      const { id } = await services.toolServers.create(
        {
          name: 'odd',
          transport: address,
          policy: 'ask',
          isEnabled: true,
        },
        PERSON,
      );
      const { problem } = await reportOf(services, id, ({ status }) => status === 'failed');
      expect(problem).toHaveLength(1_000);
    } finally {
      await broken.close();
    }
  });

  it('gives a picture: a blob that reaches a model that sees, once', async () => {
    const answers = [{ toolCalls: [{ id: 'call_1', name: 'remote__get-tiny-image', input: {} }] }, { text: 'A logo.' }];
    const provider = await startFakeOpenRouter({ respond: (_, index) => answers[index] ?? { text: 'Done.' } });
    const env = {
      OPENROUTER_API_KEY: 'test-key',
      OPENROUTER_BASE_URL: provider.baseUrl,
      DEFAULT_MODEL: 'openai/gpt-4o',
    };
    const services = await startTestServices({ ...ROOMY, ...env });
    try {
      await addServer(services, { name: 'remote', transport: transport() });
      const session = await services.sessions.create({ ownerId: 'own_local' });
      const sent = await services.chat.send({
        session,
        texts: ['Show me.'],
        modelId: null,
        scopes: scopesOfRole.admin,
        clientRequestId: null,
      });
      if (sent.kind !== 'started') throw new Error('It was queued.');
      expect((await foldTurn(sent.stream)).errors).toEqual([]);
      const [result] = resultsOf((await services.messages.list(session.id, { limit: 100 })).items);
      const { value } = result!.output as { value: { type: string }[] };
      const picture = value.find(({ type }) => type === 'file')!;
      const url: unknown = expect.stringMatching(/^@blob:blb_/);
      expect(picture).toMatchObject({ mediaType: 'image/png', width: 20, height: 20, url });
      const requests = provider.requests.map(({ body }) => JSON.stringify(body));
      expect(requests[0]).not.toContain('base64');
      expect(requests[1]!.split('data:image/png;base64,')).toHaveLength(2);
    } finally {
      await services[Symbol.asyncDispose]();
      await provider.close();
    }
  });
});

describe('policies of tools of servers', () => {
  it("ask if the server is set so or marks its tool destructive; the tool's own policy wins", async () => {
    const { services, session } = await start([calls('odd__look', 'odd__wipe'), says('Wiped.')]);
    const { id } = await addServer(services, { name: 'odd', transport: odd() });
    const sent = await chat!.send('Wipe.');
    if (sent.kind !== 'started') throw new Error('It was queued.');
    await foldTurn(sent.stream);
    expect(await services.chat.pendingApprovals(session.id)).toMatchObject([{ toolName: 'odd__wipe' }]);
    expect(resultsOf(await chat!.messages()).map(({ toolName }) => toolName)).toEqual(['odd__look']);

    const policies = async () => {
      const { items } = await services.toolServersReport();
      return Object.fromEntries(items[0]!.tools.map(({ name, policy }) => [name, policy]));
    };
    expect(await policies()).toMatchObject({ odd__look: 'always', odd__wipe: 'ask' });
    await services.toolServers.update(id, { policy: 'ask' }, PERSON);
    expect(await policies()).toMatchObject({ odd__look: 'ask', odd__wipe: 'ask' });
    await services.toolServers.update(id, { policy: 'off' }, PERSON);
    await services.settings.update({ toolPolicies: { odd__look: 'always' } });
    expect(await policies()).toMatchObject({ odd__look: 'always', odd__wipe: 'off' });
    expect(services.settingsReport().tools).toContainEqual(
      expect.objectContaining({ name: 'odd__wipe', policy: 'off' }),
    );
    const { tools } = await services.context.nextRequest(await services.sessions.get(session.id));
    expect(tools.names.filter((name) => name.startsWith('odd__'))).toEqual(['odd__look']);
  });
});

describe('tools whose definitions would take too much of every request', () => {
  const tight = { TOOL_DEFINITIONS_LIMIT: '500', CONTEXT_WINDOW: '200000' };

  it('are found and loaded into the conversation, kept there, and make room for others', async () => {
    const { services, session } = await start(
      [
        calls(['find_tools', { query: 'thing 7 odd' }]),
        calls(['load_tools', { names: ['odd__tool-7', 'odd__nothing'] }]),
        calls(['odd__tool-7', { value: 'it' }], ['odd__tool-8', {}]),
        calls(['load_tools', { names: Array.from({ length: 8 }, (_, index) => `odd__tool-${index + 20}`) }]),
        says('Done.'),
      ],
      tight,
    );
    const { tokens } = await addServer(services, { name: 'odd', transport: odd('many=60') });
    expect(tokens).toBeGreaterThan(4_000);
    const inspected = async () => {
      const current = await services.sessions.get(session.id);
      return (await services.context.nextRequest(current)).tools;
    };
    const before = await inspected();
    expect(before.names).toEqual(expect.arrayContaining(['find_tools', 'load_tools']));
    expect(before.names.filter((name) => name.startsWith('odd__'))).toEqual([]);
    const { errors } = await chat!.say('Do thing 7.');
    expect(errors).toEqual([]);
    const [found, loaded, done, , more] = (await outputs()) as { value: Record<string, unknown> }[];
    expect(found!.value['tools']).toContainEqual({ name: 'odd__tool-7', does: expect.stringMatching(/number 7/) });
    expect(loaded!.value).toEqual({ loaded: ['odd__tool-7'], unknown: ['odd__nothing'] });
    expect(done).toEqual({ type: 'text', value: 'tool-7: done.' });
    expect(more!.value['putAway']).toContain('odd__tool-7');
    expect(offered(1)).toEqual(offered(0));
    expect(offered(2)).toEqual([...offered(0), 'odd__tool-7']);

    const kept = await inspected();
    const names = kept.names.filter((name) => name.startsWith('odd__'));
    expect(names.length).toBeGreaterThan(1);
    const { items } = await services.toolServersReport();
    const costs = items[0]!.tools.filter(({ name }) => names.includes(name)).map((tool) => tool.tokens);
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeLessThanOrEqual(500);
    expect(kept.tokens).toBeGreaterThan(before.tokens);
    const other = await startServices(services.env);
    try {
      const { id } = (await other.toolServersReport()).items[0]!;
      await reportOf(other, id, ({ status }) => status === 'ready');
      const current = await other.sessions.get(session.id);
      const again = await other.context.nextRequest(current, OFFLINE_MODEL_ID);
      expect(again.tools.names).toEqual(kept.names);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });
});

describe('a tool that is called before it was loaded', () => {
  const tight = { TOOL_DEFINITIONS_LIMIT: '500', CONTEXT_WINDOW: '200000' };

  it('is loaded and runs, asks as usual, or explains its input', async () => {
    const { services } = await start(
      [
        calls(['odd__tool-7', { value: 'it' }]),
        calls(['odd__tool-8', { thing: 'it' }]),
        calls(['odd__nothing', {}]),
        calls(['odd__wipe', {}]),
      ],
      tight,
    );
    await addServer(services, { name: 'odd', transport: odd('many=60'), policy: 'always' });
    const { errors } = await chat!.say('Do thing 7.');
    expect(errors).toEqual([]);
    const [done, guessed, none, wiped] = (await outputs()) as { type: string; value: string }[];
    expect(done).toEqual({ type: 'text', value: 'tool-7: done.' });
    expect(offered(1)).toEqual([...offered(0), 'odd__tool-7']);
    expect(guessed).toMatchObject({ type: 'error-text' });
    expect(guessed!.value).toMatch(/odd__tool-8 was not loaded.*call it with .*"value":\{"type":"string"/);
    expect(offered(2)).toContain('odd__tool-8');
    expect(none).toMatchObject({ type: 'error-text' });
    // It deletes, so the user is asked first.
    expect(wiped).toBeUndefined();
    expect((await services.turns.running(chat!.session.id)) ?? null).toBeNull();
  });
});

/** A tool server over HTTP that pushes nothing, and knows its first session no more once a tool is called in it. */
async function startPlainServer() {
  let sessions = 0;
  const made: string[] = [];
  const server = await startLoopback((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, method, params } = JSON.parse((await text(request)) || '{}') as {
      id?: number;
      method?: string;
      params?: { name?: string };
    };
    const send = (body: object, status = 200) =>
      response
        .writeHead(status, {
          'content-type': 'application/json',
          ...(method === 'initialize' && { 'mcp-session-id': `session-${(sessions += 1)}` }),
        })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    if (method === undefined) return void response.writeHead(405).end();
    if (method === 'initialize') {
      const serverInfo = { name: 'plain', version: '1' };
      return void send({ result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
    }
    if (method === 'tools/list') {
      const tools = ['forget', 'break'].map((name) => ({ name, inputSchema: { type: 'object' } }));
      return void send({ result: { tools } });
    }
    if (method !== 'tools/call')
      return void send({ error: { code: -32_601, message: 'Unknown.' } }, id === undefined ? 202 : 400);
    const session = String(request.headers['mcp-session-id']);
    made.push(`${params?.name} in ${session}`);
    if (session === 'session-1') return void response.writeHead(404).end();
    if (params?.name !== 'break') {
      return void send({ result: { content: [{ type: 'text', text: `${params?.name} in ${session}` }] } });
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {', () => response.destroy());
  }
  return { url: `${server.url}/mcp`, calls: made, close: () => server.close() };
}
