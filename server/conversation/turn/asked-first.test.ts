import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Entry } from '#server/core/site/content';
import type { ApprovalPolicy } from '#server/core/conversation/approvals';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { colouredPicture } from '#tests/support/pictures';
import { foldTurn, type ScriptedChat, startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { findTool } from '#server/tools/index';
import { finish, heldStep, says, type ScriptedStep, textBlock, toolCall } from '#tests/support/scripted-model';
import { decisionsOn } from '#tests/support/decisions';

afterEach(() => vi.restoreAllMocks());

const user = { actor: 'user' } as const;

type Call = readonly [tool: string, input: Record<string, unknown>];
/** One step that makes these calls: `c1`, `c2`, ... */
const calls = (...wanted: readonly Call[]): ScriptedStep => [
  ...wanted.flatMap(([tool, input], index) => toolCall(`c${index + 1}`, tool, JSON.stringify(input))),
  finish('tool-calls'),
];

async function makePage({ services }: ScriptedChat, title: string, isPublished = false): Promise<Entry> {
  const sections = [{ type: 'text' as const, fields: { body: `About ${title}.` } }];
  const { entry } = await services.builtIn.content.create({ type: 'page', title, sections }, user);
  return isPublished ? (await services.builtIn.content.publish(entry.id, user)).entry : entry;
}

const pending = ({ services, session }: ScriptedChat) => services.chat.pendingApprovals(session.id);
const page = ({ services }: ScriptedChat, slug: string) => services.builtIn.content.find(slug, 'page');

async function approve(chat: ScriptedChat, ...toolCallIds: readonly string[]): Promise<void> {
  await chat.services.chat.decide(
    chat.session.id,
    await decisionsOn(
      chat.services.chat,
      chat.session.id,
      ...toolCallIds.map((toolCallId) => ({ toolCallId, approved: true })),
    ),
    scopesOfRole.editor,
  );
  await chat.services.chat.idle();
}

async function outputs(chat: ScriptedChat): Promise<Record<string, unknown>> {
  const parts = (await chat.messages()).flatMap((message) => message.parts);
  return Object.fromEntries(
    parts.flatMap((part) => (part.type === 'tool-result' ? [[part.content.toolCallId, part.content.output]] : [])),
  );
}

async function sayAs(chat: ScriptedChat, approvalPolicy: ApprovalPolicy, text = 'Go') {
  const session = await chat.services.sessions.get(chat.session.id);
  const outcome = await chat.services.chat.send({
    session,
    texts: [text],
    modelId: null,
    approvalPolicy,
    scopes: scopesOfRole.admin,
    clientRequestId: null,
  });
  if (outcome.kind !== 'started') throw new Error('It was queued.');
  return foldTurn(outcome.stream);
}

describe('default approval rules', () => {
  it.each<Call>([
    ['publish_content', { ref: 'kiln' }],
    ['unpublish_content', { ref: 'oven' }],
    ['delete_content', { ref: 'kiln' }],
    ['set_settings', { tagline: 'New' }],
    ['set_navigation', { items: [] }],
    ['remember_instruction', { kind: 'rule', text: 'Never shout.' }],
  ])('%s %o', async (tool, input) => {
    await using chat = await startScriptedChat([calls([tool, input])]);
    await makePage(chat, 'Kiln');
    await makePage(chat, 'Oven', true);
    await chat.say('Go');
    expect((await pending(chat)).map(({ toolName }) => toolName)).toEqual([tool]);
  });

  it('an undo that reverts what visitors see asks, also after another undo in its step', async () => {
    await using chat = await startScriptedChat([
      calls(['publish_content', { ref: 'kiln' }], ['update_content', { ref: 'kiln', title: 'Kilns' }]),
      says('Done.'),
      calls(['undo', {}], ['undo', {}]),
      says('Half done.'),
    ]);
    await makePage(chat, 'Kiln');
    await sayAs(chat, 'allow');
    await chat.say('Undo both');
    expect(await page(chat, 'kiln')).toMatchObject({ status: 'published', draft: { title: 'Kiln' } });
    expect(await outputs(chat)).toMatchObject({
      c2: { type: 'error-text', value: expect.stringContaining('has to agree to') },
    });
  });

  it('an undo asks that would put an entry or a picture into the trash again', async () => {
    await using chat = await startScriptedChat([calls(['undo', {}]), calls(['undo', {}])]);
    const { content } = chat.services.builtIn;
    const origin = { actor: 'assistant', sessionId: chat.session.id, turnId: 'trn_1' } as const;
    const { id } = await makePage(chat, 'Kiln', true);
    await content.trash(id, user);
    await content.restoreVersion(id, 1, origin);
    await chat.say('Undo that');
    expect(await pending(chat)).toMatchObject([{ toolName: 'undo', effect: { summary: /^Takes back/ } }]);
    await content.assets.add({ data: await colouredPicture('red'), filename: 'kiln.png' }, origin);
    await chat.say('Undo the picture');
    expect(await pending(chat)).toMatchObject([{ effect: { targets: [{ type: 'asset' }] } }]);
  });

  it.each(['schedule', 'discardDraft', 'trash'] as const)(
    'an undo asks that would bring a plan back, after %s',
    async (taken) => {
      await using chat = await startScriptedChat([calls(['undo', {}])]);
      const { content } = chat.services.builtIn;
      const origin = { actor: 'assistant', sessionId: chat.session.id, turnId: 'trn_1' } as const;
      const { id } = await makePage(chat, 'Kiln', taken === 'discardDraft');
      await content.patch(id, [{ op: 'set', field: 'title', value: 'Kilns' }], user);
      await content.schedule(id, Date.now() + 86_400_000, user);
      await (taken === 'schedule' ? content.schedule(id, null, origin) : content[taken](id, origin));
      await chat.say('Undo that');
      expect(await pending(chat)).toMatchObject([{ toolName: 'undo', effect: { summary: /^Takes back/ } }]);
      expect((await content.query({ scheduled: true })).total).toBe(0);
    },
  );

  it('restoring an entry with a plan from the trash asks, and mentions the plan', async () => {
    await using chat = await startScriptedChat([calls(['undo', { ref: 'kiln' }])]);
    const { content } = chat.services.builtIn;
    const { id } = await makePage(chat, 'Kiln');
    await content.schedule(id, Date.now() + 86_400_000, user);
    await content.trash(id, user);
    await chat.say('Bring it back');
    expect(await pending(chat)).toMatchObject([{ effect: { summary: /publication is planned again, for/ } }]);
    expect(await content.find('kiln')).toBeNull();
  });

  it('what visitors see already is not asked about, nor published again', async () => {
    await using chat = await startScriptedChat([calls(['publish_content', { ref: 'kiln' }]), says('It is there.')]);
    const { id, revision } = await makePage(chat, 'Kiln', true);
    await chat.say('Publish it');
    expect(await pending(chat)).toEqual([]);
    expect(await outputs(chat)).toMatchObject({ c1: { value: expect.stringContaining('nothing to publish') } });
    expect((await chat.services.builtIn.content.get(id)).revision).toBe(revision);
  });

  it('replacing a picture asks if a plan shows it, even if no draft does', async () => {
    await using chat = await startScriptedChat([calls(['undo', {}])]);
    const { content } = chat.services.builtIn;
    const { asset } = await content.assets.add({ data: await colouredPicture('red'), filename: 'kiln.png' }, user);
    const { id } = await makePage(chat, 'Kiln');
    await content.patch(id, [{ op: 'set', field: 'image', value: asset.url }], user);
    await content.schedule(id, Date.now() + 86_400_000, user);
    await content.patch(id, [{ op: 'unset', field: 'image' }], user);
    expect(
      await findTool('add_media')?.asks?.({ file: 'new.png', replaces: asset.id }, { content, origin: user }),
    ).toBe(true);
  });

  it('the undo of a whole turn or conversation asks, with the restored state', async () => {
    await using chat = await startScriptedChat([
      calls(['update_content', { ref: 'kiln', title: 'Kilns' }], ['create_content', { type: 'page', title: 'Jobs' }]),
      says('Done.'),
      calls(['undo', { scope: 'session' }]),
      says('Done.'),
    ]);
    const { id } = await makePage(chat, 'Kiln');
    await chat.say('Go');
    await chat.services.builtIn.content.patch(id, [{ op: 'set', field: 'title', value: 'Kilns and more' }], user);
    await chat.say('Undo all of it');
    expect((await pending(chat))[0]?.effect).toMatchObject({
      summary: 'Takes back 1 change of this conversation.',
      targets: [{ title: 'Jobs' }],
      warnings: [expect.stringContaining('Stays: ')],
    });
    await approve(chat, 'c1');
    expect(await page(chat, 'jobs')).toBeNull();
    expect((await page(chat, 'kiln'))?.draft.title).toBe('Kilns and more');
  });

  it("an administrator's tool policy wins, in both directions", async () => {
    const step = calls(['publish_content', { ref: 'kiln' }], ['update_content', { ref: 'kiln', title: 'Kilns' }]);
    const env = { TOOL_POLICIES: 'publish_content=always, update_content=ask' };
    await using chat = await startScriptedChat([step], env);
    await makePage(chat, 'Kiln');
    await chat.say('Go');
    expect((await pending(chat)).map(({ toolName }) => toolName)).toEqual(['update_content']);
    expect((await page(chat, 'kiln'))?.status).toBe('published');
  });
});

describe('bulk changes', () => {
  const rename = (slug: string): Call => ['update_content', { ref: slug, excerpt: 'Short.' }];

  it('ask, even where each is the edit of a draft', async () => {
    await using chat = await startScriptedChat([calls(rename('a'), rename('b'), rename('c'), ['get_settings', {}])], {
      TOOL_BULK_LIMIT: '2',
    });
    for (const title of ['A', 'B', 'C']) await makePage(chat, title);
    await chat.say('Go');
    const asked = await pending(chat);
    expect(asked.map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2', 'c3']);
    expect(asked[0]?.effect).toMatchObject({
      targets: [{ type: 'page', title: 'A', revision: 1 }],
      changes: [{ field: 'excerpt', after: 'Short.' }],
    });
    expect((await page(chat, 'a'))?.draft.excerpt).toBeUndefined();
    expect(await outputs(chat)).toMatchObject({ c4: { type: 'json' } });
  });

  it('may build on each other: approved together, they run in their order', async () => {
    const made = ['A', 'B'].flatMap((title): Call[] => [
      ['create_content', { type: 'page', title }],
      ['add_section', { ref: title.toLowerCase(), type: 'text' }],
    ]);
    await using chat = await startScriptedChat([calls(...made), says('Done.')], { TOOL_BULK_LIMIT: '1' });
    await chat.say('Go');
    const asked = await pending(chat);
    expect(asked).toHaveLength(4);
    expect(asked[0]?.effect?.warnings[0]).toContain('many things');
    await approve(chat, 'c1', 'c2', 'c3', 'c4');
    expect((await page(chat, 'b'))?.draft.sections).toHaveLength(1);
  });

  it('are counted, not the calls: eight sections of one page are one thing', async () => {
    const add: Call = ['add_section', { ref: 'a', type: 'text', fields: { body: 'x' } }];
    await using chat = await startScriptedChat([calls(...Array.from({ length: 8 }, () => add)), says('Done.')]);
    await makePage(chat, 'A');
    await chat.say('Go');
    expect(await pending(chat)).toEqual([]);
    expect((await page(chat, 'a'))?.draft.sections).toHaveLength(9);
  });

  it('are counted over the steps of a turn, since the user last agreed to something', async () => {
    const step = (title: string) => calls(rename(title));
    await using chat = await startScriptedChat([step('a'), step('b'), step('c'), step('d'), says('Done.')], {
      TOOL_BULK_LIMIT: '2',
    });
    for (const title of ['A', 'B', 'C', 'D']) await makePage(chat, title);
    await chat.say('Go');
    expect((await pending(chat)).map(({ effect }) => effect?.targets[0]?.title)).toEqual(['C']);
    expect((await page(chat, 'b'))?.draft.excerpt).toBe('Short.');
    await approve(chat, 'c1');
    expect(await pending(chat)).toEqual([]);
    expect((await page(chat, 'd'))?.draft.excerpt).toBe('Short.');
  });

  it('do not count twice what the turn made itself', async () => {
    const make = (title: string) => calls(['create_content', { type: 'page', title }]);
    await using chat = await startScriptedChat([make('A'), make('B'), make('C'), calls(rename('a')), says('Done.')], {
      TOOL_BULK_LIMIT: '2',
    });
    await chat.say('Go');
    expect(await pending(chat)).toEqual([]);
    expect((await page(chat, 'a'))?.draft.excerpt).toBe('Short.');
  });

  it('count each taking back of the newest change as another thing', async () => {
    await using chat = await startScriptedChat([calls(...Array.from({ length: 3 }, (): Call => ['undo', {}]))], {
      TOOL_BULK_LIMIT: '2',
    });
    const origin = { actor: 'assistant', sessionId: chat.session.id } as const;
    for (const title of ['A', 'B', 'C']) await chat.services.builtIn.content.create({ type: 'page', title }, origin);
    await chat.say('Go');
    expect(await pending(chat)).toHaveLength(3);
    expect(await page(chat, 'c')).not.toBeNull();
  });

  it('count new things, and later calls about them in the same step, as one', async () => {
    const made = ['A', 'B'].flatMap((title): Call[] => [
      ['create_content', { type: 'page', title }],
      ['add_section', { ref: title.toLowerCase(), type: 'text' }],
      ['add_section', { ref: title.toLowerCase(), type: 'text' }],
    ]);
    await using chat = await startScriptedChat([calls(...made), says('Done.')], { TOOL_BULK_LIMIT: '4' });
    await chat.say('Go');
    expect(await pending(chat)).toEqual([]);
    expect((await page(chat, 'b'))?.draft.sections).toHaveLength(2);
  });
});

describe('the effect shown to the user', () => {
  it('is what the call would do, live as after a reload', async () => {
    await using chat = await startScriptedChat([calls(['delete_content', { ref: 'kiln' }])]);
    const { content } = chat.services.builtIn;
    const kiln = await makePage(chat, 'Kiln', true);
    await content.setNavigation([{ label: 'Kiln', href: '/kiln' }], user);
    const { message } = await chat.say('Go');
    const [asked] = await pending(chat);
    expect(asked?.effect).toMatchObject({
      summary: 'Moves "Kiln" to the trash: /kiln will not be found any more.',
      targets: [{ type: 'page', id: kiln.id, title: 'Kiln', revision: 2 }],
      references: [{ kind: 'navigation' }],
    });
    expect(message.parts).toMatchObject([{}, { approval: { descriptor: asked?.effect } }]);
    const [, reloaded] = await chat.services.transcript(chat.session.id);
    expect(visibleParts(reloaded!)).toEqual(visibleParts(message));
  });

  it('is the state after the other calls of the step', async () => {
    await using chat = await startScriptedChat([
      calls(['publish_content', { ref: 'kiln' }], ['update_content', { ref: 'kiln', title: 'Kilns' }]),
      says('Done.'),
    ]);
    await makePage(chat, 'Kiln', true);
    await chat.say('Go');
    expect((await pending(chat))[0]?.effect).toMatchObject({
      changes: [{ field: 'title', before: 'Kiln', after: 'Kilns' }],
      targets: [{ revision: 3 }],
    });
    await approve(chat, 'c1');
    expect((await page(chat, 'kiln'))?.published?.title).toBe('Kilns');
  });

  it('is not requested if it cannot be done: the model gets the reason immediately', async () => {
    await using chat = await startScriptedChat([
      calls(['publish_content', { ref: 'nowhere' }], ['publish_content', { ref: 'kiln' }]),
      says('There is none.'),
    ]);
    await makePage(chat, 'Kiln');
    await chat.say('Go');
    expect((await pending(chat)).map(({ toolCallId }) => toolCallId)).toEqual(['c2']);
    expect(await outputs(chat)).toMatchObject({
      c1: { type: 'error-text', value: expect.stringContaining('no page or post "nowhere"') },
    });
  });

  it('is not requested if it cannot be shown to any user', async () => {
    vi.spyOn(findTool('publish_content')!, 'effect').mockRejectedValueOnce(new TypeError('x is not a function'));
    await using chat = await startScriptedChat([calls(['publish_content', { ref: 'kiln' }]), says('I see.')]);
    await makePage(chat, 'Kiln');
    await chat.say('Go');
    expect(await pending(chat)).toEqual([]);
    expect(await outputs(chat)).toMatchObject({
      c1: { type: 'error-text', value: expect.stringMatching(/^Not done/) },
    });
    expect((await page(chat, 'kiln'))?.status).toBe('draft');
  });
});

describe('an approval', () => {
  it.each<Call>([
    ['set_settings', { tagline: 'New' }],
    ['set_navigation', { items: [] }],
  ])('%s holds for what the user saw, first and later', async (tool, input) => {
    await using chat = await startScriptedChat([
      calls([tool, input]),
      says('Done.'),
      calls([tool, input]),
      says('Hm.'),
    ]);
    const { content } = chat.services.builtIn;
    const menu = [{ label: 'Kiln', href: '/kiln' }];
    await chat.say('Go');
    await approve(chat, 'c1');
    expect(await outputs(chat)).toMatchObject({ c1: { type: 'json' } });
    await chat.say('Again');
    await content.updateSettings({ tagline: 'Mine' }, user);
    await content.setNavigation(menu, user);
    await approve(chat, 'c1');
    expect([(await content.settings()).tagline, await content.navigation()]).toEqual(['Mine', menu]);
  });

  it('holds for the thing that the user saw, not for another one of its name', async () => {
    await using chat = await startScriptedChat([calls(['delete_content', { ref: 'kiln' }]), says('I see.')]);
    const { services } = chat;
    const { id } = await makePage(chat, 'Kiln');
    await services.builtIn.content.patch(id, [{ op: 'set', field: 'slug', value: 'big-kiln' }], user);
    await chat.say('Go');
    const { entry: other } = await services.builtIn.content.create(
      { type: 'page', title: 'Other', slug: 'kiln' },
      user,
    );
    await approve(chat, 'c1');
    expect((await services.builtIn.content.get(id)).deletedAt).toBeNull();
    expect((await services.builtIn.content.get(other.id)).deletedAt).toBeNull();
  });

  it('holds for one call, also where the model gave two of them the same id', async () => {
    const step: ScriptedStep = [
      ...toolCall('c', 'publish_content', '{"ref":"kiln"}'),
      ...toolCall('c', 'delete_content', '{"ref":"oven"}'),
      finish('tool-calls'),
    ];
    await using chat = await startScriptedChat([step, says('Done.')]);
    await makePage(chat, 'Kiln');
    await makePage(chat, 'Oven');
    await chat.say('Go');
    expect((await pending(chat)).map(({ toolCallId }) => toolCallId)).toEqual(['c', 'c_2']);
    const decisions = await decisionsOn(
      chat.services.chat,
      chat.session.id,
      { toolCallId: 'c', approved: true },
      { toolCallId: 'c_2', approved: false },
    );
    await chat.services.chat.decide(chat.session.id, decisions, scopesOfRole.editor);
    await chat.services.chat.idle();
    expect((await page(chat, 'kiln'))?.status).toBe('published');
    expect(await page(chat, 'oven')).not.toBeNull();
    expect(await outputs(chat)).toMatchObject({ c: { type: 'json' }, c_2: { type: 'execution-denied' } });
  });

  it('holds for calls that were approved together, though one changes what the next is about', async () => {
    const env = { TOOL_POLICIES: 'update_content=ask' };
    const step = calls(['update_content', { ref: 'kiln', title: 'Kilns' }], ['publish_content', { ref: 'kiln' }]);
    await using chat = await startScriptedChat([step, says('Done.')], env);
    await makePage(chat, 'Kiln');
    await chat.say('Go');
    await approve(chat, 'c1', 'c2');
    expect(await page(chat, 'kiln')).toMatchObject({ status: 'published', published: { title: 'Kilns' } });
  });
});

describe("the sender's policy for calls that ask", () => {
  const step = () => calls(['publish_content', { ref: 'kiln' }], ['get_settings', {}]);

  it('allow: they run, as approved', async () => {
    await using chat = await startScriptedChat([step(), says('Done.')]);
    const { id } = await makePage(chat, 'Kiln');
    const { message } = await sayAs(chat, 'allow');
    expect(await page(chat, 'kiln')).toMatchObject({ status: 'published' });
    const [change] = await chat.services.builtIn.content.changes({ targetId: id });
    expect(change?.origin.approvalId).toMatch(/^prt_/);
    const [, reloaded] = await chat.services.transcript(chat.session.id);
    expect(visibleParts(reloaded!)).toEqual(visibleParts(message));
  });

  it.each<[ApprovalPolicy, ApprovalPolicy, ApprovalPolicy]>([
    ['allow', 'deny', 'deny'],
    ['allow', 'ask', 'ask'],
    ['deny', 'allow', 'deny'],
    ['ask', 'allow', 'ask'],
  ])('%s, and %s of a later queued message: %s', async (first, second, expected) => {
    const held = heldStep(...toolCall('c0', 'get_settings', '{}'));
    await using chat = await startScriptedChat([held.step, step(), says('Done.')]);
    await makePage(chat, 'Kiln');
    const session = await chat.services.sessions.get(chat.session.id);
    const request = { session, modelId: null, scopes: scopesOfRole.admin, clientRequestId: null };
    await chat.services.chat.send({ ...request, texts: ['Go'], approvalPolicy: first });
    await held.said;
    await chat.services.chat.enqueue({ ...request, texts: ['And then?'], approvalPolicy: second });
    held.end();
    await chat.services.chat.idle();
    const [turnId] = (await chat.messages()).map((message) => message.turnId);
    expect((await chat.services.turns.find(turnId!))?.approvalPolicy).toBe(expected);
    expect((await pending(chat)).length).toBe(expected === 'ask' ? 1 : 0);
    expect((await page(chat, 'kiln'))?.status).toBe('draft');
  });

  it('several that waited become one with the strictest', async () => {
    const held = heldStep(...textBlock('t', 'Hm'));
    await using chat = await startScriptedChat([held.step, step(), says('Done.')]);
    await makePage(chat, 'Kiln');
    const session = await chat.services.sessions.get(chat.session.id);
    const request = { session, modelId: null, scopes: scopesOfRole.admin, clientRequestId: null };
    await chat.services.chat.send({ ...request, texts: ['Go'] });
    await held.said;
    for (const approvalPolicy of ['allow', 'deny', 'ask'] as const)
      await chat.services.chat.enqueue({ ...request, texts: [approvalPolicy], approvalPolicy });
    held.end();
    await chat.services.chat.idle();
    expect(await outputs(chat)).toMatchObject({ c1: { type: 'execution-denied' } });
  });
});
