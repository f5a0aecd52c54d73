import { z } from 'zod';
import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';

const tApiKeys = translator('apiKeys');
const t = translator('calls');
const tShared = translator('shared');

const results = z.object({ result: z.object({ isError: z.boolean().optional(), content: z.tuple([z.object({ text: z.string() })]) }) }); // oxfmt-ignore

test('what another assistant asks for is read, denied and approved with the keyboard', async ({
  desk: _,
  page,
  server,
}) => {
  const call = async (name: string, args: object) => {
    const answer = await page.request.post(`${server.url}/mcp`, {
      headers: { accept: 'application/json, text/event-stream' },
      data: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    });
    const { isError = false, content } = results.parse(await answer.json()).result;
    return { isError, text: content[0].text };
  };
  await page.goto(`${server.url}/account`);
  const waiting = page.getByRole('region', { name: t('title') });
  await expect(waiting.getByRole('paragraph').getByText(t('empty'))).toBeVisible();

  expect((await call('delete_content', { ref: 'workshops' })).text).toContain(`${server.url}/account`);
  await call('unpublish_content', { ref: 'our-story' });
  const rows = waiting.getByRole('list', { name: t('list') }).locator(':scope > li');
  await expect(rows).toHaveCount(2);

  // A user on another page sees a notice, on a phone too, where the bar has little room.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${server.url}/library/import`);
  const mark = page.getByRole('link', { name: tShared('waitingCalls', { count: 2 }) });
  await expect(mark).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  await mark.click();
  const deleting = rows.filter({ hasText: 'Delete Workshops' });
  await expect(deleting).toContainText('Moves "Workshops" to the trash');
  await deleting.getByRole('button', { name: 'Keep it' }).focus();
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(1);
  // The focus is where the work continues.
  await expect(rows.getByRole('button', { name: 'Keep it online' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(0);

  expect((await call('delete_content', { ref: 'workshops' })).isError).toBe(true);
  expect((await call('unpublish_content', { ref: 'our-story' })).isError).toBe(false);
  expect((await page.request.get(`${server.url}/site/our-story`)).status()).toBe(410);

  await page.getByText(t('connect.title')).click();
  await expect(page.getByText(`${server.url}/mcp`, { exact: true })).toBeVisible();
  // What is proposed there is a key for drafts, and what keys from before may is said.
  await expect(page.getByText(t('connect.former'))).toBeVisible();
  await page.getByRole('button', { name: t('connect.create') }).click();
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(1);
  await expect(page.getByRole('checkbox', { name: tApiKeys('scopes.content:draft.name') })).toBeChecked();
});
