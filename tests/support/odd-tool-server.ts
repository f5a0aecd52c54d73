import { createInterface } from 'node:readline';

/*
 * A tool server of mcp-servers.test.ts that does what well-behaved ones do not: it lists its tools in pages and in
 * another order each time, prints greetings, sends requests to its client, changes its tools, answers never, or too
 * much. `many=N` gives it so many tools, `mute` makes it ignore the request for its tools; `growing` has another tool
 * as soon as they are listed; `nulls` writes what is not set as null.
 */
const options = new Map(process.argv.slice(2).map((option) => option.split('=') as [string, string | undefined]));
const PAGE = 5;
const object = (properties: object = {}) => ({ type: 'object', properties });

let tools = [
  { name: 'wipe', description: 'Deletes all.', inputSchema: object(), annotations: { destructiveHint: true } },
  { name: 'look', description: 'Reads.', inputSchema: object(), annotations: { readOnlyHint: true } },
  { name: 'fail', description: 'Fails.', inputSchema: object() },
  { name: 'die', description: 'Ends the program.', inputSchema: object() },
  { name: 'hang', description: 'Never answers.', inputSchema: object(), annotations: { readOnlyHint: true } },
  { name: 'cancelled', description: 'Says which calls were cancelled.', inputSchema: object() },
  { name: 'ask back', description: 'Asks its client for things.', inputSchema: object() },
  { name: 'grow', description: 'Has another tool afterwards.', inputSchema: object() },
  { name: 'refuse', description: 'Answers with an error of the protocol that quotes TOKEN.', inputSchema: object() },
  { name: 'ask_back', description: `Hidden\u200b\u0007 ${'words '.repeat(500)}`, inputSchema: object() },
  ...Array.from({ length: Number(options.get('many') ?? 0) }, (_, index) => ({
    name: `tool-${index}`,
    description: `Does thing number ${index} for the ${index % 2 === 0 ? 'even' : 'odd'} ones. ${'More words. '.repeat(10)}`,
    inputSchema: object({ value: { type: 'string', description: 'What it is done to.' } }),
  })),
];

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const called = new Set<unknown>();
const cancelled: unknown[] = [];
const answers = new Map<string, (message: object) => void>();

function ask(id: string, method: string, params: object): Promise<object> {
  send({ id, method, params });
  return new Promise((resolve) => answers.set(id, resolve));
}

function grow(): void {
  tools = [...tools, { name: 'grown', description: 'New.', inputSchema: object() }];
  send({ method: 'notifications/tools/list_changed' });
}

async function call(id: number, name: string): Promise<void> {
  called.add(id);
  const text = (words: string, isError = false) =>
    send({ id, result: { content: [{ type: 'text', text: words }], isError } });
  if (name === 'fail') return void text(`The cheese is out of ${process.env['TOKEN'] ?? 'nothing'}.`, true);
  if (name === 'hang') return;
  if (name === 'cancelled') return void text(JSON.stringify(cancelled));
  if (name === 'refuse') {
    return void send({ id, error: { code: -32_000, message: `No entry with ${process.env['TOKEN'] ?? 'nothing'}.` } });
  }
  if (name === 'die') {
    process.stderr.write(`out of cheese with ${process.env['TOKEN'] ?? 'nothing'}\n`, () => process.exit(3));
    return;
  }
  if (name === 'ask back') {
    const sampling = ask('s1', 'sampling/createMessage', { messages: [], maxTokens: 1 });
    const elicitation = ask('e1', 'elicitation/create', { message: 'Your password?', requestedSchema: object() });
    return void text(JSON.stringify(await Promise.all([sampling, elicitation])));
  }
  if (name === 'grow') {
    grow();
    return void text('Grown.');
  }
  text(`${name}: done.`);
}

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly cursor?: string; readonly name?: string; readonly requestId?: unknown };
}

process.stdout.write('Welcome to the odd server!\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Incoming;
  if (method === undefined) answers.get(String(id))?.(JSON.parse(line) as object);
  else if (method === 'initialize') {
    const serverInfo = { name: 'odd', version: '1' };
    send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } }, serverInfo } });
  } else if (method === 'tools/list' && options.has('mute')) {
    // It never answers.
  } else if (method === 'tools/list') {
    const from = Number(params?.cursor ?? 0);
    const next = from + PAGE;
    const page = tools.slice(from, next);
    const more = next < tools.length ? { nextCursor: String(next) } : options.has('nulls') ? { nextCursor: null } : {};
    const unset = options.has('nulls') ? { title: null, description: null, annotations: null } : {};
    send({ id, result: { tools: page.map((tool) => ({ ...unset, ...tool })), ...more } });
    if (next >= tools.length) tools = tools.toReversed();
    if (next >= tools.length && options.delete('growing')) grow();
  } else if (method === 'tools/call') void call(Number(id), params?.name ?? '');
  else if (method === 'notifications/cancelled') {
    // Where this program is slow to start, the client gives up its first question, too.
    if (called.has(params?.requestId)) cancelled.push(params?.requestId);
  } else if (id !== undefined) send({ id, error: { code: -32_601, message: 'Method not found' } });
});
