import { afterEach, describe, expect, it, vi } from 'vitest';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { findTool } from '#server/tools/index';
import { type ScriptedChat, startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { finish, type ScriptedStep, says, toolCall } from '#tests/support/scripted-model';
import { decisionsOn } from '#tests/support/decisions';

/** Every call of the tool waits until the test answers it by the input's `ref`. */
function holdCalls(name: string) {
  const started: string[] = [];
  const results = new Map<string, PromiseWithResolvers<string>>();
  const of = (ref: string) => {
    const result = results.get(ref) ?? Promise.withResolvers<string>();
    results.set(ref, result);
    return result;
  };
  vi.spyOn(findTool(name)!, 'execute').mockImplementation((input) => {
    const { ref } = input as { ref: string };
    started.push(ref);
    return of(ref).promise;
  });
  return { started, answer: (ref: string) => of(ref).resolve(`of ${ref}`) };
}

const get = (ref: string) => toolCall(`c-${ref}`, 'get_content', JSON.stringify({ ref }));
const create = toolCall('c-new', 'create_content', '{"type":"page","title":"New"}');
const step = (...calls: ReturnType<typeof toolCall>[]): ScriptedStep => [...calls.flat(), finish('tool-calls')];

async function resultIds(chat: ScriptedChat): Promise<string[]> {
  const results = (await chat.messages()).filter(({ role }) => role === 'tool').flatMap(({ parts }) => parts);
  return results.flatMap((part) => (part.type === 'tool-result' ? [part.content.toolCallId] : []));
}

/** A chat with a page, and a model that fills in every field that it is offered. */
async function withPage() {
  const filled = { cursor: '', limit: null, parent: '', tag: null };
  const chat = await startScriptedChat([
    step(
      toolCall('c-list', 'list_content', JSON.stringify({ type: 'page', ...filled })),
      toolCall(
        'c-new',
        'create_content',
        '{"type":"page","title":"New","slug":"","tags":["one"],"seo":null,"sections":null}',
      ),
      toolCall('c-wrong', 'get_content', '{"ref":"","refs":[]}'),
      toolCall('c-p', 'publish_content', '{"ref":"about","at":""}'),
    ),
    says('Done.'),
  ]);
  const { content } = chat.services.builtIn;
  await content.create({ type: 'page', title: 'About' }, { actor: 'seed' });
  return { chat, content };
}

afterEach(() => vi.restoreAllMocks());

describe('the calls of a step', () => {
  it('run without the fields that the model fills in with nothing', async () => {
    const { chat, content } = await withPage();
    await using _ = chat;
    await chat.say('Go');
    const results = (await chat.messages()).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-result' ? [[part.content.toolCallId, part.state]] : [])),
    );
    expect(results).toEqual([
      ['c-list', 'completed'],
      ['c-new', 'completed'],
      ['c-wrong', 'error'],
    ]);
    expect((await content.get('new')).draft).toMatchObject({ slug: 'new', tags: ['one'] });
    // What is asked about is asked with the same input.
    const [asked] = await chat.services.chat.pendingApprovals(chat.session.id);
    expect(asked?.effect?.summary).toBe('Puts "About" on the site, at /about.');
    await chat.services.chat.decide(
      chat.session.id,
      await decisionsOn(chat.services.chat, chat.session.id, { toolCallId: 'c-p', approved: true }),
      scopesOfRole.editor,
    );
    await chat.services.chat.idle();
    expect(await content.get('about')).toMatchObject({ status: 'published', publishAt: null });
  });

  it('run one after the other, in the order of the model', async () => {
    const held = holdCalls('get_content');
    await using chat = await startScriptedChat([step(get('a'), get('b')), says('Read.')]);
    const said = chat.say('Read both');
    await vi.waitFor(() => expect(held.started).toEqual(['a']));
    held.answer('b');
    held.answer('a');
    await said;
    expect(held.started).toEqual(['a', 'b']);
    expect(await resultIds(chat)).toEqual(['c-a', 'c-b']);
  });

  it('run at the same time where that is set, and each result is stored as it comes', async () => {
    const held = holdCalls('get_content');
    await using chat = await startScriptedChat([step(get('a'), get('b')), says('Read.')], {
      TOOL_EXECUTION: 'parallel',
    });
    const said = chat.say('Read both');
    await vi.waitFor(() => expect(held.started).toEqual(['a', 'b']));
    held.answer('b');
    await vi.waitFor(async () => expect(await resultIds(chat)).toEqual(['c-b']));
    held.answer('a');
    const { message } = await said;
    expect(await resultIds(chat)).toEqual(['c-b', 'c-a']);
    // For the model and the chat they stand in the order of the calls.
    expect(chat.requests[1]?.prompt.at(-1)?.content).toMatchObject([{ toolCallId: 'c-a' }, { toolCallId: 'c-b' }]);
    expect(visibleParts((await chat.services.transcript(chat.session.id))[1]!)).toEqual(visibleParts(message));
  });

  it('are all done before the turn ends, also when a result cannot be stored', async () => {
    const held = holdCalls('get_content');
    await using chat = await startScriptedChat([step(get('a'), get('b'))], { TOOL_EXECUTION: 'parallel' });
    const { messages, turns } = chat.services;
    const fails = vi.fn(() => Promise.reject(new Error('The disk is full.')));
    const forTurn = messages.forTurn.bind(messages);
    vi.spyOn(messages, 'forTurn').mockImplementation((turn) => {
      const writes = forTurn(turn);
      const isFirst = (role: string) => role === 'tool' && fails.mock.calls.length === 0;
      return { ...writes, append: (...args) => (isFirst(args[1].role) ? fails() : writes.append(...args)) };
    });
    const said = chat.say('Read both');
    await vi.waitFor(() => expect(held.started).toEqual(['a', 'b']));
    held.answer('a');
    await vi.waitFor(() => expect(fails).toHaveBeenCalled());
    for (let reads = 0; reads < 50; reads += 1) expect(await turns.running(chat.session.id)).not.toBeNull();
    held.answer('b');
    expect((await said).message.metadata?.status).toBe('failed');
    const results = (await chat.messages()).find(({ role }) => role === 'tool');
    expect(results?.parts).toMatchObject([
      { state: 'completed', content: { toolCallId: 'c-b', output: { value: 'of b' } } },
      { state: 'error', content: { toolCallId: 'c-a' } },
    ]);
  });

  it('keep their place when one of them writes', async () => {
    const held = holdCalls('get_content');
    const written = Promise.withResolvers<null>();
    const write = vi.spyOn(findTool('create_content')!, 'execute').mockImplementation(() => written.promise);
    await using chat = await startScriptedChat([step(get('a'), get('b'), create, get('c')), says('Done.')], {
      TOOL_EXECUTION: 'parallel',
    });
    const said = chat.say('Go');
    await vi.waitFor(() => expect(held.started).toEqual(['a', 'b']));
    held.answer('a');
    await vi.waitFor(async () => expect(await resultIds(chat)).toEqual(['c-a']));
    expect(write).not.toHaveBeenCalled();
    held.answer('b');
    await vi.waitFor(() => expect(write).toHaveBeenCalled());
    expect(held.started).toEqual(['a', 'b']);
    written.resolve(null);
    await vi.waitFor(() => expect(held.started).toEqual(['a', 'b', 'c']));
    expect(await resultIds(chat)).toEqual(['c-a', 'c-b', 'c-new']);
    held.answer('c');
    await said;
  });

  it('share the limit of a step, also when they run in parallel', async () => {
    vi.spyOn(findTool('get_content')!, 'execute').mockResolvedValue('x'.repeat(5_000));
    await using chat = await startScriptedChat([step(get('a'), get('b'), get('c')), says('Read.')], {
      TOOL_EXECUTION: 'parallel',
      TOOL_OUTPUT_LIMIT: '6000',
      TOOL_MAX_OUTPUT_CHARS: '6000',
      TOOL_MAX_LINE_LENGTH: '6000',
    });
    await chat.say('Read');
    const lengths = (await chat.messages())[2]!.parts.map((part) =>
      part.type === 'tool-result' ? JSON.stringify(part.content.output).length : 0,
    );
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(6_300);
  });
});

describe('a tool', () => {
  it('that takes too long is stopped, and its result reports that', async () => {
    let signal: AbortSignal | undefined;
    vi.spyOn(findTool('get_settings')!, 'execute').mockImplementation((_, context) => {
      ({ signal } = context);
      return new Promise(() => undefined);
    });
    await using chat = await startScriptedChat([step(toolCall('c1', 'get_settings', '{}')), says('Too slow.')], {
      TOOL_TIMEOUT_MS: '20',
    });
    const { errors } = await chat.say('Go');
    expect(errors).toEqual([]);
    expect(signal?.aborted).toBe(true);
    expect(chat.requests[1]?.prompt.at(-1)?.content).toMatchObject([
      {
        output: { type: 'error-text', value: expect.stringContaining('did not finish within 0.02 seconds') as string },
      },
    ]);
  });

  it('that fails because of our fault is logged, not reported to the model', async () => {
    vi.spyOn(findTool('get_settings')!, 'execute').mockRejectedValue(new TypeError('x is not a function'));
    await using chat = await startScriptedChat([step(toolCall('c1', 'get_settings', '{}')), says('Hm.')]);
    const log = vi.spyOn(chat.services.log, 'error');
    await chat.say('Go');
    expect(log).toHaveBeenCalledWith({ err: expect.any(TypeError) as unknown }, 'The tool get_settings failed');
    expect(JSON.stringify(chat.requests[1]?.prompt.at(-1))).not.toContain('x is not a function');
  });
});

describe('the tools of a window of 8,000', () => {
  it('are byte-identical between requests until one is loaded; a called unloaded one runs', async () => {
    const loads = (...names: string[]) => toolCall(`c-${names[0]}`, 'load_tools', JSON.stringify({ names }));
    await using chat = await startScriptedChat(
      [
        step(get('home')),
        step(toolCall('c-i', 'keep_in_mind', '{}')),
        step(loads('publish_content')),
        step(get('again')),
        says('Done.'),
        step(toolCall('c-l', 'list_content', '{"type":"page"}')),
        says('One.'),
      ],
      { CONTEXT_WINDOW: '8000' },
    );
    await chat.say('Go');
    await chat.say('On');
    const sent = chat.requests.map(({ tools }) => JSON.stringify(tools));
    const [begun, loaded] = [sent[0], sent[3]];
    expect(sent).toEqual([begun, begun, begun, loaded, loaded, loaded, loaded]);
    expect(new Set(sent).size).toBe(2);
    const names = chat.requests.map(({ tools = [] }) => tools.map(({ name }) => name));
    expect(names[3]).toContain('publish_content');
    expect(names[6]).toEqual(expect.arrayContaining(['get_content', 'ask_user', 'keep_in_mind']));
    expect(names[6]).not.toContain('list_content');
    expect(names[6]!.length).toBeLessThan(12);
    expect(JSON.stringify(chat.requests[6]?.prompt.at(-1))).toContain('"total":0');
  });

  it('stay across an approval of an unloaded call; tools replaced for an invalid call are named', async () => {
    await using chat = await startScriptedChat(
      [
        step(toolCall('c-add', 'load_tools', '{"names":["add_section"]}')),
        step(toolCall('c-p', 'publish_content', '{"ref":"about"}')),
        step(toolCall('c-w', 'set_navigation', '{"entries":[]}')),
        says('Done.'),
      ],
      { CONTEXT_WINDOW: '8000' },
    );
    const {
      chat: turns,
      builtIn: { content },
    } = chat.services;
    await content.create({ type: 'page', title: 'About' }, { actor: 'seed' });
    await chat.say('Go');
    expect(chat.requests).toHaveLength(2);
    await turns.decide(
      chat.session.id,
      await decisionsOn(turns, chat.session.id, { toolCallId: 'c-p', approved: true }),
      scopesOfRole.editor,
    );
    await turns.idle();
    const names = chat.requests.map(({ tools = [] }) => tools.map(({ name }) => name));
    expect(names[2]).toEqual(names[1]);
    expect(names[2]).toContain('add_section');
    const gone = names[2]!.filter((name) => !names[3]!.includes(name));
    expect(gone.length).toBeGreaterThan(0);
    expect(JSON.stringify(chat.requests[3]?.prompt.at(-1))).toContain(`Put away for it: ${gone.join(', ')}; load it`);
  });
});
