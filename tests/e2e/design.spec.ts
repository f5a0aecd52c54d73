import type { Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { LIBRARY_DESIGN_PATH } from '#components/workspace/navigation.ts';
import { expectAccessible, expectAccessibleOnPhone, violationsOf } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

const t = translator('design');
const tChanges = translator('changes');

/** Axe finds nothing on the home page as visitors see it on a desktop and, with an open menu, on a phone. */
async function expectAccessibleToVisitors(site: Page, url: string): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1_280],
    ['dark', 390],
  ] as const) {
    await site.emulateMedia({ colorScheme });
    await site.setViewportSize({ width, height: 800 });
    await site.goto(url);
    if (width === 390) await site.locator('.site-menu > summary').click();
    expect(await violationsOf(site), `${colorScheme} at ${String(width)}`).toEqual([]);
  }
}

test('a theme and a brand colour are previewed, saved as a draft, published and undone', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const siteUrl = `${server.url}/site`;
  const seen = async () => /data-header="(\w+)"/.exec(await (await page.request.get(siteUrl)).text())?.[1] ?? 'none';
  await page.goto(`${server.url}${LIBRARY_DESIGN_PATH}`);
  const form = page.getByRole('form', { name: t('title') });
  const preview = page.frameLocator('iframe:not([aria-hidden])').locator('.site');
  await expect(preview).not.toHaveAttribute('data-header');

  // By keyboard alone, and seen before anything is saved.
  await form.getByRole('button', { name: t('themes.names.studio') }).press('Enter');
  await expect(preview).toHaveAttribute('data-header', 'centered');
  const brand = form.getByLabel(t('palette.fields.brand.label'), { exact: true });
  await brand.fill('#ffe08a');
  const save = form.getByRole('button', { name: t('save') });
  await expect(save).toHaveAttribute('aria-disabled', 'true');
  await form.getByRole('button', { name: /^Use #/ }).press('Enter');
  await expect(brand).not.toHaveValue('#ffe08a');
  await save.press('Enter');
  await expect(form.getByText(t('state.draft'))).toBeVisible();
  expect(await seen()).toBe('none');
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);

  const publish = form.getByRole('button', { name: t('publish'), exact: true });
  await publish.press('Enter');
  await expect(form.getByText(t('state.published'))).toBeVisible();
  expect(await seen()).toBe('centered');
  const site = await page.context().newPage();
  await expectAccessibleToVisitors(site, siteUrl);

  await form.getByRole('button', { name: t('themes.names.club') }).click();
  await save.click();
  await expect(form.getByText(t('state.draft'))).toBeVisible();
  await publish.click();
  await expect(form.getByText(t('state.published'))).toBeVisible();
  await expectAccessibleToVisitors(site, siteUrl);
  await site.close();

  const toast = page.locator('[data-sonner-toast][data-front="true"]').filter({ hasText: t('published') });
  await toast.getByRole('button', { name: tChanges('undo') }).click();
  await expect(form.getByText(t('state.draft'))).toBeVisible();
  expect(await seen()).toBe('centered');
});
