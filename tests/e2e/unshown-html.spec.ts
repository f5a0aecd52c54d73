import { translator } from '#components/i18n.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';
import type { ParsedRequest } from '#tests/support/request-log';

const t = translator('draftPreview');

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
  await expect(desk.preview.getByRole('note').filter({ hasText: t('removed', { names: '<iframe>' }) })).toBeVisible();
  await desk.approve();
  // Both results report it to the model; the chat shows no tags.
  const answer = (await desk.answers.last().textContent()) ?? '';
  expect(answer.match(/The site removes/g)).toHaveLength(2);
  await page.goto(`${server.url}/site/workshops`);
  await expect(page.getByText('Find us')).toBeVisible();
  await expect(page.locator('iframe')).toHaveCount(0);
  await expect(page.getByText('The site removes')).toHaveCount(0);
});
