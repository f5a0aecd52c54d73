import { afterEach, describe, expect, it } from 'vitest';
import type OpenAI from 'openai';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';
import { requestTokens } from '#tests/support/openrouter-wire';

const WINDOW = 16_000;

let server: CompletionsServer;

afterEach(() => server[Symbol.asyncDispose]());

/** A conversation of about so many tokens that a program has had. */
function talk(tokens: number, about = 'clay'): OpenAI.ChatCompletionMessageParam[] {
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  for (let turn = 0; requestTokens({ model: 'x', messages: messages as never }) < tokens; turn += 1) {
    messages.push({ role: 'user', content: `Request ${turn} about ${about}.${' glaze'.repeat(40)}` });
    messages.push({ role: 'assistant', content: `Answer ${turn}.${' kiln'.repeat(200)}` });
  }
  return [...messages, { role: 'user', content: 'And now?' }];
}

/** Asks with a conversation that takes this share of the window; the headers of the answer. */
async function askAt(share: number, model = 'openai/gpt-4o'): Promise<Headers> {
  const request = { model, messages: talk(WINDOW * share, model) };
  const { response } = await server.openai.chat.completions.create(request).withResponse();
  return response.headers;
}

describe('the rules of a provider for other programs', () => {
  it('a conversation of /v1 is compacted at the chosen share, of other providers at 80 %', async () => {
    server = await startCompletionsServer({
      respond: () => ({ text: 'Done.' }),
      env: { CONTEXT_MODEL_WINDOWS: 'local/chat=16000' },
    });
    await server.services.settings.update({ programCompaction: { openrouter: { compactAt: 0.5 } } });
    expect((await askAt(0.45)).get('x-throughline-summary')).toBe('none');
    const compacted = await askAt(0.6);
    expect(compacted.get('x-throughline-summary')).toBe('new');
    expect(Number(compacted.get('x-throughline-tokens'))).toBeLessThan(WINDOW * 0.5);
    expect((await askAt(0.6, 'local/chat')).get('x-throughline-summary')).toBe('none');
  });

  it('a conversation of /v1 is compacted with the chosen strategy', async () => {
    server = await startCompletionsServer({ respond: () => ({ text: 'Done.' }) });
    await server.services.settings.update({
      programCompaction: { openrouter: { strategy: 'middle-removal', compactAt: 0.6 } },
    });
    await askAt(0.7);
    await expect.poll(() => server.services.completions.compactions()).toMatchObject([{ strategy: 'middle-removal' }]);
    expect(server.summaries()).toEqual([]);
  });

  it('the pruning agent of a provider chooses what a conversation of /v1 keeps', async () => {
    server = await startCompletionsServer({ respond: () => ({ text: 'Done.' }) });
    const agent = 'anthropic/claude-3.5-sonnet';
    const rules = { strategy: 'pruning-agent', compactAt: 0.6, pruningAgentModel: agent };
    await server.services.settings.update({ programCompaction: { openrouter: rules } });
    await askAt(0.7);
    expect(server.summaries()[0]?.body.model).toBe(agent);
    expect(JSON.stringify(server.summaries()[0]?.messages)).toContain('prunedConversation');
  });

  it('an answer of /v1 is cut and continued at the chosen share', async () => {
    let answers = 0;
    server = await startCompletionsServer({
      respond: () => ({ text: (answers += 1) === 1 ? ' clay'.repeat(6_000) : 'The end.' }),
    });
    await server.services.settings.update({ programCompaction: { openrouter: { compactAt: 0.3, endAt: 0.5 } } });
    const request = { model: 'openai/gpt-4o', messages: talk(WINDOW * 0.2), stream: true } as const;
    let text = '';
    for await (const { choices } of await server.openai.chat.completions.create(request))
      text += choices[0]?.delta.content ?? '';
    expect(text.endsWith('The end.')).toBe(true);
    // 50 % of the window without the request.
    expect(text.split(' clay').length - 1).toBeLessThan(5_200);
    expect(server.steps()).toHaveLength(2);
  });

  it.each([
    ['a threshold not below the end of a step', { openai: { compactAt: 0.7, endAt: 0.7 } }],
    ['a threshold too near to the default end of a step', { openai: { endAt: 0.84 } }],
    ['a threshold out of range', { openai: { compactAt: 0.9, endAt: 0.98 } }],
    ['an unknown strategy', { openai: { strategy: 'forget' } }],
    ['an unknown provider', { nobody: { strategy: 'ledger' } }],
    ['an unknown rule', { openai: { keep: 3 } }],
    ['a pruning agent that no provider serves', { openai: { pruningAgentModel: 'nobody' } }],
  ])('refuses %s, and changes nothing', async (_, programCompaction) => {
    server = await startCompletionsServer({ respond: () => ({ text: 'Done.' }) });
    await expect(server.services.settings.update({ programCompaction })).rejects.toThrow('programCompaction');
    expect(server.services.settings.report().values.programCompaction).toEqual({});
  });

  it('accepts an early end of steps for a strategy without a threshold', async () => {
    server = await startCompletionsServer({ respond: () => ({ text: 'Done.' }) });
    const programCompaction = { openai: { strategy: 'reactive-overflow', endAt: 0.7 } };
    await server.services.settings.update({ programCompaction });
    expect(server.services.settings.report().values.programCompaction).toEqual(programCompaction);
  });

  it('a message that the rules leave no tokens for is refused by prepare, and not stored', async () => {
    server = await startCompletionsServer({ respond: () => ({ text: 'Done.' }) });
    const { services } = server;
    await services.settings.update({ programCompaction: { openrouter: { compactAt: 0.4, endAt: 0.5 } } });
    const session = await services.sessions.create({ ownerId: 'own_local' });
    const messages = [{ role: 'user', content: ' clay'.repeat(9_000) }];
    await expect(services.context.prepare(session, messages, { modelId: 'openai/gpt-4o' })).rejects.toThrow();
    expect((await services.context.inspect(session)).messages).toEqual([]);
  });
});
