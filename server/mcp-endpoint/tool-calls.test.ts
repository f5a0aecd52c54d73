import { expect, it } from 'vitest';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { defaultSettings } from '#server/context/context-settings';
import { LOCAL_OWNER, type Principal } from '#server/core/principal';
import { ToolCalls } from '#server/mcp-endpoint/tool-calls';
import { createCallRequestRepository } from '#server/store/call-request-repository';
import { createContentRepository } from '#server/store/content-repository';
import { tools } from '#server/tools/index';
import { createTestDatabase } from '#tests/support/test-database';

const caller: Principal = { kind: 'key', userId: LOCAL_OWNER, name: 'Key', scopes: ['content:write'], keyId: 'key_1' };

it('what was agreed to on one site is asked anew on another one, and runs on its own', async () => {
  await using db = await createTestDatabase();
  const siteOf = async (siteId: string) => {
    const content = createEmbeddedContentBackend(createContentRepository(db, siteId));
    await content.create({ type: 'page', title: 'About' }, { actor: 'seed' });
    return { siteId, content };
  };
  const [ours, theirs] = [await siteOf('embedded'), await siteOf('wps_1')];
  let active = ours;
  const requests = createCallRequestRepository(db);
  const calls = new ToolCalls({
    tools,
    activeSite: () => Promise.resolve(active),
    settings: () => ({ ...defaultSettings, exemptTools: new Set() }),
    requests,
    onGraveCall: () => Promise.resolve(),
    onFault: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  const publish = async () => {
    const incoming = { toolName: 'publish_content', input: { ref: 'about' }, tell: null, decideAt: 'https://cms.test' };
    const result = await calls.call(caller, { ...incoming, signal: new AbortController().signal });
    return String(result.structuredContent?.['requestId'] ?? result.structuredContent?.['status']);
  };
  const statuses = () => Promise.all([ours, theirs].map(async ({ content }) => (await content.get('about')).status));

  const asked = await publish();
  await requests.decide(asked, null, { approved: true, reason: null, decidedBy: LOCAL_OWNER });
  active = theirs;
  expect(await publish()).not.toBe(asked);
  expect(await statuses()).toEqual(['draft', 'draft']);
  active = ours;
  expect(await publish()).toBe('published');
  expect(await statuses()).toEqual(['published', 'draft']);
});
