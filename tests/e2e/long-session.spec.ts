import type { Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import type { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { untilStill } from '#tests/e2e/support/waits';
import { sessionHitPageSchema } from '#server/core/conversation/search-hits';
import { FIRST_WORDS, longHistory, NEWEST_WORDS } from '#tests/support/long-history';

const tTranscript = translator('transcript');
const tComposer = translator('composer');
const t = translator('sidebar');
const tShared = translator('shared');

/** Many pages. */
const MESSAGES = 800;

/** The address of the one conversation that all of them read. */
let address: string;

test.beforeAll(async ({ server }) => {
  const api = createApiClient({ baseUrl: server.url });
  const { id } = await api.createSession({ title: 'A long session' });
  await api.request('POST', '/api/sessions/{id}/import', { params: { id }, body: { messages: longHistory(MESSAGES) } });
  address = `/c/${id}`;
});

/** Pixels from the top of the window to the first message that is on screen, and its words. */
const firstInView = (desk: Workspace) =>
  desk.requests.evaluateAll((articles) => {
    const first = articles.find((article) => article.getBoundingClientRect().top > 100);
    return { top: first?.getBoundingClientRect().top ?? Number.NaN, words: first?.textContent ?? '' };
  });

const topOf = (desk: Workspace, words: string) =>
  desk.requests.filter({ hasText: words }).evaluate((article) => article.getBoundingClientRect().top);

const earlierButton = (page: Page) => page.getByRole('button', { name: tTranscript('earlier') });
const begins = (desk: Workspace) => desk.transcript.getByText(tTranscript('beginning'));

test('a long conversation opens at its newest and shows the rest as one scrolls up', async ({ desk, page }) => {
  const snapshots: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/events?snapshot=1')) snapshots.push(request.url());
  });
  await page.goto(address);
  await expect(desk.transcript.getByText(NEWEST_WORDS)).toBeInViewport();
  expect(snapshots).toHaveLength(1);
  await expect(earlierButton(page)).toBeAttached();
  expect(await desk.answers.count()).toBeLessThan(100);

  const { x, y, width, height } = (await desk.transcript.boundingBox())!;
  await page.mouse.move(x + width / 2, Math.min(y + height, 600) - 100);
  await page.mouse.wheel(0, -1_500);
  await expect(desk.transcript.getByText(NEWEST_WORDS)).not.toBeInViewport();
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, -50_000);
        return begins(desk).isVisible();
      },
      { timeout: 240_000, intervals: [200] },
    )
    .toBe(true);
  await expect(desk.requests).toHaveCount(MESSAGES / 4);
  await expect(desk.requests.first()).toContainText(FIRST_WORDS);
  await expect(async () => {
    await page.mouse.wheel(0, -50_000);
    await expect(desk.requests.first()).toBeInViewport({ timeout: 1_000 });
  }).toPass();

  await page.getByRole('button', { name: tTranscript('toBottom') }).click();
  await expect(desk.transcript.getByText(NEWEST_WORDS)).toBeInViewport();
});

test('what one reads stays where it is while earlier messages are put before it', async ({ desk, page }) => {
  const answers = Promise.withResolvers<void>();
  await page.route('**/messages?*cursor=*', async (route) => {
    await answers.promise;
    await route.continue();
  });
  await page.goto(address);
  await expect(desk.transcript.getByText(NEWEST_WORDS)).toBeInViewport();
  await expect.poll(() => desk.requests.count()).toBeGreaterThan(5);
  // As far up as possible, since browsers do not keep the scroll position there; later content pushes the page down
  // again.
  await expect
    .poll(async () => {
      await page.mouse.move(400, 400);
      await page.mouse.wheel(0, -5_000);
      const top = await desk.transcript.evaluate((log) => log.parentElement?.scrollTop);
      return top === 0 && (await page.getByRole('button', { name: tTranscript('loadingEarlier') }).isVisible());
    })
    .toBe(true);
  await untilStill(page);
  const before = await firstInView(desk);
  expect(before.words).not.toBe('');
  const count = await desk.requests.count();
  answers.resolve();
  await expect.poll(() => desk.requests.count()).toBeGreaterThan(count + 20);
  await expect.poll(async () => Math.abs((await topOf(desk, before.words)) - before.top)).toBeLessThanOrEqual(2);
});

test('the button loads earlier messages by keyboard and keeps the focus; a failure is retried', async ({
  desk,
  page,
}) => {
  let isDown = true;
  await page.route('**/messages?*cursor=*', (route) =>
    isDown ? route.fulfill({ body: 'no answer' }) : route.continue(),
  );
  await page.goto(address);
  await expect(desk.transcript.getByText(NEWEST_WORDS)).toBeInViewport();
  // All loaded messages are drawn: what is drawn later would push the first one away from the upper end again.
  await expect(earlierButton(page)).toBeAttached();
  await desk.requests.first().scrollIntoViewIfNeeded();
  await expect(page.getByText(tTranscript('earlierFailed'))).toBeAttached();
  isDown = false;
  const count = await desk.requests.count();
  const again = desk.transcript.getByRole('button', { name: tShared('common.retry'), exact: true });
  await again.press('Enter');
  await expect.poll(() => desk.requests.count()).toBeGreaterThan(count + 20);
  await expect(page.getByText(tTranscript('earlierFailed'))).toHaveCount(0);
  await expect(page.locator('button:focus')).toHaveCount(1);
});

test('a message of long ago that is asked for is shown while an answer is being written', async ({
  desk,
  page,
  startScripted,
}) => {
  const chunks = Array.from({ length: 1_000 }, (_, index) => `word${index} `);
  const { server } = await startScripted(() => ({ chunks, chunkDelayMs: 30 }));
  const api = createApiClient({ baseUrl: server.url });
  const { id } = await api.createSession({ title: 'A long session' });
  await api.request('POST', '/api/sessions/{id}/import', { params: { id }, body: { messages: longHistory(MESSAGES) } });
  const { items } = sessionHitPageSchema.parse(await api.get(paths.search(id, FIRST_WORDS)));
  await page.goto(`${server.url}/c/${id}`);
  await desk.send('Please go on.');
  await expect(desk.answers.last()).toContainText('word3 ');
  // Another page first: a changed hash alone would load nothing.
  await page.goto('about:blank');
  await page.goto(`${server.url}/c/${id}#message=${items.at(-1)?.messageId}`);
  await expect(page.locator('[data-row]:focus')).toContainText(FIRST_WORDS);
  await expect(page.getByRole('button', { name: tComposer('stop') })).toBeVisible();
  await expect(desk.requests.first()).toBeInViewport();

  // A returning user is at the newest message.
  await desk.sidebar.getByRole('link', { name: t('newChat') }).click();
  await desk.sidebar.getByRole('link', { name: 'A long session' }).click();
  await expect(desk.answers.last()).toBeInViewport();
  await expect(page.locator('[data-row]:focus')).toHaveCount(0);
});
