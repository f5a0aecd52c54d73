import { createClient } from '@libsql/client';
import { describe, expect, it, vi } from 'vitest';
import { ForbiddenError } from '#server/core/errors';
import type { ApprovalPolicy } from '#server/core/conversation/approvals';
import { type Scope, scopesOfRole } from '#server/core/admin/access-rights';
import { tools } from '#server/tools/index';
import { isToolFor } from '#server/tools/tool';
import { foldTurn, type ScriptedChat, startScriptedChat } from '#tests/support/scripted-chat';
import { owner } from '#tests/support/turn-session';
import { finish, hangingStep, type ScriptedStep, says, textBlock, toolCall } from '#tests/support/scripted-model';
import { decisionsOn } from '#tests/support/decisions';

const CHAT: readonly Scope[] = ['chat'];
const READER: readonly Scope[] = ['chat', 'content:read'];
const DRAFTER: readonly Scope[] = ['chat', 'content:draft'];
const WRITER: readonly Scope[] = ['chat', 'content:write'];
/** Calls every tool: a model may also call tools that it was not offered. */
const callsAll: ScriptedStep = [
  ...toolCall('c1', 'create_content', JSON.stringify({ type: 'page', title: 'About' })),
  ...toolCall('c2', 'get_settings', '{}'),
  ...toolCall('c3', 'search_history', '{"query":"go"}'),
  finish('tool-calls'),
];

async function request({ services, session }: ScriptedChat, scopes: readonly Scope[], texts = ['Go']) {
  const current = await services.sessions.get(session.id);
  return { session: current, texts, modelId: null, scopes, clientRequestId: null };
}

async function sayAs(chat: ScriptedChat, scopes: readonly Scope[], approvalPolicy: ApprovalPolicy = 'ask') {
  const outcome = await chat.services.chat.send({ ...(await request(chat, scopes)), approvalPolicy });
  if (outcome.kind !== 'started') throw new Error('It was queued.');
  return foldTurn(outcome.stream);
}

const pages = async ({ services }: ScriptedChat) =>
  (await services.builtIn.content.query({ type: 'page' })).items.length;

function offered({ requests }: ScriptedChat, step = 0): string[] {
  return (requests[step]?.tools ?? []).map(({ name }) => name);
}

/** Whether each call was done. */
async function outcomes(chat: ScriptedChat): Promise<Record<string, string>> {
  const parts = (await chat.messages()).flatMap(({ parts: all }) => all);
  return Object.fromEntries(
    parts.flatMap((part) => (part.type === 'tool-result' ? [[part.content.toolName, part.state] as const] : [])),
  );
}

describe('a turn does no more than its author may', () => {
  it('may call tools that act elsewhere only with content:write', () => {
    expect(isToolFor(DRAFTER, { writes: true, isElsewhere: true })).toBe(false);
    expect(isToolFor(WRITER, { writes: true, isElsewhere: true })).toBe(true);
  });

  it.each([
    { who: 'to talk', scopes: CHAT, create_content: 'error', get_settings: 'error', made: 0 },
    { who: 'to read', scopes: READER, create_content: 'error', get_settings: 'completed', made: 0 },
    { who: 'drafts', scopes: DRAFTER, create_content: 'completed', get_settings: 'completed', made: 1 },
    { who: 'to write', scopes: WRITER, create_content: 'completed', get_settings: 'completed', made: 1 },
    { who: 'everything', scopes: scopesOfRole.admin, create_content: 'completed', get_settings: 'completed', made: 1 },
  ])('with the rights of $who', async ({ scopes, made, create_content, get_settings }) => {
    await using chat = await startScriptedChat([callsAll, says('Done.')], { CONTEXT_WINDOW: '64000' });
    await sayAs(chat, scopes);
    const allowed = tools.filter((tool) => isToolFor(scopes, tool)).map(({ name }) => name);
    expect(offered(chat)).toEqual(allowed);
    expect(offered(chat, 1)).toEqual(allowed);
    expect(await outcomes(chat)).toEqual({ create_content, get_settings, search_history: 'completed' });
    expect(await pages(chat)).toBe(made);
  });

  it('and reads no more than they may', async () => {
    await using chat = await startScriptedChat([says('Hello.'), says('Hello.'), says('Hello.')], {
      CONTEXT_WINDOW: '64000',
    });
    const { content } = chat.services.builtIn;
    const { entry } = await content.create(
      { type: 'page', title: 'Secret plan' },
      { actor: 'user', userId: 'usr_other' },
    );
    const standing = { voice: 'Never mention Acme.', glossary: [], rules: [] };
    await content.setStandingInstructions(standing, { actor: 'user' });
    const described = [{ name: 'crm', text: 'Ask the CRM first.' }];
    vi.spyOn(chat.services.toolServers, 'instructionsFor').mockReturnValue(described);
    const here = { preview: { path: `/${entry.draft.slug}`, state: 'draft' } } as const;
    const sayHere = async (scopes: readonly Scope[]) => {
      const outcome = await chat.services.chat.send({ ...(await request(chat, scopes)), here, approvalPolicy: 'ask' });
      if (outcome.kind === 'started') await foldTurn(outcome.stream);
    };
    await sayHere(CHAT);
    const told = JSON.stringify([chat.requests[0], await chat.messages()]);
    expect(told).not.toMatch(/Secret plan|Acme|pag_/);
    expect(told).toContain('Site: ');
    expect(told).toContain('You have no tools for the site');
    const session = await chat.services.sessions.get(chat.session.id);
    expect((await chat.services.context.nextRequest(session, undefined, CHAT)).instructions.text).not.toContain('Acme');
    await sayHere(READER);
    expect(JSON.stringify(chat.requests[1])).toMatch(/Acme.*Secret plan|Secret plan.*Acme/s);
    expect(JSON.stringify(chat.requests[1])).not.toContain('the CRM');
    await sayHere(WRITER);
    expect(JSON.stringify(chat.requests[2])).toContain('the CRM');
  });

  it('with tools that are for everybody, and those that read or write', () => {
    const names = (scopes: readonly Scope[]) => tools.filter((tool) => isToolFor(scopes, tool)).map(({ name }) => name);
    expect(names(CHAT)).toEqual(['keep_in_mind', 'ask_user', 'search_history', 'recall_output']);
    expect(names(READER)).toEqual(tools.filter((tool) => !tool.writes || tool.isForEverybody).map(({ name }) => name));
    expect(names(WRITER)).toEqual(tools.map(({ name }) => name));
  });

  it('is checked when a call runs, independent of the tools that the model was offered', async () => {
    await using chat = await startScriptedChat([callsAll, says('Done.')], { TOOL_POLICIES: 'create_content=ask' });
    await sayAs(chat, WRITER);
    const client = createClient({ url: chat.services.env.DATABASE_URL });
    await client.execute({ sql: 'update turns set scopes = ?', args: [JSON.stringify(READER)] });
    client.close();
    await chat.services.chat.decide(
      chat.session.id,
      await decisionsOn(chat.services.chat, chat.session.id, { toolCallId: 'c1', approved: true }),
      WRITER,
    );
    await chat.services.chat.idle();
    expect(await outcomes(chat)).toMatchObject({ create_content: 'error' });
    expect(await pages(chat)).toBe(0);
  });

  it('nor undoes what a message has done that they replace', async () => {
    await using chat = await startScriptedChat([callsAll, says('Done.'), says('Sorry.')]);
    await sayAs(chat, WRITER);
    const [{ id: messageId } = { id: '' }] = await chat.messages();
    const replaces = { messageId, undoChanges: true };
    const asked = { ...(await request(chat, READER)), replaces };
    await expect(chat.services.chat.send(asked)).rejects.toThrow(ForbiddenError);
    expect(await pages(chat)).toBe(1);
  });
});

describe('a turn of a user who may only change drafts', () => {
  const step = (...wanted: readonly [tool: string, input: object][]): ScriptedStep => [
    ...wanted.flatMap(([tool, input], index) => toolCall(`c${index + 1}`, tool, JSON.stringify(input))),
    finish('tool-calls'),
  ];
  const always = tools.map(({ name }) => `${name}=always`).join(', ');
  const published = async (chat: ScriptedChat, title: string) => {
    const { entry } = await chat.services.builtIn.content.create({ type: 'page', title }, { actor: 'user' });
    await chat.services.builtIn.content.publish(entry.id, { actor: 'user' });
  };

  it('asks before visible changes under any tool policy, and cannot approve them', async () => {
    await using chat = await startScriptedChat(
      [
        step(
          ['update_content', { ref: 'about', title: 'About us' }],
          ['publish_content', { ref: 'about' }],
          ['set_navigation', { items: [] }],
        ),
        says('Done.'),
      ],
      { TOOL_POLICIES: always },
    );
    await published(chat, 'About');
    await expect(sayAs(chat, DRAFTER, 'allow')).rejects.toThrow(ForbiddenError);
    await sayAs(chat, DRAFTER);
    const {
      chat: service,
      builtIn: { content },
    } = chat.services;
    expect((await service.pendingApprovals(chat.session.id)).map(({ toolCallId }) => toolCallId)).toEqual(['c2', 'c3']);
    expect(await content.get('about')).toMatchObject({ draft: { title: 'About us' }, published: { title: 'About' } });
    const decisions = await decisionsOn(
      service,
      chat.session.id,
      { toolCallId: 'c2', approved: true },
      { toolCallId: 'c3', approved: false },
    );
    await expect(service.decide(chat.session.id, decisions, DRAFTER)).rejects.toThrow(ForbiddenError);
    await service.decide(chat.session.id, decisions, WRITER);
    await service.idle();
    expect((await content.get('about')).published?.title).toBe('About us');
  });

  it('does nothing else that does not ask', async () => {
    await using chat = await startScriptedChat([callsAll, step(['undo', {}]), says('Done.')]);
    await sayAs(chat, DRAFTER);
    expect(await outcomes(chat)).toMatchObject({ create_content: 'completed', undo: 'error' });
    expect(await pages(chat)).toBe(1);
  });
});

describe('messages that become one turn', () => {
  it('let it do only what all of their senders may do', async () => {
    const hanging = hangingStep(...textBlock('t', 'Hm').slice(0, 2));
    await using chat = await startScriptedChat([hanging.step, callsAll, says('Done.')]);
    const { chat: service, turns } = chat.services;
    await service.send(await request(chat, WRITER));
    await hanging.said;
    await service.enqueue(await request(chat, WRITER, ['One']));
    await service.enqueue(await request(chat, READER, ['Two']));
    await service.cancel(chat.session.id);
    await service.sendHeld(chat.session.id, owner);
    await service.idle();
    const turnId = (await chat.messages()).at(-1)?.turnId ?? '';
    expect((await turns.find(turnId))?.scopes).toEqual(READER);
    expect(await outcomes(chat)).toMatchObject({ create_content: 'error', get_settings: 'completed' });
    expect(await pages(chat)).toBe(0);
  });

  it('tighten one that runs, from its next step on', async () => {
    const [said, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first: ScriptedStep = async (write) => {
      for (const part of [...toolCall('c0', 'get_settings', '{}'), finish('tool-calls')]) write(part);
      said.resolve();
      await go.promise;
    };
    await using chat = await startScriptedChat([first, callsAll, says('Done.')]);
    const { chat: service } = chat.services;
    await service.send(await request(chat, WRITER));
    await said.promise;
    await service.enqueue(await request(chat, CHAT, ['And?']));
    go.resolve();
    await service.idle();
    expect(offered(chat, 1)).toEqual(['keep_in_mind', 'ask_user', 'search_history', 'recall_output']);
    expect(await outcomes(chat)).toMatchObject({ create_content: 'error' });
    expect(await pages(chat)).toBe(0);
  });

  it('are no more than who last edited them may', async () => {
    const hanging = hangingStep(...textBlock('t', 'Hm').slice(0, 2));
    await using chat = await startScriptedChat([hanging.step, callsAll, says('Done.')]);
    const { chat: service } = chat.services;
    await service.send(await request(chat, WRITER));
    await hanging.said;
    const { id } = await service.enqueue(await request(chat, WRITER, ['One']));
    expect((await service.editQueued(id, ['Make a page'], { scopes: CHAT, keyId: null })).scopes).toEqual(CHAT);
    await service.cancel(chat.session.id);
    await service.sendHeld(chat.session.id, owner);
    await service.idle();
    expect(await pages(chat)).toBe(0);
  });
});

it('a change is attributed to the owner of its conversation', async () => {
  await using chat = await startScriptedChat([callsAll, says('Done.')]);
  await sayAs(chat, WRITER);
  const [change] = await chat.services.builtIn.content.changes({ sessionId: chat.session.id, limit: 1 });
  expect(change?.origin).toMatchObject({ actor: 'assistant', userId: chat.session.ownerId });
});
