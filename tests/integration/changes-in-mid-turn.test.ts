import { describe, expect, it } from 'vitest';
import type { ContextUsage } from '#server/core/conversation/events';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { withTokens } from '#server/context/part-tokens';
import { text } from '#tests/support/arbitrary-history';
import { lmStudioRow, startFakeModelServer } from '#tests/support/fake-model-server';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { type ScriptedStep, finish, says, scriptedModel, toolCall } from '#tests/support/scripted-model';
import { startTestServices } from '#tests/support/test-services';

describe('changes during a turn', () => {
  it('counts from the next step: a setting', async () => {
    const [asked, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first: ScriptedStep = async (write) => {
      asked.resolve();
      await changed.promise;
      toolCall('c1', 'list_content', '{"type":"page"}').forEach(write);
      write(finish('tool-calls'));
    };
    await using chat = await startScriptedChat([first, says('Done.')]);
    const turn = chat.say('List the pages');
    await asked.promise;
    await chat.services.settings.update({ modelWindowOverrides: { 'test/scripted': 6_000 } });
    changed.resolve();
    const { chunks } = await turn;
    const windows = chunks.flatMap((chunk) =>
      chunk.type === 'data-context' ? (chunk.data as ContextUsage).contextWindow : [],
    );
    expect(windows.at(-1)).toBe(6_000);
    // What a step may say is what its window leaves.
    const [before, after] = chat.requests.map(({ maxOutputTokens }) => maxOutputTokens);
    expect(before).toBeGreaterThan(6_000);
    expect(after).toBeLessThan(6_000);
  });

  it('counts from the next step: what was learned of how the model counts', async () => {
    // Each report says about twice what we count; after five of them it is believed.
    const steps = Array.from({ length: 6 }, (_, index): ScriptedStep => async (write, { prompt, tools }) => {
      const counted = Math.ceil(JSON.stringify([prompt, tools]).length / 2);
      toolCall(`c${index}`, 'list_content', '{"type":"page"}').forEach(write);
      write(finish('tool-calls', { input: counted, output: 20 }));
    });
    await using chat = await startScriptedChat([...steps, says('Done.')], { CONTEXT_WINDOW: '64000' });
    const { chunks } = await chat.say('List the pages');
    const fixed = chunks.flatMap((chunk) =>
      chunk.type === 'data-context' ? (chunk.data as ContextUsage).breakdown.tools : [],
    );
    expect(fixed.length).toBeGreaterThan(6);
    expect(fixed.at(-2)).not.toBe(fixed[0]);
  });
});

describe('a window that the local server has changed', () => {
  const loaded = (length: number) => ({
    json: { data: [lmStudioRow('llama', { state: 'loaded', loaded_context_length: length })] },
  });
  const OVERFLOW = new Error('prompt is too long: 9500 tokens > 8000 maximum');

  async function startLocalChat(steps: readonly ScriptedStep[]) {
    const server = await startFakeModelServer({ 'GET /api/v0/models': loaded(32_000) });
    const { model, requests } = scriptedModel(...steps);
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
    const services = await startTestServices(env, { models: { 'local/llama': model } });
    await services.models.refresh(true);
    const session = await services.sessions.create({ ownerId: 'own_local', modelId: 'local/llama' });
    const talk = Array.from({ length: 12 }, (_, index) => [
      { role: 'user' as const, parts: [withTokens(text(`Request ${index}`))] },
      { role: 'assistant' as const, parts: [withTokens(text(`Answer ${index} ${'talk '.repeat(500)}`))] },
    ]);
    await services.messages.appendMany(session.id, talk.flat());
    return {
      server,
      services,
      requests,
      async say(said: string) {
        const order = { session, texts: [said], modelId: null, scopes: scopesOfRole.admin, clientRequestId: null };
        const outcome = await services.chat.send(order);
        if (outcome.kind === 'started') for await (const _ of outcome.stream);
        return (await services.messages.list(session.id, { limit: 100 })).items.at(-1);
      },
      async [Symbol.asyncDispose]() {
        await services[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  it('is asked for when a request was refused, and holds for its repetition', async () => {
    await using chat = await startLocalChat([OVERFLOW, says('Now it fits.')]);
    const first = chat.requests.length;
    chat.server.routes['GET /api/v0/models'] = loaded(8_000);
    const answer = await chat.say('Hello');
    expect(answer?.parts).toMatchObject([{ type: 'text', content: { text: 'Now it fits.' } }]);
    const [refused, repeated] = chat.requests.slice(first);
    expect(refused?.maxOutputTokens).toBeGreaterThan(4_000);
    expect(repeated?.maxOutputTokens).toBeLessThan(8_000);
    expect(chat.services.models.limits('local/llama').contextWindow).toBe(8_000);
    expect(JSON.stringify(repeated?.prompt).length).toBeLessThan(JSON.stringify(refused?.prompt).length / 2);
  });

  it('is waited for a short time only', async () => {
    await using chat = await startLocalChat([OVERFLOW, says('It fits all the same.')]);
    for (const route of ['GET /api/v0/models', 'GET /props', 'GET /api/tags', 'GET /v1/models']) {
      chat.server.routes[route] = { hang: true };
    }
    const answer = await chat.say('Hello');
    expect(answer?.parts).toMatchObject([{ type: 'text', content: { text: 'It fits all the same.' } }]);
  });
});
