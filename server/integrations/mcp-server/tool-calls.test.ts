import type { CallToolResult } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { defaultSettings } from '#server/context/settings/context-settings';
import type { Writer } from '#server/core/site/presence';
import { callReachOf, type CallRequestStore } from '#server/core/conversation/pending-approvals';
import type { JsonObject, JsonValue } from '#server/core/json';
import { LOCAL_OWNER, type Principal } from '#server/core/admin/access-rights';
import { type RequestedSite, ToolCalls } from '#server/integrations/mcp-server/tool-calls';
import { callHash } from '#server/integrations/mcp-server/call-hash';
import { createCallRequestRepository } from '#server/conversation/store/pending-approval-repository';
import { requireInternetAddress } from '#server/platform/outgoing/network';
import { createContentRepository } from '#server/site/store/content-repository';
import { tools } from '#server/tools/index';
import { preparePicture } from '#server/site/media/prepare-picture';
import { colouredPicture } from '#tests/support/pictures';
import { createTestDatabase } from '#tests/support/test-database';

const caller: Principal = {
  kind: 'key',
  userId: LOCAL_OWNER,
  name: 'Key',
  scopes: ['content:write'],
  keyId: 'key_1',
  sites: null,
};

/** Data of a call that waits or was denied. */
const dataOf = ({ structuredContent }: CallToolResult) =>
  (structuredContent ?? {}) as { readonly requestId?: string; readonly status?: string };

/** Makes calls of a key on a site. */
function callerOf(
  requests: CallRequestStore,
  active: () => RequestedSite,
  toolPolicies = defaultSettings.toolPolicies,
  writers: readonly Writer[] = [],
) {
  const calls = new ToolCalls({
    tools,
    settings: { current: () => ({ ...defaultSettings, toolPolicies, exemptTools: new Set() }) },
    writersIn: () => Promise.resolve(writers),
    requests,
    onSensitiveCall: () => Promise.resolve(),
    onFault: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  return (who: Principal, toolName: string, input: JsonValue) =>
    calls.call(who, {
      site: active(),
      toolName,
      input,
      reportProgress: null,
      decideAt: 'https://cms.test',
      canOpenPages: false,
      showsViews: false,
      signal: new AbortController().signal,
    });
}

it('a field that is filled in with nothing counts as left out', async () => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  await content.create({ type: 'page', title: 'About' }, { actor: 'seed' });
  const call = callerOf(createCallRequestRepository(db), () => ({ siteId: 'embedded', content }));
  const listed = await call(caller, 'list_content', { type: 'page', cursor: '', limit: null });
  expect(listed).toMatchObject({ structuredContent: { total: 1 } });
  expect(await call(caller, 'get_content', { ref: '' })).toMatchObject({ isError: true });
  const about = { ref: 'about', refs: null, from: null, with: null };
  expect((await call(caller, 'get_content', about)).isError).not.toBe(true);
  // What a client adds to every call is no field of the tool.
  const added = { toolCallId: 'call_1', sessionId: 'n8n' };
  expect(await call(caller, 'list_content', { type: 'page', ...added })).toMatchObject({
    structuredContent: { total: 1 },
  });
  // All drafts would be changed, and the excerpt would stay though it was to go.
  const widened: readonly (readonly [string, JsonObject])[] = [
    ['edit_text', { find: 'About', replace: 'On', refs: [], all: true }],
    ['update_content', { ref: 'about', title: 'On', excerpt: null }],
  ];
  for (const [name, input] of widened) expect(await call(caller, name, input)).toMatchObject({ isError: true });
});

it('no approval is requested for a call that cannot succeed', async () => {
  await using db = await createTestDatabase();
  const sources = { preparePicture, checkAddress: requireInternetAddress };
  const content = new EmbeddedSite(createContentRepository(db), sources);
  await content.create({ type: 'page', title: 'About' }, { actor: 'seed' });
  const requests = createCallRequestRepository(db);
  const call = callerOf(requests, () => ({ siteId: 'embedded', content }));
  const impossible: readonly (readonly [tool: string, input: JsonObject, why: string])[] = [
    ['set_settings', { accentColor: 'red' }, 'accentColor'],
    ['set_settings', { homeSlug: 'nope' }, 'There is no page "nope"'],
    ['set_navigation', { items: [{ label: 'X', href: 'javascript:alert(1)' }] }, 'items[0].href'],
    ['unpublish_content', { ref: 'about' }, 'is not published'],
    ['add_media', { file: 'http://127.0.0.1/x.png' }, 'is not one of a web server on the public internet'],
    ['add_media', {}, 'Nothing can be attached here: give the https address'],
    ['add_media', { file: 'kiln.png' }, 'There is no attached image "kiln.png". Nothing can be attached here'],
    ['undo', {}, 'Say which change to undo'],
  ];
  for (const [tool, input, why] of impossible) {
    const { isError, content: said } = await call(caller, tool, input);
    expect([tool, isError, JSON.stringify(said)]).toEqual([
      tool,
      true,
      expect.stringContaining(JSON.stringify(why).slice(1, -1)),
    ]);
  }
  expect(await requests.list(callReachOf(caller))).toEqual([]);
  await call(caller, 'set_settings', { redirects: '/summer-sale /offers' });
  expect(await requests.list(callReachOf(caller))).toMatchObject([
    { effect: { warnings: [expect.stringContaining('/offers leads visitors nowhere') as string] } },
  ]);
});

it('an approval for one site is requested again for another one, where it runs separately', async () => {
  await using db = await createTestDatabase();
  const siteOf = async (siteId: string) => {
    const content = new EmbeddedSite(createContentRepository(db, siteId));
    await content.create({ type: 'page', title: 'About' }, { actor: 'seed' });
    return { siteId, content };
  };
  const [ours, theirs] = [await siteOf('embedded'), await siteOf('wps_1')];
  let active = ours;
  const requests = createCallRequestRepository(db);
  const call = callerOf(requests, () => active);
  const publish = async () => {
    const result = await call(caller, 'publish_content', { ref: 'about' });
    const { requestId, status } = dataOf(result);
    return String(requestId ?? status);
  };
  const statuses = () => Promise.all([ours, theirs].map(async ({ content }) => (await content.get('about')).status));

  const asked = await publish();
  await requests.decide(asked, callReachOf(caller), { approved: true, reason: null, decidedBy: LOCAL_OWNER });
  active = theirs;
  expect(await publish()).not.toBe(asked);
  expect(await statuses()).toEqual(['draft', 'draft']);
  active = ours;
  expect(await publish()).toBe('published');
  expect(await statuses()).toEqual(['published', 'draft']);
});

describe('a key for drafts alone', () => {
  const drafter: Principal = { ...caller, scopes: ['content:draft'], keyId: 'key_2', sites: null };

  async function startSite() {
    const db = await createTestDatabase();
    const content = new EmbeddedSite(createContentRepository(db), { preparePicture });
    const by = { actor: 'user', userId: LOCAL_OWNER } as const;
    const { entry } = await content.create(
      {
        type: 'page',
        title: 'About',
        sections: [
          { type: 'hero', fields: {} },
          { type: 'faq', fields: { items: [{ question: 'Why?', answer: 'Because.' }] } },
        ],
      },
      by,
    );
    await content.publish(entry.id, by);
    const { asset } = await content.assets.add({ data: await colouredPicture('red'), filename: 'a.png' }, by);
    const cancelled = await content.create({ type: 'post', title: 'News' }, by);
    await content.schedule(cancelled.entry.id, Date.now() + 86_400_000, by);
    const cancel = await content.schedule(cancelled.entry.id, null, by);
    /** All that visitors see or will. */
    const seen = async () => {
      const entries = await Promise.all([entry.id, cancelled.entry.id].map((id) => content.get(id)));
      return {
        entries: entries.map(({ published, publishAt, planned, deletedAt }) => ({
          published,
          publishAt,
          planned,
          deletedAt,
        })),
        public: (await content.query({ state: 'published' })).total + (await content.query({ scheduled: true })).total,
        trash: (await content.query({ state: 'trashed' })).total,
        rest: [await content.navigation(), await content.settings(), await content.standingInstructions()],
        asset: await content.assets.get(asset.id),
      };
    };
    const requests = createCallRequestRepository(db);
    const always = Object.fromEntries(tools.map(({ name }) => [name, 'always' as const]));
    const call = callerOf(requests, () => ({ siteId: 'embedded', content }), always);
    const [sectionId, faqId] = entry.draft.sections.map(({ id }) => id) as [string, string];
    return { content, requests, call, seen, asset, sectionId, faqId, cancel, [Symbol.asyncDispose]: () => db.close() };
  }

  it('changes nothing visible to visitors by any tool, with any rights of others: it asks', async () => {
    await using site = await startSite();
    const { sectionId, faqId, asset, cancel } = site;
    const inputs: Readonly<Record<string, readonly JsonValue[]>> = {
      create_content: [{ type: 'page', title: 'More' }],
      update_content: [{ ref: 'about', title: 'About us' }],
      edit_text: [{ find: 'About', replace: 'Over', all: true }],
      add_section: [{ ref: 'about', type: 'text' }],
      update_section: [{ sectionId, fields: { heading: 'Hi' } }],
      edit_items: [{ sectionId: faqId, op: 'remove', item: '1' }],
      move_section: [{ sectionId, position: 2 }],
      remove_section: [{ sectionId }],
      publish_content: [{ ref: 'about' }, { ref: 'about', at: '2033-01-05T09:00Z' }],
      unpublish_content: [{ ref: 'about' }],
      delete_content: [{ ref: 'about' }, { ref: asset.id }],
      add_media: [{ file: 'https://kiln.example/a.png' }],
      update_media: [{ ref: asset.id, alt: 'Theirs' }],
      set_navigation: [
        { items: [{ label: 'Theirs', href: '/' }] },
        { op: 'add', fields: { label: 'Theirs', href: '/' } },
      ],
      set_settings: [{ siteName: 'Theirs' }],
      set_design: [{ parts: { theme: 'night' } }],
      remember_instruction: [{ kind: 'rule', text: 'Obey.' }],
      undo: [{ changeId: cancel.change.id }],
    };
    const writing = tools
      .filter(({ writes, isForEverybody }) => writes === true && isForEverybody !== true)
      .map(({ name }) => name);
    expect(Object.keys(inputs).toSorted()).toEqual(writing.toSorted());
    const before = await site.seen();
    const outcomes: string[] = [];
    for (const [tool, some] of Object.entries(inputs))
      for (const input of some) {
        const result = await site.call(drafter, tool, input);
        outcomes.push(
          `${tool}: ${result.isError === true ? 'refused' : dataOf(result).requestId === undefined ? 'done' : 'asks'}`,
        );
      }
    expect(await site.seen()).toEqual(before);
    expect(outcomes).toEqual([
      ...writing.filter((tool) => /create|update_content|section|edit/.test(tool)).map((tool) => `${tool}: done`),
      'publish_content: asks',
      'publish_content: asks',
      'unpublish_content: asks',
      'delete_content: asks',
      'delete_content: asks',
      'add_media: asks',
      'update_media: asks',
      'set_navigation: asks',
      'set_navigation: asks',
      'set_settings: asks',
      'set_design: asks',
      'remember_instruction: asks',
      'undo: asks',
    ]);
  });

  it('has done what a person agrees to, with their right', async () => {
    await using site = await startSite();
    for (const [tool, input] of [
      ['unpublish_content', { ref: 'about' }],
      ['update_media', { ref: site.asset.id, alt: 'A kiln' }],
    ] as const) {
      const asked = await site.call(drafter, tool, input);
      const id = String(dataOf(asked).requestId);
      await site.requests.decide(id, callReachOf(caller), { approved: true, reason: null, decidedBy: LOCAL_OWNER });
      expect(await site.call(drafter, tool, input)).not.toHaveProperty('isError');
    }
    expect((await site.content.get('about')).published).toBeNull();
    expect((await site.content.assets.get(site.asset.id)).alt).toBe('A kiln');
  });
});

it('does not write into a field that a person is typing in, but writes others', async () => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  const sections = [{ type: 'hero', fields: { heading: 'By hand', subheading: 'Here' } }] as const;
  const { entry } = await content.create({ type: 'page', title: 'About', sections }, { actor: 'seed' });
  const sectionId = entry.draft.sections[0]!.id;
  const writer = { name: 'Maud', sectionId, field: 'heading' };
  const site = { siteId: 'embedded', content };
  const call = callerOf(createCallRequestRepository(db), () => site, defaultSettings.toolPolicies, [writer]);
  const refused = await call(caller, 'update_section', { sectionId, fields: { heading: 'Ours' } });
  expect(refused.isError).toBe(true);
  expect(JSON.stringify(refused.content)).toMatch(/Maud is writing there now.*By hand/);
  await call(caller, 'update_section', { sectionId, fields: { subheading: 'Ours' } });
  expect((await content.get('about')).draft.sections[0]?.fields).toMatchObject({
    heading: 'By hand',
    subheading: 'Ours',
  });
});

it('is the same for the same call, however its fields are ordered, and for no other', () => {
  const hash = callHash('key_1', 'embedded', 'publish_content', { ref: 'about', with: [{ a: 1, b: 2 }] });
  expect(callHash('key_1', 'embedded', 'publish_content', { with: [{ b: 2, a: 1 }], ref: 'about' })).toBe(hash);
  const others = [
    callHash('key_1', 'wps_1', 'publish_content', { ref: 'about', with: [{ a: 1, b: 2 }] }),
    callHash('key_2', 'embedded', 'publish_content', { ref: 'about', with: [{ a: 1, b: 2 }] }),
    callHash('key_1', 'embedded', 'delete_content', { ref: 'about', with: [{ a: 1, b: 2 }] }),
    callHash('key_1', 'embedded', 'publish_content', { ref: 'about', with: [{ a: 2, b: 1 }] }),
    callHash('key_1', 'embedded', 'publish_content', { ref: 'about', with: { fields: [['a', 1]] } }),
    callHash('key_1', 'embedded', 'publish_content', { ref: 'about', with: { a: 1 } }),
    callHash('key_1', 'embedded', 'publish_content', {
      ref: 'about',
      with: [
        [
          ['a', 1],
          ['b', 2],
        ],
      ],
    }),
  ];
  expect(new Set([hash, ...others]).size).toBe(others.length + 1);
});
