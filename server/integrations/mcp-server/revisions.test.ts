import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { LOCAL_OWNER } from '#server/core/admin/access-rights';
import { callReachOf } from '#server/core/conversation/pending-approvals';
import { caller, startMcpEndpoint } from '#tests/support/mcp-endpoint';

const PAGE = 'https://cms.example/account';

/** An endpoint with one page, and clients of the SDK that reach it without a network. */
async function start() {
  const endpoint = await startMcpEndpoint({}, 'Write in British English.');
  const send = async (request: Request) => endpoint.answer(request, await request.clone().json(), PAGE);
  const connect = async (options: ClientOptions = {}) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' }, ...options });
    const fetch = (url: string | URL, init?: RequestInit) => send(new Request(url, init));
    await client.connect(new StreamableHTTPClientTransport(new URL('https://cms.example/mcp'), { fetch }));
    return client;
  };
  return { ...endpoint, connect };
}

it('serves revision 2026-07-28 to clients that know it, and 2025-11-25 to others', async () => {
  await using server = await start();
  const modern = await server.connect();
  const legacy = await server.connect({ versionNegotiation: { mode: 'legacy' } });
  expect([modern.getNegotiatedProtocolVersion(), legacy.getNegotiatedProtocolVersion()]).toEqual([
    '2026-07-28',
    '2025-11-25',
  ]);
  for (const client of [modern, legacy]) {
    expect(client.getInstructions()).toContain('Write in British English.');
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('create_content');
    const { structuredContent } = await client.callTool({ name: 'list_content', arguments: { type: 'page' } });
    expect(structuredContent).toMatchObject({ items: [{ title: 'About' }] });
    expect((await client.listResources()).resources).toMatchObject([{ title: 'About' }]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('write_post');
  }
});

it('asks for a page to be opened within a call, and runs it once a person has agreed there', async () => {
  await using server = await start();
  const client = await server.connect({ capabilities: { elicitation: { url: {} } } });
  const asked: unknown[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params);
    const [request] = await server.requests.list(callReachOf(caller));
    const decision = { approved: true, reason: null, decidedBy: LOCAL_OWNER };
    await server.requests.decide(request!.id, callReachOf(caller), decision);
    return { action: 'accept' };
  });
  const result = await client.callTool({ name: 'publish_content', arguments: { ref: 'about' } });
  expect(result.isError).not.toBe(true);
  expect(asked).toEqual([expect.objectContaining({ mode: 'url', url: PAGE })]);
  expect(await server.content.get('about')).toMatchObject({ status: 'published' });
});

it('says that nothing is done yet when the page was not opened', async () => {
  await using server = await start();
  const client = await server.connect({ capabilities: { elicitation: { url: {} } } });
  client.setRequestHandler('elicitation/create', () => Promise.resolve({ action: 'decline' }));
  const { structuredContent } = await client.callTool({ name: 'publish_content', arguments: { ref: 'about' } });
  expect(structuredContent).toMatchObject({ status: 'waiting-for-approval' });
  expect(await server.content.get('about')).toMatchObject({ status: 'draft' });
});

it.each(['legacy', 'auto'] as const)('offers views to clients that show them (%s)', async (mode) => {
  await using server = await start();
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  const versionNegotiation = { mode };
  const showing = await server.connect({ versionNegotiation, capabilities: { extensions } });
  const other = await server.connect({ versionNegotiation });
  const viewsOf = async (client: Client) => {
    const { tools } = await client.listTools();
    return new Map(tools.map(({ name, _meta }) => [name, _meta?.['ui']]));
  };
  const resourceUri = 'ui://throughline/view.html';
  const views = await viewsOf(showing);
  for (const name of ['publish_content', 'get_content']) expect(views.get(name)).toEqual({ resourceUri });
  expect(views.get('list_content')).toBeUndefined();
  expect([...(await viewsOf(other)).values()].filter(Boolean)).toEqual([]);
  expect((await showing.listResources()).resources[0]).toMatchObject({ uri: resourceUri });
  expect(JSON.stringify(await other.listResources())).not.toContain('ui://');
  const { contents } = await showing.readResource({ uri: resourceUri });
  const csp = { connectDomains: [], resourceDomains: [], frameDomains: [] };
  expect(contents).toMatchObject([{ mimeType: 'text/html;profile=mcp-app', _meta: { ui: { csp } } }]);

  const publish = { name: 'publish_content', arguments: { ref: 'about' } };
  const { _meta: meta } = await showing.callTool(publish);
  expect(meta?.['throughline/effect']).toMatchObject({ summary: expect.stringContaining('About') });
  expect(JSON.stringify(await other.callTool(publish))).not.toContain('throughline/effect');
});
