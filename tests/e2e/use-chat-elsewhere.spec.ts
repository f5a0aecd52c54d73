import type { Page } from '@playwright/test';
import { build } from 'rolldown';
import { z } from 'zod';
import { expect, test as base } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest } from '#tests/e2e/support/scripted-model';

/* The page of another program with an unmodified `useChat`, from the same origin as the server. */

const test = base.extend<{ openPage: (server: string) => Promise<OtherPage> }, { script: string }>({
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
    await use(async (server) => {
      const body = '<!doctype html><title>Other</title><body><script type="module" src="/other.js"></script>';
      await page.route('**/other', (route) => route.fulfill({ contentType: 'text/html', body }));
      await page.route('**/other.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
      const created = await page.request.post(`${server}/api/sessions`, { data: {} });
      const { id } = z.object({ id: z.string() }).parse(await created.json());
      await page.goto(`${server}/other#${id}`);
      await expect(page.getByLabel('Message')).toBeVisible();
      return new OtherPage(page);
    });
  },
});

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

  async send(text: string): Promise<void> {
    await this.page.getByLabel('Message').fill(text);
    await this.page.getByRole('button', { name: 'Send' }).click();
  }

  async expectIdle(): Promise<void> {
    await expect(this.page.getByRole('main')).toHaveAttribute('data-status', 'ready');
    await expect(this.page.getByRole('alert')).toBeEmpty();
  }
}

test('another app sends with a file, resumes after a reload, and gets its answer again', async ({
  openPage,
  startScripted,
}) => {
  const gate = createGate();
  let answers = 0;
  const { server } = await startScripted(async (request) => {
    if (newestRequest(request).includes('What is this?')) return { text: `A dot, answer ${(answers += 1)}.` };
    await gate.opened;
    return { text: 'The answer after the reload.' };
  });
  const other = await openPage(server.url);
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
  await page.reload();
  await expect(articles).toHaveCount(3);
  gate.open();
  await expect(articles.nth(3)).toHaveText(/The answer after the reload\./);
  await other.expectIdle();
  await page.reload();
  await expect(articles).toHaveText([/What is this\?/, /answer 2/, /Take your time/, /after the reload/]);
  await expect(page.getByRole('img', { name: 'dot.png' })).toHaveCount(1);
});

test('another app decides a call, and sends during a turn', async ({ openPage, startScripted }) => {
  const gate = createGate();
  const { server } = await startScripted(async (request) => {
    const last = request.messages.at(-1);
    if (last?.role === 'tool') return { text: 'It is gone.' };
    if (newestRequest(request).includes('Clean up'))
      return { text: 'May I?', toolCalls: [{ id: 'call_1', name: 'delete_content', input: { ref: 'commissions' } }] };
    if (newestRequest(request).includes('First')) await gate.opened;
    return { text: `Answer to ${newestRequest(request).includes('First') ? 'the first' : 'the second'}.` };
  });
  const other = await openPage(server.url);
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
