import { previewStrings } from '#components/chat/preview/words.ts';
import { expect, test } from '#tests/e2e/support/desk-test';

test('the old address of a page that was moved leads on, for visitors, in the preview and for search engines', async ({
  desk,
  page,
}) => {
  const created = await page.request.post('/api/content/pages', { data: { title: 'Kiln days', excerpt: 'Come.' } });
  const { entry } = await created.json();
  const path = `/api/content/pages/${entry.id}`;
  await page.request.post(`${path}/publish`);
  const parent = await page.request.post('/api/content/pages', { data: { title: 'Open days' } });
  const { entry: above } = await parent.json();
  await page.request.post(`/api/content/pages/${above.id}/publish`);
  await page.request.patch(path, {
    data: { slug: 'open-kiln', parent: above.id, seo: { title: 'Open kiln in Wick', noIndex: true } },
  });
  await page.request.post(`${path}/publish`);

  // A browser would keep a permanent redirect for good, and be led in circles once the page moves back.
  const moved = await page.request.get('/site/kiln-days', { maxRedirects: 0 });
  expect(moved.status()).toBe(308);
  expect(moved.headers()['cache-control']).toContain('no-store');

  await page.goto('/site/kiln-days');
  await expect(page).toHaveURL('/site/open-days/open-kiln');
  await expect(page).toHaveTitle('Open kiln in Wick');
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', /noindex/);
  await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', /^http.*\/site\/open-days\/open-kiln$/);
  const sitemap = await (await page.request.get('/site/sitemap.xml')).text();
  expect(sitemap).toContain('/site/open-days</loc>');
  expect(sitemap).not.toContain('open-kiln');
  expect(await (await page.request.get('/robots.txt')).text()).toContain('/site/sitemap.xml');

  await page.goto('/preview/open-kiln');
  await expect(page).toHaveURL('/preview/open-days/open-kiln');

  await page.goto('/');
  await page.getByRole('button', { name: previewStrings.pick }).click();
  await page.getByRole('button', { name: 'Kiln days' }).click();
  await expect(desk.preview.getByRole('heading', { name: 'Kiln days' })).toBeVisible();
  await expect(page.getByRole('button', { name: previewStrings.pick })).toContainText('/open-days/open-kiln');
});
