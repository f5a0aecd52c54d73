import { expect, test } from '#tests/e2e/support/desk-test';
import { translator } from '#components/i18n.ts';

const t = translator('preference');

const WISH = 'Please never use exclamation marks.';

test('a kept preference is listed beside the context, removed, and restored by undo', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(({ messages }) =>
    messages.at(-1)?.role === 'user'
      ? { text: '', toolCalls: [{ id: 'call_1', name: 'keep_in_mind', input: { quote: WISH } }] }
      : { text: 'I will keep to that.' },
  );
  await page.goto(server.url);
  await desk.ask(`Hello. ${WISH}`);
  await expect(desk.transcript.getByText(`Kept in mind: “${WISH}”`)).toBeVisible();

  await page.getByRole('button', { name: /^Memory: / }).click();
  const list = page.getByRole('region', { name: t('title') });
  await expect(list.getByText(WISH)).toBeVisible();
  await list.getByRole('button', { name: t('letGoOf', { quote: WISH }) }).click();
  await expect(list).toHaveCount(0);
  await page
    .locator('[data-sonner-toast]')
    .getByRole('button', { name: t('undo') })
    .click();
  await expect(list.getByText(WISH)).toBeVisible();
});
