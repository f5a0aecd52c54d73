import { describe, expect, it } from 'vitest';
import type { SitesReport } from '#server/core/site/remote-site';
import { textFromHtml } from '#server/markup/html-text';
import { createWordPressClient } from '#server/wordpress/client/create-wordpress-client';
import { collect } from '#server/wordpress/client/collections';
import { answerBakery, BAKERY_REQUESTS, BAKERY_SHOWS } from '#tests/peers/support/bakery-session';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';
import { startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { startProductionServer } from '#tests/support/production-server';

/** The state of the site without the trash and without values that any write changes. */
async function stateOf({ url, username, password }: WordPressServer) {
  const client = createWordPressClient({ url, username, password, fetch });
  const statuses = ['draft', 'publish', 'future', 'private', 'pending'] as const;
  const entries = async (type: 'page' | 'post') =>
    (await collect(client.entries.list(type, { statuses }))).map(({ modifiedGmt: _, ...entry }) => entry);
  return {
    pages: await entries('page'),
    posts: await entries('post'),
    menu: await client.menus.blocks.get((await client.menus.find()).remoteId ?? 0),
    settings: await client.settings.get(),
  };
}

/** An editor's browser, as far as a script needs one. */
function editorOf(server: string) {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${server}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect({ path, status: response.status, text }).toMatchObject({ status: expect.toSatisfy((code) => code < 300) });
    return (text.startsWith('{') ? JSON.parse(text) : text) as T;
  }
  return {
    call,
    /** Sends a message and waits for the end of its turn. @returns the text of the answer */
    async say(this: void, id: string, text: string): Promise<string> {
      const message = { role: 'user', parts: [{ type: 'text', text }] };
      const stream = await call<string>('POST', '/api/chat', { id, message, approvals: 'allow' });
      const chunks = stream.match(/(?<=^data: )\{.*\}$/gm) ?? [];
      return chunks
        .map((chunk) => JSON.parse(chunk) as { type: string; delta?: string; errorText?: string })
        .map(({ type, delta, errorText }) => (type === 'text-delta' ? delta : (errorText ?? '')))
        .join('');
    },
  };
}

describe.skipIf(!hasWordPress)('a session that builds a site on WordPress', () => {
  it('is compacted, shows visitors the result, and is undone completely', async () => {
    await using site = await startWordPress();
    await site.php(`wp_insert_post(['post_type' => 'wp_navigation', 'post_status' => 'publish', 'post_title' => 'Main',
      'post_content' => '<!-- wp:navigation-link {"label":"Sample","url":"/sample-page/"} /-->']);`);
    const before = await stateOf(site);
    await using provider = await startFakeOpenRouter({ respond: answerBakery });
    await using server = await startProductionServer({
      env: {
        OPENROUTER_API_KEY: 'test-key',
        OPENROUTER_BASE_URL: provider.baseUrl,
        DEFAULT_MODEL: 'anthropic/claude-sonnet-4.5',
        CONTEXT_WINDOW: '12000',
        TURNS_PER_MINUTE: '10000',
        REQUESTS_PER_MINUTE: '100000',
        LOG_LEVEL: 'warn',
      },
    });
    const { call, say } = editorOf(server.url);
    const { url, username, password } = site;
    const { wordpress } = await call<SitesReport>('POST', '/api/settings/sites', { url, username, password });
    const siteId = wordpress[0]!.id;
    await expect
      .poll(async () => (await call<SitesReport>('GET', '/api/settings/sites')).wordpress[0], { timeout: 60_000 })
      .toMatchObject({ pulledAt: expect.any(Number), pulling: null, fault: null });
    await call('POST', '/api/settings/sites/active', { siteId });

    const { id } = await call<{ id: string }>('POST', '/api/sessions', {});
    for (const request of BAKERY_REQUESTS) await say(id, request);
    expect(BAKERY_REQUESTS).toHaveLength(60);

    for (const [path, texts] of Object.entries(BAKERY_SHOWS)) {
      const visited = await fetch(`${site.url}${path}`);
      const shown = textFromHtml(await visited.text());
      expect({ path, status: visited.status }).toEqual({ path, status: 200 });
      for (const text of texts) expect(shown, path).toContain(text);
    }
    for (const gone of ['/careers/', '/a-new-oven/']) expect((await fetch(`${site.url}${gone}`)).status).toBe(404);
    expect(await say(id, 'What did I ask first?')).toContain(BAKERY_REQUESTS[0]);
    const { compactionCount } = await call<{ compactionCount: number }>('GET', `/api/sessions/${id}/context`);
    expect(compactionCount).toBeGreaterThanOrEqual(2);

    const undone = await call<{ conflicts: unknown[] }>('POST', '/api/content/undo', { sessionId: id, all: true });
    expect(undone.conflicts).toEqual([]);
    expect(await stateOf(site)).toEqual(before);
  });
});
