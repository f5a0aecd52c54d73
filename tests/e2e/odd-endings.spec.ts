import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate } from '#tests/e2e/support/scripted-model';
import { translator } from '#components/i18n.ts';

const t = translator('transcript');

test('a slow start is shown, and an answer without words is marked, after a reload too', async ({
  desk,
  page,
  startScripted,
}) => {
  const gate = createGate();
  const scripted = await startScripted(async () => {
    await gate.opened;
    return { reasoning: 'Hm.', text: '' };
  });
  await page.clock.install();
  await page.goto(scripted.server.url);
  await desk.send('List the pages');
  await expect(page.getByText(t('thinking'))).toBeVisible();
  await page.clock.fastForward(14_000);
  await expect(page.getByText(/^Thinking… \d\d s$/)).toBeVisible();
  await page.clock.fastForward(60_000);
  await expect(page.getByText(/^Thinking… \d+ min/)).toBeVisible();

  gate.open();
  await expect(page.getByText(/only thought/)).toBeVisible();
  await expect(page.getByText(/^Thinking…/)).toHaveCount(0);
  await page.reload();
  await expect(page.getByText(/only thought/)).toBeVisible();
});
