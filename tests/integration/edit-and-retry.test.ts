import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConflictError, TooLargeError } from '#server/core/errors';
import { scopesOfRole } from '#server/core/admin/access-rights';
import type { Replacement } from '#server/conversation/turn/accept-request';
import { foldTurn, type ScriptedChat, startScriptedChat } from '#tests/support/scripted-chat';
import { finish, heldStep, says, type ScriptedStep, textBlock, toolCall } from '#tests/support/scripted-model';

/** Replaces another message and waits for the turn to end. */
async function sayInstead({ services, session }: ScriptedChat, text: string, replaces: Replacement, id?: string) {
  const clientRequestId = id ?? null;
  const request = {
    session: await services.sessions.get(session.id),
    texts: [text],
    modelId: null,
    scopes: scopesOfRole.admin,
    clientRequestId,
  };
  const outcome = await services.chat.send({ ...request, replaces });
  if (outcome.kind !== 'started') throw new Error(`"${text}" was queued.`);
  return foldTurn(outcome.stream);
}

/** The id of the newest request. */
const newest = async (chat: ScriptedChat) => (await chat.messages()).findLast(({ role }) => role === 'user')!.id;
const creates = (id: string, title: string): ScriptedStep => [
  ...toolCall(id, 'create_content', JSON.stringify({ type: 'page', title })),
  finish('tool-calls'),
];
const sent = (chat: ScriptedChat) => JSON.stringify(chat.requests.at(-1)?.prompt);

afterEach(() => vi.restoreAllMocks());

describe('a message that replaces the newest', () => {
  it('is answered without the replaced message', async () => {
    await using chat = await startScriptedChat([says('Scarlet it is'), says('Blue it is'), says('Fine')]);
    await chat.say('Make it scarlet');
    const { message } = await sayInstead(chat, 'Make it blue', { messageId: await newest(chat) });
    expect(message.parts).toMatchObject([{ type: 'step-start' }, { type: 'text', text: 'Blue it is' }]);
    expect(sent(chat)).toContain('Make it blue');
    expect(sent(chat)).not.toMatch(/scarlet/i);
    await chat.say('Thanks');
    expect(sent(chat)).not.toMatch(/scarlet/i);

    const { services, session } = chat;
    expect((await services.transcript(session.id)).map(({ metadata }) => metadata?.earlierVersion)).toEqual([
      true,
      undefined,
      undefined,
      undefined,
    ]);
    const [edited] = await services.transcript(session.id);
    const earlier = await services.earlierVersion(session.id, edited!.id);
    expect(earlier.map(({ role, parts }) => [role, parts.at(-1)])).toMatchObject([
      ['user', { type: 'text', text: 'Make it scarlet' }],
      ['assistant', { type: 'text', text: 'Scarlet it is' }],
    ]);
    const all = await services.messages.list(session.id, { superseded: true });
    expect(all.items.map(({ supersededBy }) => supersededBy)).toEqual([edited!.id, edited!.id, null, null, null, null]);
    expect(await services.history.search(session.id, 'scarlet')).toEqual([]);
  });

  it('undoes its changes to the site, and the ledger records that', async () => {
    await using chat = await startScriptedChat([creates('call_1', 'Kiln'), says('Done'), says('As you like')]);
    const { services, session } = chat;
    await chat.say('Create a page Kiln');
    expect(await services.builtIn.content.find('kiln')).not.toBeNull();
    await sayInstead(chat, 'Just say hello', { messageId: await newest(chat), undoChanges: true });
    expect(await services.builtIn.content.find('kiln')).toBeNull();
    expect(sent(chat)).not.toMatch(/kiln/i);
    const changes = await services.builtIn.content.changes({ sessionId: session.id });
    expect(changes).toMatchObject([{ action: 'undo', origin: { actor: 'user' } }, { action: 'create' }]);
    expect(changes[1]!.undoneBy).toBe(changes[0]!.id);
  });

  it('leaves the site unchanged unless requested, also if an earlier turn changed it', async () => {
    await using chat = await startScriptedChat([
      creates('call_1', 'Kiln'),
      says('Done'),
      creates('call_2', 'Glaze'),
      says('Done'),
      says('Hello'),
      says('Hello again'),
    ]);
    const {
      builtIn: { content },
    } = chat.services;
    await chat.say('Create a page Kiln');
    await chat.say('Create a page Glaze');
    await sayInstead(chat, 'Say hello', { messageId: await newest(chat) });
    expect(await content.find('glaze')).not.toBeNull();
    await sayInstead(chat, 'Say hello again', { messageId: await newest(chat), undoChanges: true });
    expect(await content.find('glaze')).not.toBeNull();
    expect(await content.find('kiln')).not.toBeNull();
  });

  it('is refused where a later change would be lost, with nothing changed', async () => {
    await using chat = await startScriptedChat([
      creates('call_1', 'Kiln'),
      creates('call_2', 'Glaze'),
      says('Done'),
      says('Hello'),
    ]);
    const { services } = chat;
    await chat.say('Create two pages');
    const kiln = await services.builtIn.content.get('kiln');
    await services.builtIn.content.publish(kiln.id, { actor: 'user' });
    const before = await chat.messages();
    const messageId = await newest(chat);
    const refused = sayInstead(chat, 'Say hello', { messageId, undoChanges: true }, 'r');
    await expect(refused).rejects.toThrow(ConflictError);
    await expect(refused).rejects.toThrow(/Published "Kiln"/);
    expect(await chat.messages()).toEqual(before);
    expect(await services.builtIn.content.find('glaze')).not.toBeNull();
    expect(chat.requests).toHaveLength(3);
    await sayInstead(chat, 'Say hello', { messageId }, 'r');
    expect(sent(chat)).not.toContain('two pages');
  });

  it('is accepted once, also when the same request comes again before it has begun', async () => {
    await using chat = await startScriptedChat([creates('call_1', 'Kiln'), says('Done'), says('Hello')]);
    const { turns } = chat.services;
    await chat.say('Create a page Kiln');
    const replaces = { messageId: await newest(chat), undoChanges: true };
    const begun = Promise.withResolvers<void>();
    const [replaceable, begin] = [turns.replaceable.bind(turns), turns.begin.bind(turns)];
    vi.spyOn(turns, 'replaceable')
      .mockImplementationOnce(replaceable)
      .mockImplementationOnce((...args) => begun.promise.then(() => replaceable(...args)));
    vi.spyOn(turns, 'begin').mockImplementationOnce(async (request) => {
      const outcome = await begin(request);
      begun.resolve();
      return outcome;
    });
    const twice = [1, 2].map(() => sayInstead(chat, 'Say hello', replaces, 'r'));
    await Promise.all(twice);
    expect((await chat.messages()).map(({ role }) => role)).toEqual(['user', 'assistant']);
    const { services, session } = chat;
    expect(await services.builtIn.content.changes({ sessionId: session.id })).toHaveLength(2);
  });

  it('undoes nothing if it cannot be sent', async () => {
    const held = heldStep(...textBlock('t', 'Hm'));
    await using chat = await startScriptedChat([creates('call_1', 'Kiln'), says('Done'), held.step]);
    const { services } = chat;
    await chat.say('Create a page Kiln');
    const messageId = await newest(chat);
    const running = chat.say('Go on');
    await held.said;
    await expect(sayInstead(chat, 'Hello', { messageId, undoChanges: true })).rejects.toThrow(ConflictError);
    held.end();
    await running;
    await expect(sayInstead(chat, 'Hello', { messageId, undoChanges: true })).rejects.toThrow(ConflictError);
    // More than the whole context window.
    const tooLong = sayInstead(chat, 'word '.repeat(32_000), { messageId: await newest(chat), undoChanges: true });
    await expect(tooLong).rejects.toThrow(TooLargeError);
    expect(await services.builtIn.content.find('kiln')).not.toBeNull();
  });

  it('measures the context by a report on valid messages', async () => {
    const reports: number[] = [];
    const reporting: ScriptedStep = async (write) => {
      // About as many tokens as reported: far more would be taken for thoughts that the server hides.
      for (const part of textBlock('t', 'Hello again. '.repeat(10))) write(part);
      write(finish('stop', { input: reports.shift()!, output: 50 }));
      await Promise.resolve();
    };
    await using chat = await startScriptedChat([reporting, reporting, reporting]);
    const { services, session } = chat;
    const inspect = async () => (await services.context.inspect(session)).usage;
    const { currentTokens: base } = await inspect();
    reports.push(base + 100, base + 3_000);
    await chat.say('One');
    await chat.say('Two');
    expect(await inspect()).toMatchObject({ source: 'reported', currentTokens: base + 3_050 });
    const request = { sessionId: session.id, message: { role: 'user', parts: [] }, modelId: null } as const;
    const lease = {
      leaseOwner: 'test',
      leaseMs: 60_000,
      scopes: scopesOfRole.admin,
      clientRequestId: null,
      maxTokens: 1_000,
    };
    await services.turns.begin({ ...request, ...lease, replaces: await newest(chat) });
    const { source, currentTokens } = await inspect();
    expect(source).toBe('reported');
    expect(currentTokens).toBeGreaterThanOrEqual(base + 150);
    expect(currentTokens).toBeLessThan(base + 250);
  });
});
