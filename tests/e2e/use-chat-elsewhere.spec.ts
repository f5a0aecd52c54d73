import type { Page } from '@playwright/test';
import { build } from 'rolldown';
import { z } from 'zod';
import { expect, test as base } from '#tests/e2e/support/desk-test';
import { createGate, diary, newestRequest, thinkAndSummarize } from '#tests/e2e/support/scripted-model';

/* The page of another program with `useChat`, from the same origin as the server. */

/** The transport of the page: the hook's own, or our example. */
type Transport = 'DefaultChatTransport' | 'ThroughlineChatTransport';
const TRANSPORTS: readonly Transport[] = ['DefaultChatTransport', 'ThroughlineChatTransport'];

interface OpenPage {
  /** @param id of the session. Default: a new one */
  (server: string, transport: Transport, id?: string): Promise<OtherPage>;
}

const test = base.extend<{ openPage: OpenPage }, { script: string }>({
  script: [
    // Playwright reads the names of the fixtures from this pattern.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const { output } = await build({
        input: 'tests/e2e/support/other-app.tsx',
        write: false,
        logLevel: 'silent',
        platform: 'browser',
        transform: { define: { 'process.env.NODE_ENV': '"production"' } },
      });
      await use(output[0].code);
    },
    { scope: 'worker' },
  ],
  openPage: async ({ page, script }, use) => {
    await use(async (server, transport, known) => {
      const body = '<!doctype html><title>Other</title><body><script type="module" src="/other.js"></script>';
      await page.route(/\/other(\?transport)?$/, (route) => route.fulfill({ contentType: 'text/html', body }));
      await page.route('**/other.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
      const id = known ?? (await createSession(page, server));
      await page.goto(`${server}/other${transport === 'ThroughlineChatTransport' ? '?transport' : ''}#${id}`);
      await expect(page.getByLabel('Message')).toBeVisible();
      return new OtherPage(page);
    });
  },
});

async function createSession(page: Page, server: string): Promise<string> {
  const created = await page.request.post(`${server}/api/sessions`, { data: {} });
  return z.object({ id: z.string() }).parse(await created.json()).id;
}

class OtherPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get articles() {
    return this.page.getByRole('article');
  }

  tool(name: string) {
    return this.page.locator(`[data-tool=${name}]`);
  }

  /** Kinds of the data that the hook has received. */
  get data() {
    return this.page.getByLabel('Data');
  }

  async send(text: string): Promise<void> {
    await this.page.getByLabel('Message').fill(text);
    await this.page.getByRole('button', { name: 'Send' }).click();
  }

  async expectIdle(): Promise<void> {
    await expect(this.page.getByRole('main')).toHaveAttribute('data-status', 'ready');
    await expect(this.page.getByRole('alert')).toBeEmpty();
  }
}

for (const transport of TRANSPORTS) {
  test(`${transport} in another app sends a file, resumes after a reload, and regenerates`, async ({
    openPage,
    startScripted,
  }) => {
    const gate = createGate();
    let answers = 0;
    let isAsked = false;
    const { server } = await startScripted(async (request) => {
      if (newestRequest(request).includes('What is this?')) return { text: `A dot, answer ${(answers += 1)}.` };
      isAsked = true;
      await gate.opened;
      return { text: 'The answer after the reload.' };
    });
    const other = await openPage(server.url, transport);
    const { page, articles } = other;
    const dot = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.getByLabel('File').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: dot });
    await other.send('What is this?');
    await expect(articles).toHaveText([/What is this\?/, /answer 1/]);
    await other.expectIdle();
    await page.getByRole('button', { name: 'Again' }).click();
    await expect(articles).toHaveText([/What is this\?/, /answer 2/]);
    await other.expectIdle();

    await page.getByLabel('File').setInputFiles([]);
    await other.send('Take your time');
    await expect(articles).toHaveCount(3);
    // The hook shows a message before the server has it, and a reload cancels the request that sends it.
    await expect.poll(() => isAsked).toBe(true);
    await page.reload();
    await expect(articles).toHaveCount(3);
    gate.open();
    await expect(articles.nth(3)).toHaveText(/The answer after the reload\./);
    await other.expectIdle();
    await page.reload();
    await expect(articles).toHaveText([/What is this\?/, /answer 2/, /Take your time/, /after the reload/]);
    await expect(page.getByRole('img', { name: 'dot.png' })).toHaveCount(1);
  });
}

test('DefaultChatTransport in another app decides a call, and sends during a turn', async ({
  openPage,
  startScripted,
}) => {
  const gate = createGate();
  const { server } = await startScripted(async (request) => {
    const last = request.messages.at(-1);
    if (last?.role === 'tool') return { text: 'It is gone.' };
    if (newestRequest(request).includes('Clean up'))
      return { text: 'May I?', toolCalls: [{ id: 'call_1', name: 'delete_content', input: { ref: 'commissions' } }] };
    if (newestRequest(request).includes('First')) await gate.opened;
    return { text: `Answer to ${newestRequest(request).includes('First') ? 'the first' : 'the second'}.` };
  });
  const other = await openPage(server.url, 'DefaultChatTransport');
  const { page, articles } = other;
  await other.send('Clean up');
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect(articles.last()).toHaveText(/May I\?.*It is gone\./);
  await expect(other.tool('delete_content')).toHaveCount(1);
  await expect(other.tool('delete_content')).toHaveAttribute('data-state', 'output-available');
  await other.expectIdle();
  expect((await page.request.get(`${server.url}/site/commissions`)).status()).toBe(410);

  await other.send('First');
  await expect(page.getByRole('main')).toHaveAttribute('data-status', /submitted|streaming/);
  await other.send('Second');
  await expect(articles.filter({ hasText: 'Second' })).toBeVisible();
  gate.open();
  await expect(articles.last()).toHaveText(/Answer to the second\./);
  await other.expectIdle();
  await page.reload();
  await expect(articles).toHaveText([
    /Clean up/,
    /May I\?.*It is gone\./,
    /First/,
    /Answer to the first\./,
    /Second/,
    /Answer to the second\./,
  ]);
});

test('ThroughlineChatTransport in another app shows data parts live and after a reload', async ({
  page,
  openPage,
  startScripted,
}) => {
  const { server } = await startScripted(thinkAndSummarize, { CONTEXT_WINDOW: '16000' });
  const id = await createSession(page, server.url);
  await page.request.post(`${server.url}/api/sessions/${id}/import`, { data: { messages: diary(36) } });
  const other = await openPage(server.url, 'ThroughlineChatTransport', id);
  await other.send(`List the pages. ${'This note is long. '.repeat(600)}`);
  await expect(other.articles.last().getByText('data-compaction')).toBeVisible();
  await expect(other.tool('list_content')).toHaveAttribute('data-state', 'output-available');
  await other.expectIdle();
  await expect(other.data).toContainText('data-compaction');
  await expect(other.data).toContainText('data-context');
  await page.reload();
  await expect(other.articles.last().getByText('data-compaction')).toBeVisible();
});

test('ThroughlineChatTransport in another app stops its own turn and a resumed one', async ({
  page,
  openPage,
  startScripted,
}) => {
  const { server, provider } = await startScripted((_, index) => ({ silentAfter: ['Half ', `an answer ${index}`] }));
  const other = await openPage(server.url, 'ThroughlineChatTransport');
  const stop = () => page.getByRole('button', { name: 'Stop' }).click();
  await other.send('First');
  await expect(other.articles.last()).toHaveText('Half an answer 0');
  await stop();
  await other.expectIdle();
  await other.send('Second');
  await expect(other.articles.last()).toHaveText('Half an answer 1');
  await page.reload();
  await expect(other.articles.last()).toHaveText('Half an answer 1');
  await stop();
  await other.expectIdle();
  await page.reload();
  await expect(other.articles).toHaveText(['First', 'Half an answer 0', 'Second', 'Half an answer 1']);
  expect(provider.requests.map(({ state }) => state)).toEqual(['client-closed', 'client-closed']);
});
