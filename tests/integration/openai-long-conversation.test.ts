import OpenAI from 'openai';
import { afterEach, expect, it } from 'vitest';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';
import { requestTokens } from '#tests/support/openrouter-wire';

const WINDOW = 16_000;
const TURNS = 60;
const FIRST_REQUEST =
  'Build the site of the pottery "Kiln & Clay": seven pages, British spelling, never the colour blue.';

let server: CompletionsServer | null = null;

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
});

/** A model that reads something at every third request of the user, and talks about the others. */
async function startTalkative(): Promise<CompletionsServer> {
  let calls = 0;
  server = await startCompletionsServer({
    respond: ({ messages }) => {
      const last = messages.at(-1);
      const turn = Number(/^Turn (\d+)/.exec(String(last?.content))?.[1] ?? 0);
      if (last?.role !== 'user' || turn % 3 !== 0) return { text: words(`Answer ${calls}`, 350) };
      const ids = [`call_${(calls += 1)}`, `call_${(calls += 1)}`];
      return {
        text: 'I look.',
        toolCalls: ids.map((id) => ({ id, name: 'read_page', input: { slug: `page-${id}` } })),
      };
    },
  });
  return server;
}

const userSays = (turn: number) =>
  turn === 0 ? FIRST_REQUEST : `Turn ${turn}: ${words(`the details of request ${turn}`, 60)}`;

/** What its tool gives back; once far more than the window takes. */
const resultOf = (turn: number, id: string) => words(`Page of ${id}`, turn === 30 ? 40_000 : 500);

function words(about: string, tokens: number): string {
  return `${about}.${' glaze'.repeat(tokens)}`;
}

/** What holds for every conversation of this kind, with any client. */
function expectInOrder({ steps, summaries }: CompletionsServer, rounds: number): void {
  const sizes = steps().map(({ body }) => requestTokens(body));
  expect(Math.max(...sizes)).toBeLessThan(WINDOW);
  expect(rounds).toBeGreaterThanOrEqual(3);
  expect(summaries().length).toBeLessThanOrEqual(rounds);
  const last = JSON.stringify(steps().at(-1)?.messages);
  expect(last).toContain(JSON.stringify(FIRST_REQUEST).slice(1, -1));
  const cut = steps().find(({ messages }) => messages.some(({ content }) => /left out/.test(String(content))));
  expect(cut).toBeDefined();
}

it('60 turns of the official client, repeatedly past a window of 16,000 tokens, never fail', async () => {
  const { openai, steps } = await startTalkative();
  const tools = [{ type: 'function' as const, function: { name: 'read_page', parameters: { type: 'object' } } }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'You build websites.' }];
  let rounds = 0;
  let isKept = false;
  const ask = async () => {
    const request = { model: 'openai/gpt-4o', messages, tools, stream: true } as const;
    const { data, response } = await openai.chat.completions.create(request).withResponse();
    const header = (name: string) => response.headers.get(`x-throughline-${name}`);
    expect(header('window')).toBe(String(WINDOW));
    expect(Number(header('tokens'))).toBeLessThan(WINDOW);
    rounds = Math.max(rounds, Number(header('round')));
    isKept ||= header('summary') === 'kept';
    const said = await foldStream(data);
    messages.push(said);
    return said;
  };
  for (let turn = 0; turn < TURNS; turn += 1) {
    messages.push({ role: 'user', content: userSays(turn) });
    const answer = await ask();
    if (!answer.tool_calls) continue;
    for (const { id } of answer.tool_calls) {
      messages.push({ role: 'tool', tool_call_id: id, content: resultOf(turn, id) });
    }
    expect((await ask()).tool_calls).toBeUndefined();
  }
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(TURNS);
  expect(requestTokens({ model: 'x', messages: messages as never })).toBeGreaterThan(3 * WINDOW);
  expect(steps()).toHaveLength(TURNS + TURNS / 3);
  expect(isKept).toBe(true);
  expectInOrder(server!, rounds);
});

/** What a stream says as the message that it is. */
async function foldStream(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
): Promise<
  OpenAI.ChatCompletionAssistantMessageParam & { tool_calls?: OpenAI.ChatCompletionMessageFunctionToolCall[] }
> {
  let content = '';
  const calls: OpenAI.ChatCompletionMessageFunctionToolCall[] = [];
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta;
    content += delta?.content ?? '';
    for (const { index, id = '', function: called } of delta?.tool_calls ?? []) {
      calls[index] ??= { id, type: 'function', function: { name: called?.name ?? '', arguments: '' } };
      calls[index].function.arguments += called?.arguments ?? '';
    }
  }
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
}
