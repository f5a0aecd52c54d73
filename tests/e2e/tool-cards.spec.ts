import { z } from 'zod';
import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

const t = translator('tools');
const tCompaction = translator('compaction');

/** Questions, each answered by a tool with a long output. */
const reports = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const ids = { toolCallId: `call_${index}`, toolName: 'fetch_report' };
    const value = `Report ${index}: ${'clay and glaze were weighed and noted. '.repeat(700)}`;
    return [
      { role: 'user', content: `Report ${index}?` },
      { role: 'assistant', content: [{ type: 'tool-call', ...ids, input: { index } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...ids, output: { type: 'text', value } }] },
      { role: 'assistant', content: [{ type: 'text', text: `Report ${index} is fine.` }] },
    ];
  }).flat();

test('a pruned output is marked, stays readable, and is restored by undo', async ({ desk, page, startScripted }) => {
  const scripted = await startScripted(think);
  const { url } = scripted.server;
  const created = await page.request.post(`${url}/api/sessions`, { data: { title: 'Reports' } });
  const { id } = z.object({ id: z.string() }).parse(await created.json());
  await page.request.post(`${url}/api/sessions/${id}/import`, { data: { messages: reports(24) } });
  // Events before the page follows the session have no toast.
  const followed = page.waitForResponse((response) => response.url().includes(`/api/sessions/${id}/events`));
  await page.goto(`${url}/c/${id}`);
  await followed;
  const marks = desk.transcript.getByRole('button', { name: t('cleared') });
  await expect(desk.answers.last()).toContainText('Report 23 is fine.');
  await expect(marks).toHaveCount(0);

  const { outputsPruned, tokensSaved } = z
    .object({ outputsPruned: z.number(), tokensSaved: z.number() })
    .parse(await (await page.request.post(`${url}/api/sessions/${id}/prune`)).json());
  const toast = page
    .locator('[data-sonner-toast]')
    .filter({ hasText: tCompaction('pruned', { outputs: outputsPruned, saved: tokensSaved }) });
  await expect(toast).toBeVisible();
  // A toast under the pointer does not close.
  await toast.hover();
  await page.getByRole('log').evaluate((log) => log.parentElement?.scrollTo({ top: 0 }));
  // All earlier messages are loaded: the first card stays the first.
  await expect(desk.requests.first()).toContainText('Report 0?');
  await expect(marks.first()).toBeAttached();

  const mark = page.getByRole('button', { name: t('cleared') });
  const card = desk.transcript.getByRole('listitem').filter({ has: mark }).first();
  await card.getByRole('button', { name: t('cleared') }).focus();
  await expect(page.getByRole('tooltip')).toContainText(t('clearedHint'));
  await card.locator('[aria-expanded]').press('Enter');
  await expect(card.getByRole('region', { name: t('details') })).toContainText('clay and glaze were weighed');

  await toast.getByRole('button', { name: tCompaction('undo') }).click();
  await expect(page.locator('[data-sonner-toast]').filter({ hasText: tCompaction('pruneUndone') })).toHaveCount(1);
  await expect(marks).toHaveCount(0);
});
