import { type ContextSettings, defaultSettings } from '#server/context/settings/context-settings';
import { createCallRequestRepository } from '#server/conversation/store/pending-approval-repository';
import { LOCAL_OWNER, type Principal } from '#server/core/admin/access-rights';
import { McpEndpoint } from '#server/integrations/mcp-server/mcp-endpoint';
import { ToolCalls } from '#server/integrations/mcp-server/tool-calls';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createContentRepository } from '#server/site/store/content-repository';
import { tools } from '#server/tools/index';
import { createTestDatabase } from '#tests/support/test-database';

/** A key for drafts. */
export const caller: Principal = {
  kind: 'key',
  userId: LOCAL_OWNER,
  name: 'Key',
  scopes: ['content:draft'],
  keyId: 'key_1',
  sites: null,
};

/**
 * The MCP endpoint of a site with one page, "About". Faults are thrown.
 * @param standing the site's standing instructions
 */
export async function startMcpEndpoint(settings: Partial<ContextSettings> = {}, standing = '') {
  const db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db), { preparePicture });
  await content.create({ type: 'page', title: 'About', sections: [{ type: 'text', fields: {} }] }, { actor: 'seed' });
  const onFault = (message: string, error: unknown) => {
    throw new Error(message, { cause: error });
  };
  const requests = createCallRequestRepository(db);
  const endpoint = new McpEndpoint({
    calls: new ToolCalls({
      tools,
      settings: { current: () => ({ ...defaultSettings, ...settings, exemptTools: new Set() }) },
      writersIn: () => Promise.resolve([]),
      requests,
      onSensitiveCall: () => Promise.resolve(),
      onFault,
    }),
    standing: () => Promise.resolve(standing),
    onFault,
    closing: new AbortController().signal,
  });
  /** Answers a message of `caller`. */
  const answer = (request: Request, message: unknown, decideAt: string) =>
    endpoint.answer({ caller, site: { siteId: 'embedded', content }, request, message, decideAt });
  return { answer, content, requests, [Symbol.asyncDispose]: () => db[Symbol.asyncDispose]() };
}
