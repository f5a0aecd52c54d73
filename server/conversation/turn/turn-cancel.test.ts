import { afterEach, describe, expect, it, vi } from 'vitest';
import { findTool } from '#server/tools/index';
import type { ToolContext } from '#server/tools/tool';
import { foldTurn, type ScriptedChat, startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { holdTimers } from '#tests/support/held-timers';
import { finish, hangingStep, says, textBlock, toolCall } from '#tests/support/scripted-model';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

const half = () => hangingStep(...textBlock('t', 'Half of').slice(0, 2));
const STOPPED = '[The user stopped this answer here.]';

/** A tool that runs until the test lets it go; it does not listen to its signal. */
function holdTool(name: string) {
  const started = Promise.withResolvers<ToolContext>();
  const result = Promise.withResolvers<null>();
  vi.spyOn(findTool(name)!, 'execute').mockImplementation((_, context) => {
    started.resolve(context);
    return result.promise;
  });
  return { started: started.promise, release: () => result.resolve(null) };
}

afterEach(() => vi.restoreAllMocks());

function cancel({ services, session }: ScriptedChat) {
  return services.chat.cancel(session.id);
}

/** The newest turn in the store. */
async function newestTurn(chat: ScriptedChat) {
  const turnId = (await chat.messages()).findLast((message) => message.turnId !== null)?.turnId;
  return chat.services.turns.find(turnId!);
}

describe('cancelling', () => {
  it('lets go of a tool that reads, starts no other, and answers their calls', async () => {
    const tool = holdTool('get_settings');
    const create = vi.spyOn(findTool('create_content')!, 'execute');
    const calls = [
      ...toolCall('c1', 'get_settings', '{}'),
      ...toolCall('c2', 'create_content', '{"type":"page","title":"Never"}'),
    ];
    await using chat = await startScriptedChat([[...calls, finish('tool-calls')], says('On we go.')]);
    const outcome = await chat.send('Go');
    const folded = outcome.kind === 'started' ? foldTurn(outcome.stream) : null;
    const { signal } = await tool.started;
    expect(await cancel(chat)).toEqual({ cancelled: true, persisted: 'tools_in_progress' });
    expect(signal.aborted).toBe(true);
    expect(create).not.toHaveBeenCalled();

    const [, answer, results, end] = await chat.messages();
    expect(answer?.parts).toMatchObject([{ state: 'error' }, { state: 'error' }]);
    expect(results?.parts).toMatchObject(
      ['c1', 'c2'].map((toolCallId) => ({
        state: 'error',
        content: { toolCallId, output: { type: 'error-text', value: 'Cancelled by the user.' } },
      })),
    );
    expect(end).toMatchObject({ role: 'assistant', parts: [], finishReason: 'cancelled' });
    const { message } = (await folded)!;
    expect(visibleParts((await chat.services.transcript(chat.session.id))[1]!)).toEqual(visibleParts(message));
    await chat.say('Go on');
    expect(chat.requests[1]?.prompt.slice(-2)).toMatchObject([
      { role: 'assistant', content: [{ text: STOPPED }] },
      { role: 'user' },
    ]);
    expect(findSequenceProblems(chat.requests[1]?.prompt ?? [])).toEqual([]);
  });

  it('lets a tool that writes finish, and answers when it has', async () => {
    const tool = holdTool('create_content');
    const calls = [
      ...toolCall('c1', 'create_content', '{"type":"page","title":"Home"}'),
      ...toolCall('c2', 'get_settings', '{}'),
    ];
    await using chat = await startScriptedChat([[...calls, finish('tool-calls')]]);
    await chat.send('Go');
    const { signal } = await tool.started;
    const cancelled = cancel(chat);
    await vi.waitFor(async () =>
      expect((await chat.services.turns.running(chat.session.id))?.cancelRequestedAt).not.toBeNull(),
    );
    expect(signal.aborted).toBe(false);
    tool.release();
    expect(await cancelled).toEqual({ cancelled: true, persisted: 'tools_in_progress' });
    expect((await chat.messages())[2]?.parts).toMatchObject([
      { content: { toolCallId: 'c1', output: { type: 'json', value: null } } },
      { content: { toolCallId: 'c2', output: { value: 'Cancelled by the user.' } } },
    ]);
    expect(chat.requests).toHaveLength(1);
  });

  it('reports that the turn has not ended in time', async () => {
    const timers = holdTimers(10_000);
    const tool = holdTool('create_content');
    const calls = toolCall('c1', 'create_content', '{"type":"page","title":"Home"}');
    await using chat = await startScriptedChat([[...calls, finish('tool-calls')]]);
    await chat.send('Go');
    await tool.started;
    const cancelled = cancel(chat);
    await timers.runOut(10_000);
    expect(await cancelled).toEqual({ cancelled: false, persisted: 'tools_in_progress' });
    tool.release();
    await chat.services.chat.idle();
    expect(await cancel(chat)).toEqual({ cancelled: true, persisted: null });
  });

  it('ends as cancelled even if the call would have ended the turn', async () => {
    const tool = holdTool('ask_user');
    const ask = toolCall('c1', 'ask_user', '{"question":"Which page?"}');
    await using chat = await startScriptedChat([[...ask, finish('tool-calls')]]);
    await chat.send('Go');
    await tool.started;
    await cancel(chat);
    expect(await newestTurn(chat)).toMatchObject({ status: 'cancelled' });
    expect((await chat.messages()).at(-1)).toMatchObject({ finishReason: 'cancelled' });
  });

  it.each(['just before', 'while'])('%s a call asks the user refuses it: nothing waits', async (moment) => {
    const calls = [
      ...toolCall('c1', 'create_content', '{"type":"page","title":"Never"}'),
      ...toolCall('c2', 'get_settings', '{}'),
    ];
    await using chat = await startScriptedChat([[...calls, finish('tool-calls')], says('On we go.')], {
      TOOL_POLICIES: 'create_content=ask',
    });
    const { turns, messages } = chat.services;
    const requests: Promise<unknown>[] = [];
    if (moment === 'while') {
      const finishTurn = turns.finish.bind(turns);
      // As another process does it.
      vi.spyOn(turns, 'finish').mockImplementationOnce(async (...args) => {
        requests.push(turns.requestCancel(chat.session.id));
        await requests[0];
        return finishTurn(...args);
      });
    } else {
      const loadView = messages.loadView.bind(messages);
      vi.spyOn(messages, 'loadView').mockImplementation(async (id) => {
        const view = await loadView(id);
        if (view.messages.at(-1)?.role === 'tool' && requests.length === 0) requests.push(cancel(chat));
        return view;
      });
    }
    const { message } = await chat.say('Go');
    await Promise.all(requests);
    expect(requests).toHaveLength(1);
    expect(await newestTurn(chat)).toMatchObject({ status: 'cancelled' });
    expect(await chat.services.chat.pendingApprovals(chat.session.id)).toEqual([]);
    const [, answer, results, end] = await chat.messages();
    expect(answer?.parts).toMatchObject([{ state: 'error' }, { state: 'completed' }]);
    expect(results?.parts).toMatchObject([
      { content: { toolCallId: 'c2' } },
      { content: { toolCallId: 'c1', output: { type: 'error-text', value: 'Cancelled by the user.' } } },
    ]);
    expect(end).toMatchObject({ role: 'assistant', parts: [], finishReason: 'cancelled' });
    expect(message.metadata).toMatchObject({ status: 'interrupted', finishReason: 'cancelled' });
    expect(visibleParts((await chat.services.transcript(chat.session.id))[1]!)).toEqual(visibleParts(message));
    expect((await chat.services.builtIn.content.query({ type: 'page' })).total).toBe(0);
  });

  it('twice concurrently equals once', async () => {
    const hanging = half();
    await using chat = await startScriptedChat([hanging.step]);
    await chat.send('Go');
    await hanging.said;
    expect(await Promise.all([cancel(chat), cancel(chat)])).toMatchObject([{ cancelled: true }, { cancelled: true }]);
    expect((await chat.messages()).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await cancel(chat)).toEqual({ cancelled: true, persisted: null });
  });

  it('is recorded before the turn ends, so that what waits does not start', async () => {
    const hanging = half();
    await using chat = await startScriptedChat([hanging.step, says('Never said')]);
    await chat.send('Go');
    await hanging.said;
    await chat.enqueue('And then');
    const { turns } = chat.services;
    const record = turns.requestCancel.bind(turns);
    const go = Promise.withResolvers<void>();
    vi.spyOn(turns, 'requestCancel').mockImplementation(async (sessionId) => {
      await go.promise;
      return record(sessionId);
    });
    const cancelled = cancel(chat);
    await vi.waitFor(async () => expect((await chat.messages())[1]).toMatchObject({ finishReason: 'cancelled' }));
    expect(await turns.running(chat.session.id)).not.toBeNull();
    go.resolve();
    await cancelled;
    await chat.services.chat.idle();
    expect(await chat.services.chat.queue(chat.session.id)).toMatchObject({ items: [{}], held: true });
    expect(chat.requests).toHaveLength(1);
  });

  it('ends a turn that waits for a repetition', async () => {
    const busy = Object.assign(new Error('Busy'), { name: 'AI_APICallError', statusCode: 503 });
    await using chat = await startScriptedChat([busy, says('Never said')], { CONTEXT_STEP_RETRY_DELAY_MS: '30000' });
    await chat.send('Go');
    await vi.waitFor(() => expect(chat.requests).toHaveLength(1));
    await cancel(chat);
    expect(await newestTurn(chat)).toMatchObject({ status: 'cancelled' });
    expect(chat.requests).toHaveLength(1);
  });
});
