import { z } from 'zod';
import { compactionStrings } from '#components/context/words.ts';
import { attachmentStrings } from '#components/chat/text/words.ts';
import { toolStrings } from '#components/approvals/words.ts';
import { pngImage } from '#tests/support/attached-files';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

test('a tool card says what was done and how long it took, unfolds, and leads to its page', async ({
  desk,
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/');
  await desk.ask('Create a page called Tariffs');
  const card = desk.tool(/Tariffs/).first();
  await expect(card.getByText(/^(< )?\d+(\.\d)? s$/)).toBeVisible();

  const title = card.getByRole('button', { name: /Tariffs/ }).first();
  await title.click();
  await expect(title).toHaveAttribute('aria-expanded', 'true');
  const details = card.getByRole('region', { name: toolStrings.details });
  // What the step changed comes first; its fields as the assistant wrote them are folded.
  await expect(details.locator('ins').filter({ hasText: 'Tariffs' }).first()).toBeVisible();
  await expect(details.getByText('slug', { exact: true }).first()).toBeHidden();
  await details.getByText(toolStrings.technical, { exact: true }).click();
  await expect(details.getByText('slug', { exact: true }).first()).toBeVisible();
  await details.getByRole('button', { name: toolStrings.copyResult }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect(async () => expect(JSON.parse(await copied())).toMatchObject({ slug: 'tariffs' })).toPass();

  await page.reload();
  await expect(
    desk
      .tool(/Tariffs/)
      .first()
      .getByText(/^(< )?\d+(\.\d)? s$/),
  ).toBeVisible();
  await desk.ask('List the posts');
  await desk
    .tool(/Tariffs/)
    .first()
    .getByRole('button', { name: toolStrings.showLabel('Tariffs') })
    .click();
  await expect(desk.preview.getByRole('heading', { name: 'Tariffs' }).first()).toBeVisible();
});

/** Questions, each answered by a tool with much to say. */
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

test('an output that was cleared from the model’s view is marked, stays readable, and can be given back', async ({
  desk,
  page,
  startScripted,
}) => {
  const scripted = await startScripted(think);
  const { url } = scripted.server;
  const created = await page.request.post(`${url}/api/sessions`, { data: { title: 'Reports' } });
  const { id } = z.object({ id: z.string() }).parse(await created.json());
  await page.request.post(`${url}/api/sessions/${id}/import`, { data: { messages: reports(24) } });
  // What happens before the page follows the session has no toast.
  const followed = page.waitForResponse((response) => response.url().includes(`/api/sessions/${id}/events`));
  await page.goto(`${url}/c/${id}`);
  await followed;
  const marks = desk.transcript.getByRole('button', { name: toolStrings.cleared });
  await expect(desk.answers.last()).toContainText('Report 23 is fine.');
  await expect(marks).toHaveCount(0);

  const { outputsPruned, tokensSaved } = z
    .object({ outputsPruned: z.number(), tokensSaved: z.number() })
    .parse(await (await page.request.post(`${url}/api/sessions/${id}/prune`)).json());
  const toast = page
    .locator('[data-sonner-toast]')
    .filter({ hasText: compactionStrings.pruned(outputsPruned, tokensSaved) });
  await expect(toast).toBeVisible();
  // Under the pointer it stays.
  await toast.hover();
  await page.getByRole('log').evaluate((log) => log.parentElement?.scrollTo({ top: 0 }));
  // All earlier messages are there: the first card stays the first.
  await expect(desk.requests.first()).toContainText('Report 0?');
  await expect(marks.first()).toBeAttached();

  const mark = page.getByRole('button', { name: toolStrings.cleared });
  const card = desk.transcript.getByRole('listitem').filter({ has: mark }).first();
  await card.getByRole('button', { name: toolStrings.cleared }).focus();
  await expect(page.getByRole('tooltip')).toContainText(toolStrings.clearedHint);
  await card.locator('[aria-expanded]').press('Enter');
  await expect(card.getByRole('region', { name: toolStrings.details })).toContainText('clay and glaze were weighed');

  await toast.getByRole('button', { name: compactionStrings.undo }).click();
  await expect(page.locator('[data-sonner-toast]').filter({ hasText: compactionStrings.pruneUndone })).toHaveCount(1);
  await expect(marks).toHaveCount(0);
});

test('an image of a result is shown on its card, also after a reload, and opens larger', async ({ desk, page }) => {
  const ids = { toolCallId: 'call_draw', toolName: 'draw_plan' };
  const data = pngImage(640, 400).toString('base64');
  const value = [
    { type: 'text', text: 'The plan of the new shop.' },
    { type: 'media', data, mediaType: 'image/png' },
  ];
  const created = await page.request.post('/api/sessions', { data: { title: 'Plans' } });
  const { id } = z.object({ id: z.string() }).parse(await created.json());
  const messages = [
    { role: 'user', content: 'Draw the shop.' },
    { role: 'assistant', content: [{ type: 'tool-call', ...ids, input: { shop: 'north' } }] },
    { role: 'tool', content: [{ type: 'tool-result', ...ids, output: { type: 'content', value } }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Here is the plan.' }] },
  ];
  await page.request.post(`/api/sessions/${id}/import`, { data: { messages } });
  await page.goto(`/c/${id}`);
  const images = desk.transcript.getByRole('list', { name: toolStrings.images });
  const image = images.getByRole('img', { name: 'draw_plan-1.png' });
  await expect(image).toHaveAttribute('src', /^\/api\/attachments\/blb_\w+$/);
  expect(await image.evaluate((shown: HTMLImageElement) => shown.decode().then(() => shown.naturalWidth))).toBe(640);
  const card = desk.transcript.locator('[data-tool="draw_plan"]');
  await card.getByRole('button', { name: 'Draw plan', exact: true }).click();
  await expect(card.getByRole('region', { name: toolStrings.details })).toContainText('The plan of the new shop.');
  await images.getByRole('button', { name: attachmentStrings.view('draw_plan-1.png') }).click();
  await expect(page.getByRole('dialog').getByRole('img', { name: 'draw_plan-1.png' })).toBeVisible();
});
