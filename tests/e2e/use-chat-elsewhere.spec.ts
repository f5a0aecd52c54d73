import type { Page } from '@playwright/test';
import { build } from 'rolldown';
import { createApiClient } from '#components/api/api-client.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, diary, newestRequest, thinkAndSummarize } from '#tests/e2e/support/scripted-model';
import { pngImage } from '#tests/support/attached-files';
import { isSummaryRequest } from '#tests/support/summary-requests';

/* The page of another program with `useChat`, from the same origin as the server. */

/** The transport of the page: the hook's own, or our example. */
type Transport = 'DefaultChatTransport' | 'ThroughlineChatTransport';

/** Bundles the page once. */
let bundled: Promise<string> | undefined;
async function bundle(): Promise<string> {
  const { output } = await build({
    input: 'tests/e2e/support/other-app.tsx',
    write: false,
    logLevel: 'silent',
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  return output[0].code;
}

async function openPage(page: Page, server: string, transport: Transport, id: string): Promise<OtherPage> {
  const script = await (bundled ??= bundle());
  const body = '<!doctype html><title>Other</title><body><script type="module" src="/other.js"></script>';
  await page.route(/\/other(\?transport)?$/, (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.route('**/other.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  await page.goto(`${server}/other${transport === 'ThroughlineChatTransport' ? '?transport' : ''}#${id}`);
  await expect(page.getByLabel('Message')).toBeVisible();
  return new OtherPage(page);
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

/** Sends a file, has it answered again, and reloads while the next answer is written. */
async function sendFileAndResume(other: OtherPage, isAsked: () => boolean, resume: () => void): Promise<void> {
  const { page, articles } = other;
  await page.getByLabel('File').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: pngImage(1, 1) });
  await other.send('What is this?');
  await expect(articles).toHaveText([/What is this\?/, /answer 1/]);
  await other.expectIdle();
  await page.getByRole('button', { name: 'Again' }).click();
  await expect(articles).toHaveText([/What is this\?/, /answer 2/]);
  await other.expectIdle();

  await page.getByLabel('File').setInputFiles([]);
  await other.send('Take your time');
  // The hook shows a message before the server has it, and a reload cancels the request that sends it.
  await expect.poll(isAsked).toBe(true);
  await page.reload();
  await expect(articles.nth(2)).toHaveText('Take your time');
  resume();
  await expect(articles.nth(3)).toHaveText(/The answer after the reload\./);
  await other.expectIdle();
  await expect(page.getByRole('img', { name: 'dot.png' })).toHaveCount(1);
}

test('DefaultChatTransport elsewhere sends a file, regenerates, resumes, decides, and queues', async ({
  page,
  startScripted,
}) => {
  const slow = createGate();
  const first = createGate();
  let answers = 0;
  let isAsked = false;
  const { server } = await startScripted(async (request) => {
    const asked = newestRequest(request);
    if (request.messages.at(-1)?.role === 'tool') return { text: 'It is gone.' };
    if (asked.includes('What is this?')) return { text: `A dot, answer ${(answers += 1)}.` };
    if (asked.includes('Clean up'))
      return { text: 'May I?', toolCalls: [{ id: 'call_1', name: 'delete_content', input: { ref: 'commissions' } }] };
    if (asked.includes('Second')) return { text: 'Answer to the second.' };
    isAsked = true;
    await (asked.includes('First') ? first : slow).opened;
    return { text: asked.includes('First') ? 'Answer to the first.' : 'The answer after the reload.' };
  });
  const { id } = await createApiClient({ baseUrl: server.url }).createSession({});
  const other = await openPage(page, server.url, 'DefaultChatTransport', id);
  const { articles } = other;
  await sendFileAndResume(
    other,
    () => isAsked,
    () => slow.open(),
  );

  await other.send('Clean up');
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect(articles.last()).toHaveText(/May I\?.*It is gone\./);
  await expect(other.tool('delete_content')).toHaveAttribute('data-state', 'output-available');
  await other.expectIdle();
  expect((await page.request.get(`${server.url}/site/commissions`)).status()).toBe(410);

  await other.send('First');
  await expect(page.getByRole('main')).toHaveAttribute('data-status', /submitted|streaming/);
  await other.send('Second');
  await expect(articles.filter({ hasText: 'Second' })).toBeVisible();
  first.open();
  await expect(articles.last()).toHaveText(/Answer to the second\./);
  await other.expectIdle();
  await page.reload();
  await expect(articles).toHaveText([
    /What is this\?/,
    /answer 2/,
    /Take your time/,
    /after the reload/,
    /Clean up/,
    /May I\?.*It is gone\./,
    /First/,
    /Answer to the first\./,
    /Second/,
    /Answer to the second\./,
  ]);
});

test('ThroughlineChatTransport elsewhere sends a file, resumes, shows data parts, and stops', async ({
  page,
  startScripted,
}) => {
  const slow = createGate();
  let answers = 0;
  let isAsked = false;
  const { server, provider } = await startScripted(async (request, index) => {
    const asked = newestRequest(request);
    // A summary quotes the former messages.
    if (isSummaryRequest(request) || asked.includes('List the pages')) return thinkAndSummarize(request, index);
    if (asked.includes('What is this?')) return { text: `A dot, answer ${(answers += 1)}.` };
    if (asked.includes('story')) return { silentAfter: ['Half ', 'an answer'] };
    isAsked = true;
    await slow.opened;
    return { text: 'The answer after the reload.' };
  });
  const api = createApiClient({ baseUrl: server.url });
  const { id } = await api.createSession({});
  const other = await openPage(page, server.url, 'ThroughlineChatTransport', id);
  const { articles } = other;
  await sendFileAndResume(
    other,
    () => isAsked,
    () => slow.open(),
  );

  const stop = () => page.getByRole('button', { name: 'Stop' }).click();
  await other.send('Tell a story');
  await expect(articles.nth(5)).toHaveText('Half an answer');
  await stop();
  await other.expectIdle();
  await other.send('Tell another story');
  await expect(articles.nth(7)).toHaveText('Half an answer');
  await page.reload();
  await expect(articles.nth(7)).toHaveText('Half an answer');
  await stop();
  await other.expectIdle();
  const states = () => provider.requests.slice(-2).map(({ state }) => state);
  await expect.poll(states).toEqual(['client-closed', 'client-closed']);
  await page.reload();
  await expect(articles).toHaveCount(8);
  await expect(articles.last()).toHaveText('Half an answer');

  await api.saveSettings({ maxContextTokens: 16_000 });
  await api.request('POST', '/api/sessions/{id}/import', { params: { id }, body: { messages: diary(36) } });
  await page.reload();
  await other.send(`List the pages. ${'This note is long. '.repeat(600)}`);
  await expect(articles.last().getByText('data-compaction')).toBeVisible();
  await expect(other.tool('list_content')).toHaveAttribute('data-state', 'output-available');
  await other.expectIdle();
  await expect(other.data).toContainText('data-compaction');
  await expect(other.data).toContainText('data-context');
  await page.reload();
  await expect(articles.last().getByText('data-compaction')).toBeVisible();
});
