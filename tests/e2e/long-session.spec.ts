import { translator } from '#components/i18n.ts';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import type { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate } from '#tests/e2e/support/scripted-model';
import { untilStill } from '#tests/e2e/support/waits';
import { sessionHitPageSchema } from '#server/core/conversation/search-hits';
import { FIRST_WORDS, longHistory, NEWEST_WORDS } from '#tests/support/long-history';

const tTranscript = translator('transcript');
const tComposer = translator('composer');
const t = translator('sidebar');
const tShared = translator('shared');

/** Many pages. */
const MESSAGES = 400;

/** Imports a long conversation; gives its id. */
async function importLong(api: ReturnType<typeof createApiClient>): Promise<string> {
  const { id } = await api.createSession({ title: 'A long session' });
  await api.request('POST', '/api/sessions/{id}/import', { params: { id }, body: { messages: longHistory(MESSAGES) } });
  return id;
}

/** Pixels from the top of the window to the first message that is on screen, and its words. */
const firstInView = (desk: Workspace) =>
  desk.requests.evaluateAll((articles) => {
    const first = articles.find((article) => article.getBoundingClientRect().top > 100);
    return { top: first?.getBoundingClientRect().top ?? Number.NaN, words: first?.textContent ?? '' };
  });

const topOf = (desk: Workspace, words: string) =>
  desk.requests.filter({ hasText: words }).evaluate((article) => article.getBoundingClientRect().top);

test('a long conversation opens at its newest and is read back to its first message', async ({
  desk,
  page,
  server,
}) => {
  const snapshots: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/events?snapshot=1')) snapshots.push(request.url());
  });
  const answers = createGate();
  let isDown = true;
  await page.route('**/messages?*cursor=*', async (route) => {
    if (isDown) return route.fulfill({ body: 'no answer' });
    await answers.opened;
    return route.continue();
  });
  await page.goto(`${server.url}/c/${await importLong(createApiClient({ baseUrl: server.url }))}`);
  const newest = desk.transcript.getByText(NEWEST_WORDS);
  await expect(newest).toBeInViewport();
  expect(snapshots).toHaveLength(1);
  // All loaded messages are drawn: what is drawn later would push the first one away from the upper end again.
  await expect(page.getByRole('button', { name: tTranscript('earlier') })).toBeAttached();
  expect(await desk.answers.count()).toBeLessThan(MESSAGES / 4);

  // Earlier messages that could not be loaded are asked for again by keyboard.
  await desk.requests.first().scrollIntoViewIfNeeded();
  const failed = page.getByText(tTranscript('earlierFailed'));
  await expect(failed).toBeAttached();
  isDown = false;
  await desk.transcript.getByRole('button', { name: tShared('common.retry'), exact: true }).press('Enter');
  const loading = page.getByRole('button', { name: tTranscript('loadingEarlier') });
  await expect(loading).toBeAttached();
  await expect(page.locator('button:focus')).toHaveCount(1);

  // What one reads stays where it is while earlier messages are put before it. As far up as possible, since browsers do
  // not keep the scroll position there; later content pushes the page down again.
  await page.mouse.move(400, 400);
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -5_000);
      const top = await desk.transcript.evaluate((log) => log.parentElement?.scrollTop);
      return top === 0 && (await loading.isVisible());
    })
    .toBe(true);
  await untilStill(page);
  const before = await firstInView(desk);
  expect(before.words).not.toBe('');
  const count = await desk.requests.count();
  answers.open();
  await expect.poll(() => desk.requests.count()).toBeGreaterThan(count + 20);
  await expect.poll(async () => Math.abs((await topOf(desk, before.words)) - before.top)).toBeLessThanOrEqual(2);
  await expect(failed).toHaveCount(0);

  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, -50_000);
        return desk.transcript.getByText(tTranscript('beginning')).isVisible();
      },
      { timeout: 120_000, intervals: [200] },
    )
    .toBe(true);
  await expect(desk.requests).toHaveCount(MESSAGES / 4);
  await expect(desk.requests.first()).toContainText(FIRST_WORDS);
  await expect(async () => {
    await page.mouse.wheel(0, -50_000);
    await expect(desk.requests.first()).toBeInViewport({ timeout: 1_000 });
  }).toPass();
  await page.getByRole('button', { name: tTranscript('toBottom') }).click();
  await expect(newest).toBeInViewport();
});

test('a message of long ago that is asked for is shown while an answer is being written', async ({
  desk,
  page,
  startScripted,
}) => {
  const chunks = Array.from({ length: 1_000 }, (_, index) => `word${index} `);
  const { server } = await startScripted(() => ({ chunks, chunkDelayMs: 30 }));
  const api = createApiClient({ baseUrl: server.url });
  const id = await importLong(api);
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
