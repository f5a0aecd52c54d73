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
