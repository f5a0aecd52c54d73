import type { Page } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import type { PlacedEntry } from '#server/core/site/site-lists';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import type { ParsedRequest } from '#tests/support/request-log';

const tPageSections = translator('pageSections');
const t = translator('preview');

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

test('opening a conversation keeps the page of the preview and the chosen section', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(renamer);
  const api = createApiClient({ baseUrl: server.url });
  await page.goto(server.url);
  await desk.ask('Please rename Commissions');
  await expect(page.getByRole('button', { name: t('pick') })).toContainText('Made to order');

  const { draft } = await api.get<PlacedEntry>(paths.entry('page', 'workshops'));
  const section = draft.sections[1]!;
  await page.goto(`${server.url}${deskPagePath('/workshops', section.id)}`);
  await expect(heading(page)).toHaveText('Learn to throw, slowly');
  const chip = page.getByRole('list', { name: tPageSections('chip') });
  await expect(chip).toBeVisible();
  await desk.sidebar.getByRole('link', { name: /rename Commissions/ }).click();
  await expect(desk.tool(/Made to order|Commissions/).first()).toBeVisible();
  await expect(heading(page)).toHaveText('Learn to throw, slowly');
  await expect(chip).toBeVisible();

  // What is changed from now on is shown.
  await desk.ask('Please rename it again');
  await expect(page.getByRole('button', { name: t('pick') })).toContainText('Made to order again');
});
