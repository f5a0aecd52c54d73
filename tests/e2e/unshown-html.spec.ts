import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { editorStrings } from '#components/content/text/words.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import type { PlacedEntry } from '#server/core/site/site-lists';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import type { ParsedRequest } from '#tests/support/request-log';

const MAP = '<p>Find us</p><iframe src="https://maps.example/embed"></iframe>';
const NOTE = 'The site removes <iframe> from this HTML: visitors do not see it. Use a link instead.';

/** Adds a map to Workshops, then publishes the page. */
function mapper(request: ParsedRequest) {
  const results = request.messages.filter(({ role }) => role === 'tool');
  if (!newestRequest(request).includes('map')) return { text: 'Yes.' };
  if (results.length === 0)
    return {
      toolCalls: [
        { id: 'call_1', name: 'add_section', input: { ref: 'workshops', type: 'html', fields: { html: MAP } } },
      ],
    };
  if (results.length === 1)
    return { toolCalls: [{ id: 'call_2', name: 'publish_content', input: { ref: 'workshops' } }] };
  return { text: `Results: ${JSON.stringify(results.map(({ content }) => content))}` };
}

test('an embedded map that the site removes is named before, in and after the approval', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(mapper);
  await page.goto(`${server.url}${deskPagePath('/workshops')}`);
  await desk.send('Add a map and publish');
  await expect(desk.approval).toContainText(NOTE);
  await expect(desk.preview.getByRole('note').filter({ hasText: editorStrings.removed('<iframe>') })).toBeVisible();
  await desk.approve();
  // Both results report it to the model; the chat shows no tags.
  const answer = (await desk.answers.last().textContent()) ?? '';
  expect(answer.match(/The site removes/g)).toHaveLength(2);
  await page.goto(`${server.url}/site/workshops`);
  await expect(page.getByText('Find us')).toBeVisible();
  await expect(page.locator('iframe')).toHaveCount(0);
  await expect(page.getByText('The site removes')).toHaveCount(0);
});

test('the footer keeps its lines, and columns of a table their alignment', async ({ page, startScripted }) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  const api = createApiClient({ baseUrl: server.url });
  await page.request.patch(`${server.url}/api/content/settings`, {
    data: { footerText: 'Mon to Fri, 9 to 17\nSat, 10 to 14' },
  });
  const { id } = await api.get<PlacedEntry>(paths.entry('page', 'workshops'));
  const body = '| Bowl | Price | Size |\n| :- | -: | :-: |\n| Small | 20 € | S |';
  const operations = [
    { op: 'insert-section', section: { id: 'sec_bcdfgh', type: 'text', fields: { body } }, index: 0 },
  ];
  const patched = await page.request.patch(`${server.url}${paths.entry('page', id)}`, { data: { operations } });
  expect(patched.ok(), await patched.text()).toBe(true);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${server.url}/preview/workshops`);
    const cells = page.locator('.site-table td');
    for (const [index, align] of ['left', 'right', 'center'].entries())
      await expect(cells.nth(index)).toHaveCSS('text-align', align);
    const footer = page.locator('footer').getByText('Mon to Fri');
    // The two lines of the text are two lines on the page.
    const lines = await footer.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
    expect(lines).toBe(2);
  }
});
