import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { z } from 'zod';
import { parseEnv } from '#server/platform/config/env';
import { type Services, startServices } from '#server/services';
import { createOfflineModel } from '#server/models/offline/offline-model';
import { say } from '#tests/support/chat-client';
import { editingRequests } from '#tests/support/editing-requests';
import { startOpenRouterChat, summaryText, talkBefore } from '#tests/support/openrouter-chat';
import type { RecordedRequest } from '#tests/support/request-log';
import { respondWithModel } from '#tests/support/respond-with-model';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { finish, says, type ScriptedStep, toolCall } from '#tests/support/scripted-model';
import { startTestServices } from '#tests/support/test-services';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { decisionsOn } from '#tests/support/decisions';
import { isSummaryRequest } from '#tests/support/summary-requests';

const think = respondWithModel(createOfflineModel());
const origin = { actor: 'user' } as const;
const RULE = 'Never call the kiln an oven.';
/** A step in which the model proposes a rule; the call has its text as id. */
const propose = (text: string): ScriptedStep => [
  ...toolCall(text, 'remember_instruction', JSON.stringify({ kind: 'rule', text })),
  finish('tool-calls'),
];
const only = (...rules: string[]) => ({ voice: '', glossary: [], rules });

const systemText = ({ messages }: RecordedRequest) => JSON.stringify(messages.filter(({ role }) => role === 'system'));

describe('the standing instructions of a site', () => {
  it('are in every request of a session that is compacted three times, whole and once', async () => {
    await using chat = await startOpenRouterChat((request, index) =>
      isSummaryRequest(request) ? { text: summaryText } : think(request, index),
    );
    const { services, session } = chat;
    await services.builtIn.content.setStandingInstructions(
      { voice: 'Warm and plain.', glossary: [{ term: 'slip', meaning: 'liquid clay' }], rules: [RULE] },
      origin,
    );
    const compactions = async () => (await services.sessions.get(session.id)).compactionCount;
    const requests = editingRequests(60, 3).values();
    for (let round = 1; round <= 3; round += 1) {
      await talkBefore(chat, 7_000);
      while ((await compactions()) < round) await say(services, session.id, requests.next().value!.text);
    }

    const systems = chat.steps().map(systemText);
    expect(systems.length).toBeGreaterThan(6);
    for (const words of [RULE, 'Warm and plain.', '- slip: liquid clay']) {
      for (const system of systems) expect(system.split(words)).toHaveLength(2);
    }
    expect(new Set(systems).size).toBe(1);
    const [last] = chat.steps().slice(-1);
    const { instructions } = await services.context.nextRequest(await services.sessions.get(session.id));
    expect(last?.messages[0]?.content).toMatchObject([{ type: 'text', text: instructions.text }]);
  });

  it('count as instructions, and say in the next request what they are', async () => {
    await using services = await startTestServices();
    const session = await services.sessions.create({ ownerId: 'own_local' });
    const before = (await services.context.inspect(session)).usage.breakdown.instructions;
    await services.builtIn.content.setStandingInstructions(only(RULE), origin);
    const { tokens } = await services.builtIn.standing.report();
    expect(tokens).toBeGreaterThan(20);
    const after = (await services.context.inspect(session)).usage.breakdown.instructions;
    expect(after - before).toBeGreaterThanOrEqual(tokens);
    expect(after - before).toBeLessThanOrEqual(tokens * 1.5);
    const { instructions } = await services.context.nextRequest(session);
    expect(instructions.tokens).toBe(after);
    expect(instructions.text).toContain(`<standing-instructions>\nRules:\n- ${RULE}\n</standing-instructions>`);
  });

  it('hold from the next step on, also where a running turn changes them', async () => {
    const env = { TOOL_POLICIES: 'remember_instruction=always' };
    await using chat = await startScriptedChat([propose(RULE), says('Kept.')], env);
    await chat.say(`On this site: ${RULE}`);
    const [before, after] = chat.requests.map(({ prompt }) => JSON.stringify(prompt[0]));
    expect(before).not.toContain(`- ${RULE}`);
    expect(after).toContain(`- ${RULE}`);
  });

  it('are the same for two instances on one database, without a signal between them', async () => {
    await using one = await startTestServices();
    const other = await startServices(parseEnv({ DATABASE_URL: one.env.DATABASE_URL, LOG_LEVEL: 'silent' }));
    try {
      const session = await one.sessions.create({ ownerId: 'own_local' });
      const seenBy = async (services: Services) =>
        (await services.context.nextRequest(session)).instructions.text.includes(RULE);
      expect([await seenBy(one), await seenBy(other)]).toEqual([false, false]);
      await one.builtIn.content.setStandingInstructions(only(RULE), origin);
      expect([await seenBy(one), await seenBy(other)]).toEqual([true, true]);
      const [change] = await other.builtIn.content.changes({ targetId: 'standing-instructions', limit: 1 });
      await other.builtIn.content.undo(change?.id, origin);
      expect([await seenBy(one), await seenBy(other)]).toEqual([false, false]);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });
});

describe('remember_instruction', () => {
  it('asks with what it would keep, and keeps it only when the user agrees', async () => {
    await using chat = await startScriptedChat([propose(RULE), says('Kept.')]);
    await chat.say(`On this site: ${RULE}`);
    const [asked] = await chat.services.chat.pendingApprovals(chat.session.id);
    expect(asked).toMatchObject({
      status: 'pending',
      effect: { changes: [{ field: 'rules', kind: 'added', after: RULE }] },
    });
    expect((await chat.services.builtIn.content.standingInstructions()).rules).toEqual([]);
    const outcome = await chat.services.chat.decide(
      chat.session.id,
      await decisionsOn(chat.services.chat, chat.session.id, { toolCallId: RULE, approved: true }),
      scopesOfRole.editor,
    );
    expect(outcome).toBeDefined();
    await chat.services.chat.idle();
    expect((await chat.services.builtIn.content.standingInstructions()).rules).toEqual([RULE]);
    const [change] = await chat.services.builtIn.content.changes({ targetId: 'standing-instructions', limit: 1 });
    expect(change).toMatchObject({ summary: `Added the rule "${RULE}"`, origin: { actor: 'assistant' } });
  });

  it('shows before approval, and to the model, the share of each request if it is large', async () => {
    await using chat = await startScriptedChat([propose(RULE), says('Kept.')]);
    const {
      builtIn: { content },
      chat: turns,
    } = chat.services;
    await content.setStandingInstructions({ ...only(), voice: 'warm and plain '.repeat(250) }, origin);
    await chat.say(`On this site: ${RULE}`);
    const [asked] = await turns.pendingApprovals(chat.session.id);
    const cost = /take \d+ of at most 1,500 tokens, in every request/;
    expect(asked).toMatchObject({ effect: { warnings: [expect.stringMatching(cost)] } });
    await turns.decide(
      chat.session.id,
      await decisionsOn(turns, chat.session.id, { toolCallId: RULE, approved: true }),
      scopesOfRole.editor,
    );
    await turns.idle();
    expect(JSON.stringify(chat.requests.at(-1)?.prompt.at(-1))).toMatch(cost);
  });

  it('does not ask for an existing rule', async () => {
    await using chat = await startScriptedChat([propose('never call the kiln an oven'), says('It is there.')]);
    await chat.services.builtIn.content.setStandingInstructions(only(RULE), origin);
    const { message } = await chat.say(`On this site: ${RULE}`);
    expect(JSON.stringify(message.parts)).toContain('It was there already, so nobody was asked.');
    expect(await chat.services.builtIn.content.standingInstructions()).toMatchObject({ ...only(RULE), revision: 1 });
  });
});

describe('/api/content/standing-instructions and prepare', () => {
  let services: Services;

  beforeAll(async () => {
    services = await serve(startTestServices());
  });
  afterAll(stopServing);

  const STANDING = '/api/content/standing-instructions';
  const call = async (method: string, path: string, body?: object) => {
    const response = await callRoute(method, path, { body });
    return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
  };

  it('refuses outdated or too long instructions, and omits them for programs that have their own', async () => {
    const empty = { voice: '', glossary: [], rules: [], revision: 0, tokens: 0, maxTokens: 1_500 };
    expect(await call('GET', STANDING)).toEqual({ status: 200, body: empty });

    const written = await call('PUT', STANDING, { rules: [` ${RULE} `], ifRevision: 0 });
    expect(written).toMatchObject({
      status: 200,
      body: {
        standingInstructions: { rules: [RULE], revision: 1, tokens: expect.any(Number) },
        change: { targetType: 'standing-instructions', summary: `Added the rule "${RULE}"`, origin: { actor: 'api' } },
      },
    });

    const late = await call('PUT', STANDING, { rules: ['Never beg.'], ifRevision: 0 });
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    const long = await call('PUT', STANDING, { rules: [RULE], voice: 'many kind words, '.repeat(230) });
    expect(long.status).toBe(200);
    const glossary = Array.from({ length: 30 }, (_, n) => ({ term: `word ${n}`, meaning: 'a short text '.repeat(20) }));
    const tooLong = await call('PUT', STANDING, { glossary });
    expect(tooLong).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/at most 1,500/) } },
    });
    expect((await call('GET', STANDING)).body).toMatchObject({ rules: [RULE], glossary: [], revision: 2 });

    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    const messages = [
      { role: 'system', content: 'You write poems.' },
      { role: 'user', content: 'One about clay.' },
    ];
    const prepared = await call('POST', `/api/sessions/${id}/prepare`, { messages });
    expect(prepared.body['instructions']).toBe('You write poems.');
    // Neither instructions nor tools of this CMS are counted.
    expect(prepared.body['tokens']).toMatchObject({ final: expect.toSatisfy((tokens: number) => tokens < 50) });
  });
});
