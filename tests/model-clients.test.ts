import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import { requestTokens } from '#tests/support/openrouter-wire';

/*
 * Programs that speak to models, of exact versions, each in a conversation that is several times the window.
 * `npm run test:clients` installs them in `tests/clients`, without install scripts. They reach this machine only.
 */

interface Agent {
  readonly turns: number;
  readonly window: number;
  readonly ask: (
    place: { readonly baseUrl: string; readonly folder: string },
    prompts: readonly string[],
  ) => Promise<string>;
}

const load = (name: string) =>
  import(pathToFileURL(join(import.meta.dirname, 'clients', 'models', `${name}.ts`)).href) as Promise<unknown>;
const { stories } = (await load('sdks')) as { stories: Record<string, (baseUrl: string) => Promise<string>> };
const { agents, promptsOf } = (await load('agents')) as {
  agents: Record<string, Agent>;
  promptsOf: (agent: Agent) => string[];
};
const { TOOL } = (await load('conversation')) as { TOOL: string };

let server: CompletionsServer | null = null;
let folder = '';
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

/** A model that uses the tool of the story, if there is one, at every third turn, and talks otherwise. */
async function start(window: number): Promise<CompletionsServer> {
  let answers = 0;
  server = await startCompletionsServer({
    env: { CONTEXT_WINDOW: String(window) },
    respond: ({ messages, tools }): FakeResponse => {
      answers += 1;
      const last = messages.at(-1);
      const turn = Number(/.*Turn (\d+)\./s.exec(JSON.stringify(last?.content))?.[1] ?? 1);
      const mayCall = last?.role === 'user' && tools.some((tool) => tool.function.name === TOOL);
      if (mayCall && turn % 3 === 0)
        return { toolCalls: [{ id: `call_${answers}`, name: TOOL, input: { slug: 'home' } }] };
      return { text: `Answer ${answers}.${' thrown by hand'.repeat(100)}` };
    },
  });
  return server;
}

/** Nothing was over the window, and each round had one summary. */
function expectInOrder({ provider, summaries, steps, rounds }: CompletionsServer, window: number): void {
  const sizes = provider.requests.map(({ body }) => requestTokens(body));
  const figures = `${steps().length} requests, largest ${Math.max(...sizes)} of ${window} tokens, ${summaries().length} summaries in ${rounds()} rounds`;
  console.log(figures);
  expect(Math.max(...sizes), figures).toBeLessThan(window);
  expect(rounds(), figures).toBeGreaterThan(0);
  expect(summaries().length, figures).toBeLessThanOrEqual(rounds());
}

describe('a library with its defaults', () => {
  it.each(Object.keys(stories))('%s holds a conversation that is longer than the window', async (name) => {
    const running = await start(16_000);
    expect(await stories[name]!(running.baseUrl)).toContain('thrown by hand');
    expectInOrder(running, 16_000);
  });
});

describe('a coding agent', () => {
  it.each(Object.keys(agents))('%s holds a conversation that is longer than the window', async (name) => {
    const agent = agents[name]!;
    folder = mkdtempSync(join(tmpdir(), 'throughline-client-'));
    const running = await start(agent.window);
    const printed = await agent.ask({ baseUrl: running.baseUrl, folder }, promptsOf(agent));
    expect(printed).toContain('thrown by hand');
    expect(running.steps().length).toBeGreaterThanOrEqual(agent.turns);
    expectInOrder(running, agent.window);
  });
});
