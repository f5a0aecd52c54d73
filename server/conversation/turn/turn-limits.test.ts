import { afterEach, describe, expect, it, vi } from 'vitest';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { findTool } from '#server/tools/index';
import { startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { finish, hangingStep, heldStep, says, textBlock, toolCall } from '#tests/support/scripted-model';
import { startTestServices } from '#tests/support/test-services';
import { holdTimers } from '#tests/support/held-timers';

const getSettings = toolCall('c1', 'get_settings', '{}');
const half = () => hangingStep(...textBlock('t', 'Half of').slice(0, 2));

afterEach(() => vi.restoreAllMocks());

const LIMIT_MS = 120_000;
// A length that no other timer of the process has.
const GRACE_MS = 25_000;
const LIMITS = { TURN_TIME_LIMIT_MS: String(LIMIT_MS), TURN_GRACE_PERIOD_MS: String(GRACE_MS) };
const STOPPED = 'Stopped after 2 minutes. Say "continue" to go on.';

describe('a turn that exceeds its time', () => {
  it('in the middle of an answer keeps it and lists what was done', async () => {
    const timers = holdTimers(LIMIT_MS);
    const hanging = half();
    await using chat = await startScriptedChat([hanging.step, says('Half is done.'), says('Back.')], LIMITS);
    const said = chat.say('Tell me a story');
    await hanging.said;
    await vi.waitFor(async () => expect(await chat.messages()).toHaveLength(2));
    await timers.runOut(LIMIT_MS);
    const { message, errors } = await said;
    expect(errors).toEqual([STOPPED]);
    expect(message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual([
      'Half of',
      'Half is done.',
    ]);
    expect(chat.requests[1]?.toolChoice).toEqual({ type: 'none' });
    expect(JSON.stringify(chat.requests[1]?.prompt.at(-1))).toContain('2 minutes are used up');
    expect(visibleParts((await chat.services.transcript(chat.session.id))[1]!)).toEqual(visibleParts(message));
    expect((await chat.say('continue')).errors).toEqual([]);
  });

  it('in the middle of a tool answers its call', async () => {
    const timers = holdTimers(LIMIT_MS);
    const started = Promise.withResolvers<void>();
    vi.spyOn(findTool('get_settings')!, 'execute').mockImplementation(() => {
      started.resolve();
      return new Promise(() => undefined);
    });
    await using chat = await startScriptedChat([[...getSettings, finish('tool-calls')], says('Nothing done.')], LIMITS);
    const said = chat.say('Go');
    await started.promise;
    await timers.runOut(LIMIT_MS);
    expect((await said).message.parts).toMatchObject([
      {},
      { state: 'output-error', errorText: expect.stringContaining('2 minutes was used up') as string },
      {},
      { text: 'Nothing done.' },
    ]);
  });

  it('has only the grace period for its last words, and runs no call of theirs', async () => {
    const timers = holdTimers(LIMIT_MS, GRACE_MS);
    const first = half();
    const chatty = hangingStep(...textBlock('t', 'Well,').slice(0, 2), ...toolCall('c2', 'get_settings', '{}'));
    const execute = vi.spyOn(findTool('get_settings')!, 'execute');
    await using chat = await startScriptedChat([first.step, chatty.step], LIMITS);
    const said = chat.say('Go');
    await first.said;
    await timers.runOut(LIMIT_MS);
    await chatty.said;
    await vi.waitFor(async () => expect((await chat.messages()).at(-1)?.role).toBe('assistant'));
    await timers.runOut(GRACE_MS);
    const { message, errors } = await said;
    expect(errors).toEqual([STOPPED]);
    expect(execute).not.toHaveBeenCalled();
    expect(message.parts.at(-1)).toMatchObject({ type: 'text', text: 'Well,' });
    expect(await chat.services.turns.running(chat.session.id)).toBeNull();
    expect(visibleParts((await chat.services.transcript(chat.session.id))[1]!)).toEqual(visibleParts(message));
  });

  it('ends normally if even the last words fail', async () => {
    const timers = holdTimers(LIMIT_MS);
    const hanging = half();
    await using chat = await startScriptedChat([hanging.step, new Error('Gone.')], LIMITS);
    const said = chat.say('Go');
    await hanging.said;
    await timers.runOut(LIMIT_MS);
    expect((await said).errors).toEqual([STOPPED]);
  });

  it('stores the error in the answer when the last words fail for an internal reason', async () => {
    const timers = holdTimers(LIMIT_MS);
    const hanging = half();
    await using chat = await startScriptedChat([hanging.step], LIMITS);
    const said = chat.say('Go');
    await hanging.said;
    await vi.waitFor(async () => expect(await chat.messages()).toHaveLength(2));
    vi.spyOn(chat.services.messages, 'loadView').mockRejectedValue(new Error('A detail that no user may read'));
    vi.spyOn(chat.services.log, 'error').mockReturnValue();
    await timers.runOut(LIMIT_MS);
    const { message, errors } = await said;
    expect(errors).toEqual([expect.stringContaining('failed for an internal reason')]);
    expect(message.metadata?.status).toBe('failed');
    expect((await chat.messages()).at(-1)).toMatchObject({ role: 'assistant', status: 'failed', error: errors[0] });
  });
});

describe('a server that stops', () => {
  it('keeps what it has when its time is over; the next server continues with the queue', async () => {
    const hanging = hangingStep(...textBlock('t', 'Half of').slice(0, 2), ...getSettings);
    await using chat = await startScriptedChat([hanging.step]);
    const { services, session } = chat;
    await chat.send('Go');
    await hanging.said;
    await services.chat.enqueue({
      session,
      texts: ['list the pages'],
      modelId: null,
      scopes: scopesOfRole.admin,
      clientRequestId: null,
    });
    await services.sessions.update(session.id, { modelId: 'throughline/offline' });
    await vi.waitFor(async () => expect((await chat.messages())[1]?.parts).toHaveLength(2));
    await services.chat.close({ limitMs: 0 });
    const [, answer, results] = await chat.messages();
    expect(answer).toMatchObject({ status: 'interrupted', finishReason: 'interrupted' });
    expect(results?.parts).toMatchObject([
      { content: { output: { value: expect.stringContaining('the server stopped') as string } } },
    ]);
    expect((await services.chat.queue(session.id)).items).toHaveLength(1);
    expect(await services.turns.running(session.id)).toBeNull();

    await using next = await startTestServices({ DATABASE_URL: services.env.DATABASE_URL });
    await next.chat.idle();
    expect((await chat.messages()).at(-1)).toMatchObject({ role: 'assistant', status: 'complete' });
  });
});

describe('a lease', () => {
  it('that ran out while the process was blocked is renewed if the turn was not taken', async () => {
    const held = heldStep(...textBlock('t', 'All of it'));
    await using chat = await startScriptedChat([held.step]);
    await chat.send('Go');
    await held.said;
    const { turns } = chat.services;
    const turn = (await turns.running(chat.session.id))!;
    await turns.renew([turn.id], { leaseOwner: turn.leaseOwner, leaseMs: -10_000 });
    await vi.waitFor(async () => expect((await turns.find(turn.id))?.leaseExpiresAt).toBeGreaterThan(Date.now()));
    held.end();
    await chat.services.chat.idle();
    expect(await turns.find(turn.id)).toMatchObject({ status: 'completed' });
  });
});
