import { translator } from '#components/i18n.ts';
import { expectAccessible, expectAccessibleOnPhone, violationsOf } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { startAccountsServer } from '#tests/support/accounts-server';

const t = translator('design');
const tChanges = translator('changes');

test('a theme and a brand colour are previewed, saved as a draft, published and undone', async ({ page }) => {
  await using server = await startAccountsServer({ env: { OFFLINE_CHUNK_DELAY_MS: '0' } });
  await takeCookie(page.context(), server.people.owner.cookie, server.url);
  const api = `${server.url}/api/content`;
  const headers = { origin: server.origin };
  const sections = [
    { type: 'hero', fields: { heading: 'Breathe', ctaLabel: 'Classes', ctaHref: '/' } },
    { type: 'text', fields: { body: 'Three teachers, **one** room.' } },
  ];
  const made = await page.request.post(`${api}/pages`, { data: { title: 'Home', slug: 'home', sections }, headers });
  const { entry } = (await made.json()) as { entry: { id: string } };
  await page.request.post(`${api}/pages/${entry.id}/publish`, { headers });
  await page.request.put(`${api}/navigation`, { data: { items: [{ label: 'Home', href: '/' }] }, headers });
  const seen = async () => {
    const html = await (await page.request.get(`${server.url}/site`)).text();
    return /data-header="(\w+)"/.exec(html)?.[1] ?? 'none';
  };

  await page.goto(`${server.url}/library/design`);
  const form = page.getByRole('form', { name: t('title') });
  const preview = page.frameLocator('iframe:not([aria-hidden])').locator('.site');
  await expect(preview).not.toHaveAttribute('data-header');

  // By keyboard alone, and seen before anything is saved.
  await form.getByRole('button', { name: t('themes.names.studio') }).focus();
  await page.keyboard.press('Enter');
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

  await form.getByRole('button', { name: t('publish'), exact: true }).press('Enter');
  await expect(form.getByText(t('state.published'))).toBeVisible();
  expect(await seen()).toBe('centered');

  const site = await page.context().newPage();
  for (const theme of ['studio', 'club'] as const) {
    if (theme === 'club') {
      await form.getByRole('button', { name: t(`themes.names.${theme}`) }).click();
      await save.click();
      await expect(form.getByText(t('state.draft'))).toBeVisible();
      await form.getByRole('button', { name: t('publish'), exact: true }).click();
      await expect(form.getByText(t('state.published'))).toBeVisible();
    }
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1_280, 390]) {
        await site.emulateMedia({ colorScheme });
        await site.setViewportSize({ width, height: 800 });
        await site.goto(`${server.url}/site`);
        if (width === 390) await site.locator('.site-menu > summary').click();
        expect(await violationsOf(site), `${theme} in ${colorScheme} at ${String(width)}`).toEqual([]);
      }
  }

  const toast = page.locator('[data-sonner-toast][data-front="true"]').filter({ hasText: t('published') });
  await toast.getByRole('button', { name: tChanges('undo') }).click();
  await expect(form.getByText(t('state.draft'))).toBeVisible();
  expect(await seen()).toBe('centered');
});
