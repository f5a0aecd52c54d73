import { translator } from '#components/i18n.ts';
import { untilFocused } from '#tests/e2e/support/waits';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, think } from '#tests/e2e/support/scripted-model';
import { startOAuthToolServer } from '#tests/support/oauth-tool-server';
import { everythingProgram } from '#tests/support/everything-server';

const t = translator('shared');

const text = translator('settings.toolServers');

test('a tool server is tested, added, shown with what it costs, changed, and removed', async ({
  desk: _,
  page,
  startOwnScripted,
}) => {
  using everything = everythingProgram();
  const { transport } = everything;
  if (transport.type !== 'stdio') throw new Error('It is no program.');
  const { server } = await startOwnScripted(think, { MCP_TEST_TOKEN: 'tok-very-secret' });
  await page.goto(`${server.url}/admin/settings/tool-servers`);
  const section = page.getByRole('region', { name: text('title') });
  await expect(section.getByText(text('empty'))).toBeVisible();

  await section.getByRole('button', { name: text('add') }).click();
  const dialog = page.getByRole('dialog', { name: text('form.addTitle') });
  await dialog.getByLabel(text('form.name'), { exact: true }).fill('everything');
  // The arrows choose, and the group is one stop of the Tab key.
  await dialog.getByRole('radio', { name: text('kinds.http'), exact: true }).press('ArrowLeft');
  await expect(dialog.getByRole('radio', { name: text('kinds.stdio') })).toBeFocused();
  await expect(dialog.getByRole('radio', { name: text('kinds.stdio') })).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(dialog.getByLabel(text('form.command'), { exact: true })).toBeFocused();
  await dialog.getByLabel(text('form.command'), { exact: true }).fill('no-such-program');
  const tryIt = dialog.getByRole('button', { name: text('form.test') });
  await tryIt.press('Enter');
  await expect(dialog.getByText(/"no-such-program" cannot be run/)).toBeVisible();
  await expect(tryIt).toBeFocused();
  await dialog.getByLabel(text('form.command'), { exact: true }).fill(transport.command);
  await dialog.getByLabel(text('form.args')).fill(transport.args.join('\n'));
  const add = dialog.getByRole('button', { name: text('form.addVariable') });
  const variable = dialog.getByLabel(text('form.pairName', { place: 1 }), { exact: true });
  await add.press('Enter');
  await expect(variable).toBeFocused();
  await dialog
    .getByRole('button', { name: text('form.removePair', { name: text('form.pairName', { place: 1 }) }) })
    .press('Enter');
  await expect(add).toBeFocused();
  await add.click();
  await variable.fill('TOKEN');
  await dialog.getByLabel(text('form.pairValue', { name: 'TOKEN' }), { exact: true }).fill('${MCP_TEST_TOKEN}');
  await tryIt.click();
  await expect(dialog.getByText(/Connected: \d+ tools, [\d,]+ tokens/)).toBeVisible();
  await dialog.getByRole('button', { name: text('form.save'), exact: true }).click();

  const row = section.getByRole('article', { name: 'everything' });
  await expect(row.getByText(text('status.ready'))).toBeVisible();
  await expect(row.getByText(/^\d+ tools, [\d,]+ tokens$/)).toBeVisible();
  await row.getByText(/^Show \d+ tools$/).click();
  await expect(row.getByText('get-tiny-image')).toBeVisible();
  // Of two changes the last one counts, also where the first is slow.
  let gate = createGate();
  let asked = 0;
  let answered = 0;
  await page.route('**/api/settings/mcp-servers/*', async (route) => {
    if (route.request().method() === 'PATCH' && (asked += 1) !== 2) await gate.opened;
    await route.continue();
  });
  page.on('response', (response) => (answered += response.request().method() === 'PATCH' ? 1 : 0));
  await row.getByRole('button', { name: text('policies.off'), exact: true }).click();
  await row.getByRole('button', { name: text('policies.always'), exact: true }).click();
  gate.open();
  await expect.poll(() => answered).toBe(2);
  await expect(row.getByText(text('toolPolicies.always')).first()).toBeVisible();

  await row.getByRole('button', { name: text('editOf', { name: 'everything' }) }).click();
  const edit = page.getByRole('dialog', { name: text('form.editTitle', { name: 'everything' }) });
  await expect(edit.getByLabel(text('form.pairValue', { name: 'TOKEN' }), { exact: true })).toHaveValue('');
  await edit.getByLabel(text('form.name'), { exact: true }).fill('all');
  // A late answer closes no other dialog.
  gate = createGate();
  await edit.getByRole('button', { name: text('form.save'), exact: true }).click();
  await page.keyboard.press('Escape');
  await section.getByRole('button', { name: text('add') }).click();
  await dialog.getByLabel(text('form.name'), { exact: true }).fill('another');
  gate.open();
  await expect.poll(() => answered).toBe(3);
  await expect(dialog.getByLabel(text('form.name'), { exact: true })).toHaveValue('another');
  // Typed text is not lost to a key or a click outside; Cancel leaves immediately.
  const question = page.getByRole('alertdialog', { name: t('unsaved.title') });
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: t('common.cancel') }).click();
  // The form listens to clicks outside of it only when it has the focus again.
  await expect(question).toHaveCount(0);
  await untilFocused(dialog);
  await page.mouse.click(5, 5);
  await question.getByRole('button', { name: t('common.cancel') }).click();
  await expect(dialog.getByLabel(text('form.name'), { exact: true })).toHaveValue('another');
  await dialog.getByRole('button', { name: t('common.cancel') }).click();
  await expect(dialog).toHaveCount(0);
  const renamed = section.getByRole('article', { name: 'all', exact: true });
  await expect(renamed.getByText(text('status.ready'))).toBeVisible();
  expect(await page.content()).not.toContain('MCP_TEST_TOKEN');

  await renamed.getByRole('button', { name: text('removeOf', { name: 'all' }) }).click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: text('remove') })
    .click();
  await expect(section.getByText(text('empty'))).toBeVisible();
  await expect(section.getByRole('button', { name: text('add') })).toBeFocused();
});

test('a tool server that asks for a sign-in is connected from its row, and signed out of', async ({
  desk: _,
  page,
  startOwnScripted,
}) => {
  await using tools = await startOAuthToolServer();
  const { server } = await startOwnScripted(think);
  const transport = { type: 'http', url: `${tools.url}/mcp` };
  await page.request.post(`${server.url}/api/settings/mcp-servers`, { data: { name: 'issues', transport } });
  await page.goto(`${server.url}/admin/settings/tool-servers`);
  const row = page.getByRole('article', { name: 'issues' });
  await row.getByRole('button', { name: text('connectOf', { name: 'issues' }) }).click();
  await expect(row.getByText(text('status.ready'))).toBeVisible();
  await expect(page).toHaveURL(/\/admin\/settings\/tool-servers/);
  await row.getByRole('button', { name: text('signOutOf', { name: 'issues' }) }).click();
  await expect(row.getByRole('button', { name: text('connectOf', { name: 'issues' }) })).toBeVisible();
});
