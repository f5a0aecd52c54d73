import type { Page } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { previewStrings } from '#components/chat/preview/words.ts';
import { shortcutStrings } from '#components/chat/commands/words.ts';
import { pointStrings } from '#components/editor/words.ts';
import { historyStrings } from '#components/history/words.ts';
import { libraryStrings } from '#components/library/words.ts';
import { pagesStrings } from '#components/pages/words.ts';
import { deskPagePath, LIBRARY_MEDIA_PATH, LIBRARY_PAGES_PATH } from '#components/workspace/navigation.ts';
import type { EntryPage, PlacedEntry } from '#server/core/site/site-lists';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import type { ParsedRequest } from '#tests/support/request-log';

/** Renames Commissions when asked to. */
function renamer(request: ParsedRequest) {
  if (!newestRequest(request).includes('rename') || request.messages.at(-1)?.role === 'tool') return { text: 'Done.' };
  return {
    toolCalls: [
      {
        id: 'call_1',
        name: 'update_content',
        input: {
          ref: 'commissions',
          title: newestRequest(request).includes('again') ? 'Made to order again' : 'Made to order',
        },
      },
    ],
  };
}

const heading = (page: Page) =>
  page.locator('iframe[aria-hidden="false"]').contentFrame().getByRole('heading', { level: 1 });

test('the way back from the library leads to the conversation that was open', async ({ desk, page, startScripted }) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.goto(server.url);
  await desk.ask('Hello there');
  const conversation = page.url();
  await page.goto(`${server.url}${LIBRARY_PAGES_PATH}`);
  await page.getByRole('link', { name: libraryStrings.shell.back }).click();
  await expect(page).toHaveURL(conversation);
  await expect(desk.requests).toHaveText([/Hello there/]);

  // From the start of a new conversation, it leads there.
  await desk.newChat();
  await page.goto(`${server.url}${LIBRARY_PAGES_PATH}`);
  await page.getByRole('link', { name: libraryStrings.shell.back }).click();
  await expect(page).toHaveURL(/\/$/);
});

test('opening a conversation keeps the page of the preview and the chosen section', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(renamer);
  const api = createApiClient({ baseUrl: server.url });
  await page.goto(server.url);
  await desk.ask('Please rename Commissions');
  await expect(page.getByRole('button', { name: previewStrings.pick })).toContainText('Made to order');

  const { draft } = await api.get<PlacedEntry>(paths.entry('page', 'workshops'));
  const section = draft.sections[1]!;
  await page.goto(`${server.url}${deskPagePath('/workshops', section.id)}`);
  await expect(heading(page)).toHaveText('Learn to throw, slowly');
  const chip = page.getByRole('list', { name: pointStrings.chip });
  await expect(chip).toBeVisible();
  await desk.sidebar.getByRole('link', { name: /rename Commissions/ }).click();
  await expect(desk.tool(/Made to order|Commissions/).first()).toBeVisible();
  await expect(heading(page)).toHaveText('Learn to throw, slowly');
  await expect(chip).toBeVisible();

  // What is changed from now on is shown.
  await desk.ask('Please rename it again');
  await expect(page.getByRole('button', { name: previewStrings.pick })).toContainText('Made to order again');
});

test('the end of the day names pages that wait to be published, of the conversation and of the rest of the site', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(renamer);
  const api = createApiClient({ baseUrl: server.url });
  const unpublished = async () => {
    const lists = [await api.get<EntryPage>(paths.entries('page')), await api.get<EntryPage>(paths.entries('post'))];
    return lists.flatMap(({ items }) => items).filter(({ status }) => status !== 'published').length;
  };
  await page.goto(server.url);
  await desk.ask('Hello there');
  const patched = await page.request.patch(`${server.url}${paths.entry('page', 'workshops')}`, {
    data: { operations: [{ op: 'set', field: 'title', value: 'Courses' }] },
  });
  expect(patched.ok(), await patched.text()).toBe(true);
  const others = await unpublished();
  expect(others).toBeGreaterThan(0);
  await desk.send('/done');
  const sheet = page.getByRole('dialog', { name: historyStrings.name });
  await expect(sheet.getByText(historyStrings.leave.waiting(0))).toBeVisible();
  await expect(sheet.getByText(historyStrings.leave.elsewhere(others))).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);

  await desk.ask('Please rename Commissions');
  await desk.send('/done');
  await expect(sheet.getByText(historyStrings.leave.waiting(1))).toBeVisible();
  await expect(sheet.getByText(historyStrings.leave.elsewhere(others))).toBeVisible();
});

test('a search of the library is in the address', async ({ page, startScripted }) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.goto(`${server.url}${LIBRARY_PAGES_PATH}`);
  await page.getByRole('searchbox', { name: pagesStrings.search }).fill('workshops');
  await expect(page).toHaveURL(/\?q=workshops$/);
  const row = (title: string) => page.getByRole('link', { name: title }).first();
  await expect(row('Workshops')).toBeVisible();
  await expect(page.getByText('Commissions', { exact: true })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('searchbox', { name: pagesStrings.search })).toHaveValue('workshops');
  await expect(page.getByText('Commissions', { exact: true })).toHaveCount(0);

  await page.goto(`${server.url}${LIBRARY_MEDIA_PATH}?q=kiln&filter=unused`);
  await expect(page.getByRole('searchbox', { name: libraryStrings.media.search })).toHaveValue('kiln');
  await expect(page.getByRole('checkbox', { name: libraryStrings.media.unusedOnly })).toBeChecked();
  await page.getByRole('checkbox', { name: libraryStrings.media.unusedOnly }).click();
  await expect(page).toHaveURL(/\?q=kiln$/);
});

test('a section stays in view when its panel takes room from the page', async ({ desk, page, startScripted }) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.setViewportSize({ width: 1100, height: 760 });
  const api = createApiClient({ baseUrl: server.url });
  const { draft } = await api.get<PlacedEntry>(paths.entry('page', 'workshops'));
  const last = draft.sections.at(-1)!;
  await page.goto(`${server.url}${deskPagePath('/workshops', last.id)}`);
  const shown = desk.preview.locator(`#${last.id}`);
  await shown.scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: pointStrings.edit, exact: true }).click();
  await expect(page.locator('[data-panel]')).toBeVisible();
  const topShare = () =>
    shown.evaluate(
      (element) => element.getBoundingClientRect().top / element.ownerDocument.documentElement.clientHeight,
    );
  await expect.poll(topShare).toBeLessThan(0.9);
  expect(await topShare()).toBeGreaterThanOrEqual(0);
});

test('the chat keeps room beside a preview of the greatest width', async ({ desk, page, startScripted }) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(server.url);
  await expect(desk.composer).toBeFocused();
  const handle = page.getByRole('separator', { name: previewStrings.resize });
  await handle.focus();
  await expect(async () => {
    await page.keyboard.press('ArrowLeft');
    await expect(handle).toHaveAttribute('aria-valuenow', '75', { timeout: 50 });
  }).toPass();
  await expect.poll(async () => (await desk.composer.boundingBox())?.width).toBeGreaterThan(300);
});

test('a key leads to the sections of the page, and the list of shortcuts has those of the page editor', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.goto(`${server.url}${deskPagePath('/workshops')}`);
  await expect(heading(page)).toHaveText('Learn to throw, slowly');
  await desk.composer.focus();
  const surface = page.getByRole('region', { name: pointStrings.surface });
  await expect(surface).toBeAttached();
  await page.keyboard.press('Alt+Shift+E');
  await expect(surface).toBeFocused();
  // The first stop of the preview leads there, too.
  const skip = page.getByRole('button', { name: previewStrings.skip });
  await skip.focus();
  await skip.press('Enter');
  await expect(surface).toBeFocused();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: shortcutStrings.title });
  await expect(sheet).toContainText(shortcutStrings.groups.page);
  await expect(sheet).toContainText(shortcutStrings.actions['move-section']);
});
