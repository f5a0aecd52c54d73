import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { holdRequests } from '#tests/e2e/support/waits';
import { think } from '#tests/e2e/support/scripted-model';

const t = translator('shared');

const say = translator('settings.standing');
const RULE = 'Never promise a delivery date.';

test('standing instructions are written, refused at their field, saved, sent and undone', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  await page.goto(`${server.url}/admin/settings/assistant`);
  const section = page.getByRole('region', { name: say('title') });
  await expect(section.getByText(say('empty'))).toBeVisible();
  await section.getByRole('textbox', { name: say('voice.title') }).fill('Warm and plain.');
  await section.getByRole('button', { name: say('rules.add') }).click();
  const rule = (place: number) => section.getByRole('textbox', { name: say('rules.row', { place }), exact: true });
  await expect(rule(1)).toBeFocused();
  await page.keyboard.type(RULE);
  await page.keyboard.press('Enter');
  await expect(rule(2)).toBeFocused();
  await page.keyboard.type('never promise a delivery date');

  const save = section.getByRole('button', { name: say('save') });
  await save.click();
  await expect(section.getByText('Stands there already.')).toBeVisible();
  await expect(rule(2)).toBeFocused();
  await rule(2).fill('Always say kiln.');
  await section.getByRole('button', { name: say('up', { name: say('rules.row', { place: 2 }) }) }).click();
  await expect(rule(1)).toHaveValue('Always say kiln.');
  // Leaving now would lose it.
  await page.getByRole('link', { name: 'Sessions', exact: true }).click();
  await page.getByRole('button', { name: t('common.cancel') }).click();
  const saving = await holdRequests(page, '**/api/content/standing-instructions', 'PUT');
  await save.click();
  await rule(2).fill(`${RULE} Ever.`);
  saving.open();
  // Under the pointer it stays, with its way back.
  await page.getByText(say('saved')).hover();
  // Text typed while the request ran is kept.
  await expect(rule(2)).toHaveValue(`${RULE} Ever.`);
  await expect(rule(2)).toBeFocused();
  await rule(2).fill(RULE);
  await expect(section.getByText(say('empty'))).toHaveCount(0);
  await expect(section.getByText(/^\d+ of at most 1,500 tokens/)).toBeVisible();

  const created = await page.request.post(`${server.url}/api/sessions`, { data: { title: 'Dates' } });
  const { id } = (await created.json()) as { id: string };
  const sent = async () => (await page.request.get(`${server.url}/api/sessions/${id}/context/request`)).text();
  expect(await sent()).toContain(`Voice:\\nWarm and plain.\\n\\nRules:\\n- Always say kiln.\\n- ${RULE}`);

  await page.getByRole('button', { name: say('undo'), exact: true }).click();
  await expect(section.getByText(say('empty'))).toBeVisible();
  await expect.poll(sent).not.toContain(RULE);
});
