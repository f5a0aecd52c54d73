import { afterEach, describe, expect, it, vi } from 'vitest';
import { scopesOfRole } from '#server/core/admin/access-rights';
import type { ThroughlineUIMessage } from '#server/conversation/step/ui-messages';
import { foldTurn, type ScriptedChat, startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { finish, hangingStep, type ScriptedStep, says, textBlock, toolCall } from '#tests/support/scripted-model';
import { decisionsOn } from '#tests/support/decisions';

const ASK = { TOOL_POLICIES: 'create_content=ask, update_content=off' };
const create = (id: string, title: string) => toolCall(id, 'create_content', JSON.stringify({ type: 'page', title }));
const asking: ScriptedStep = [...create('c1', 'About'), ...toolCall('c2', 'get_settings', '{}'), finish('tool-calls')];

async function titles({ services }: ScriptedChat): Promise<string[]> {
  return (await services.builtIn.content.query({ type: 'page' })).items.map(({ title }) => title);
}

async function answerOf({ services, session }: ScriptedChat): Promise<ThroughlineUIMessage> {
  return (await services.transcript(session.id))[1]!;
}

async function decide({ services, session }: ScriptedChat, approved: boolean, toolCallId = 'c1', reason?: string) {
  return services.chat.decide(
    session.id,
    await decisionsOn(services.chat, session.id, { toolCallId, approved, ...(reason !== undefined && { reason }) }),
    scopesOfRole.editor,
  );
}

const states = ({ parts }: ThroughlineUIMessage) => parts.flatMap((part) => ('toolCallId' in part ? [part.state] : []));

afterEach(() => vi.restoreAllMocks());

describe('a call that the user has to agree to', () => {
  it('is reported to those who mail about it only once the turn has ended in the store', async () => {
    const accounts = {
      AUTH_MODE: 'accounts',
      AUTH_SECRET: 'a secret of forty characters for the test',
      PUBLIC_URL: 'http://localhost',
    };
    await using chat = await startScriptedChat([asking], { ...ASK, ...accounts });
    const { turns, notifications } = chat.services;
    const finishTurn = turns.finish.bind(turns);
    const order: string[] = [];
    vi.spyOn(turns, 'finish').mockImplementation(async (id, end) => {
      const isStored = await finishTurn(id, end);
      order.push(end.status);
      return isStored;
    });
    vi.spyOn(notifications!, 'checkApprovals').mockImplementation(() => void order.push('reported'));
    await chat.say('Make an about page');
    await chat.services.chat.idle();
    expect(order).toEqual(['waiting_approval', 'reported']);
  });

  it('is named in the failure of a later call that may have needed it', async () => {
    const both: ScriptedStep = [
      ...create('c1', 'About'),
      ...toolCall('c2', 'get_content', '{"ref":"About"}'),
      finish('tool-calls'),
    ];
    await using chat = await startScriptedChat([both, says('Done.')], ASK);
    await chat.say('Make an about page');
    await decide(chat, true);
    await chat.services.chat.idle();
    const results = (await chat.messages()).flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-result'));
    expect(JSON.stringify(results)).toContain('This call ran before the ones in front of it that need approval.');
  });

  it('can be decided as soon as the chat is asked', async () => {
    await using chat = await startScriptedChat([asking, says('Done.')], ASK);
    const outcome = await chat.send('Make an about page');
    if (outcome.kind !== 'started') throw new Error('It was queued.');
    const decided: unknown[] = [];
    for await (const { type } of outcome.stream) {
      if (type === 'tool-approval-request') decided.push(await decide(chat, true));
    }
    await chat.services.chat.idle();
    expect(decided).toEqual([{ pending: 0, resumed: true }]);
    expect(await titles(chat)).toEqual(['About']);
  });

  it('runs without a field that its tool took when the user was asked, and no longer takes', async () => {
    await using chat = await startScriptedChat([asking, says('Done.')], ASK);
    await chat.say('Make an about page');
    const { turns } = chat.services;
    const approvals = turns.approvals.bind(turns);
    vi.spyOn(turns, 'approvals').mockImplementationOnce(async (...args) =>
      (await approvals(...args)).map((one) => ({
        ...one,
        // Such a call was stored by an older version, without a digest.
        effect: one.effect && { ...one.effect, digest: undefined },
        input: { ...(one.input as object), status: 'draft', seo: { title: 'Us', robots: 'all' } },
      })),
    );
    await decide(chat, true);
    await chat.services.chat.idle();
    expect(await titles(chat)).toEqual(['About']);
  });

  it('is not run when the user stops the turn that is about to go on with it', async () => {
    await using chat = await startScriptedChat([asking, says('Done.')], ASK);
    await chat.say('Make an about page');
    const { turns, chat: service } = chat.services;
    const approvals = turns.approvals.bind(turns);
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    vi.spyOn(turns, 'approvals').mockImplementationOnce(async (...args) => {
      reached.resolve();
      await go.promise;
      return approvals(...args);
    });
    const decided = decide(chat, true);
    await reached.promise;
    const cancelled = service.cancel(chat.session.id);
    const { id } = (await turns.running(chat.session.id))!;
    await vi.waitFor(async () => expect((await turns.find(id))?.cancelRequestedAt).not.toBeNull());
    go.resolve();
    await Promise.all([decided, cancelled, service.idle()]);
    expect(await titles(chat)).toEqual([]);
    expect(await turns.find(id)).toMatchObject({ status: 'cancelled' });
    expect(chat.requests).toHaveLength(1);
  });

  it('keeps its turn when it resumes before the end of its first half is reported', async () => {
    const hanging = hangingStep(...textBlock('t', 'Made').slice(0, 2));
    await using chat = await startScriptedChat([asking, hanging.step], ASK);
    const { turns } = chat.services;
    const hasQueue = turns.hasQueue.bind(turns);
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    vi.spyOn(turns, 'hasQueue').mockImplementationOnce(async (...args) => {
      reached.resolve();
      await go.promise;
      return hasQueue(...args);
    });
    const said = chat.say('Make an about page');
    await reached.promise;
    await decide(chat, true);
    await hanging.said;
    go.resolve();
    await said;
    await chat.services.chat.close({ limitMs: 0 });
    const [user] = await chat.messages();
    expect(await turns.find(user!.turnId!)).toMatchObject({ status: 'interrupted' });
  });

  it('keeps its approval id when it was denied, in the stream and in the stored transcript', async () => {
    await using chat = await startScriptedChat([asking, says('Left as it is.')], ASK);
    await chat.say('Make an about page');
    const [pending] = await chat.services.chat.pendingApprovals(chat.session.id);
    await decide(chat, false, 'c1', 'Not now.');
    const { message } = await foldTurn((await chat.services.chat.follow(chat.session.id))!);
    await chat.services.chat.idle();
    const approvals = ({ parts }: ThroughlineUIMessage) =>
      parts.flatMap((part) => ('approval' in part ? [part.approval] : []));
    const expected = [{ id: pending!.approvalId, approved: false, reason: 'Not now.' }];
    expect(approvals(message)).toEqual(expected);
    expect(approvals(await answerOf(chat))).toEqual(expected);
  });

  it('runs as stored once the user approves, and the turn continues', async () => {
    await using chat = await startScriptedChat([asking, says('Done.')], ASK);
    const { message: before } = await chat.say('Make an about page');
    expect(await decide(chat, true)).toEqual({ pending: 0, resumed: true });
    const { message } = await foldTurn((await chat.services.chat.follow(chat.session.id))!);
    await chat.services.chat.idle();

    expect(await titles(chat)).toEqual(['About']);
    const stored = await chat.messages();
    expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(stored[2]?.parts.map(({ content }) => content)).toMatchObject([{ toolCallId: 'c2' }, { toolCallId: 'c1' }]);
    expect(new Set(stored.map(({ turnId }) => turnId)).size).toBe(1);
    expect(await chat.services.turns.find(stored[0]!.turnId!)).toMatchObject({ status: 'completed' });
    const told = chat.requests[1]?.prompt.at(-1);
    expect(told?.content).toMatchObject([
      { toolCallId: 'c1', output: { type: 'json' } },
      { toolCallId: 'c2', output: { type: 'json' } },
    ]);
    expect(message.id).toBe(before.id);
    expect(states(message)).toEqual(['output-available', 'output-available']);
    expect(visibleParts(await answerOf(chat))).toEqual(visibleParts(message));
  });
});

describe('a tool that is switched off', () => {
  it('is not offered, and a call of it is refused', async () => {
    const call = toolCall('c1', 'update_content', '{"ref":"home","title":"New"}');
    await using chat = await startScriptedChat([[...call, finish('tool-calls')], says('I cannot.')], ASK);
    await chat.say('Rename it');
    expect(chat.requests[0]?.tools?.map(({ name }) => name)).not.toContain('update_content');
    expect(chat.requests[1]?.prompt.at(-1)?.content).toMatchObject([{ output: { type: 'error-text' } }]);
  });
});
