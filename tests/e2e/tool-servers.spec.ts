import { translator } from '#components/i18n.ts';
import { untilFocused } from '#tests/e2e/support/waits';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, think } from '#tests/e2e/support/scripted-model';
import { startOAuthToolServer } from '#tests/support/oauth-tool-server';
import { everythingProgram } from '#tests/support/everything-server';

const t = translator('shared');
const text = translator('settings.toolServers');

test('tool servers are tested, added, changed, connected by a sign-in, and removed', async ({
  desk: _,
  page,
  startOwnScripted,
}) => {
  using everything = everythingProgram();
  const { transport } = everything;
  if (transport.type !== 'stdio') throw new Error('It is no program.');
  await using tools = await startOAuthToolServer();
  const { server } = await startOwnScripted(think, { MCP_TEST_TOKEN: 'tok-very-secret' });
  await page.goto(`${server.url}/admin/settings/tool-servers`);
  const section = page.getByRole('region', { name: text('title') });
  await expect(section.getByText(text('empty'))).toBeVisible();
  await section.getByRole('button', { name: text('add') }).click();
  const dialog = page.getByRole('dialog', { name: text('form.addTitle') });
  const field = (label: string) => dialog.getByLabel(label, { exact: true });
  await field(text('form.name')).fill('everything');
  // The arrows choose, and the group is one stop of the Tab key.
  await dialog.getByRole('radio', { name: text('kinds.http'), exact: true }).press('ArrowLeft');
  await expect(dialog.getByRole('radio', { name: text('kinds.stdio') })).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(field(text('form.command'))).toBeFocused();
  await field(text('form.command')).fill('no-such-program');
  const tryOut = dialog.getByRole('button', { name: text('form.test') });
  await tryOut.press('Enter');
  await expect(dialog.getByText(/"no-such-program" cannot be run/)).toBeVisible();
  await expect(tryOut).toBeFocused();
  await field(text('form.command')).fill(transport.command);
  await dialog.getByLabel(text('form.args')).fill(transport.args.join('\n'));
  await dialog.getByRole('button', { name: text('form.addVariable') }).press('Enter');
  await expect(field(text('form.pairName', { place: 1 }))).toBeFocused();
  await page.keyboard.type('TOKEN');
  await field(text('form.pairValue', { name: 'TOKEN' })).fill('${MCP_TEST_TOKEN}');
  await tryOut.click();
  await expect(dialog.getByText(/Connected: \d+ tools, [\d,]+ tokens/)).toBeVisible();
  // Typed text is not lost to a key or a click outside.
  const question = page.getByRole('alertdialog', { name: t('unsaved.title') });
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: t('common.cancel') }).click();
  // The form listens to clicks outside of it only when it has the focus again.
  await expect(question).toHaveCount(0);
  await untilFocused(dialog);
  await page.mouse.click(5, 5);
  await question.getByRole('button', { name: t('common.cancel') }).click();
  await dialog.getByRole('button', { name: text('form.save'), exact: true }).click();

  const row = section.getByRole('article', { name: 'everything' });
  await expect(row.getByText(text('status.ready'))).toBeVisible();
  await row.getByText(/^Show \d+ tools$/).click();
  await expect(row.getByText('get-tiny-image')).toBeVisible();
  // Of two changes the last one counts, also where the first is slow.
  const slow = createGate();
  await page.route('**/api/settings/mcp-servers/*', async (route) => {
    if (route.request().postData()?.includes('"off"')) await slow.opened;
    await route.continue();
  });
  await row.getByRole('button', { name: text('policies.off'), exact: true }).click();
  await row.getByRole('button', { name: text('policies.always'), exact: true }).click();
  slow.open();
  await expect(row.getByText(text('toolPolicies.always')).first()).toBeVisible();
  await row.getByRole('button', { name: text('editOf', { name: 'everything' }) }).click();
  const edit = page.getByRole('dialog', { name: text('form.editTitle', { name: 'everything' }) });
  await expect(edit.getByLabel(text('form.pairValue', { name: 'TOKEN' }), { exact: true })).toHaveValue('');
  await edit.getByLabel(text('form.name'), { exact: true }).fill('all');
  await edit.getByRole('button', { name: text('form.save'), exact: true }).click();
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

  // One that asks for a sign-in.
  const issues = { name: 'issues', transport: { type: 'http', url: `${tools.url}/mcp` } };
  await page.request.post(`${server.url}/api/settings/mcp-servers`, { data: issues });
  await page.reload();
  const signedIn = section.getByRole('article', { name: 'issues' });
  await signedIn.getByRole('button', { name: text('connectOf', { name: 'issues' }) }).click();
  await expect(signedIn.getByText(text('status.ready'))).toBeVisible();
  await expect(page).toHaveURL(/\/admin\/settings\/tool-servers/);
  await signedIn.getByRole('button', { name: text('signOutOf', { name: 'issues' }) }).click();
  await expect(signedIn.getByRole('button', { name: text('connectOf', { name: 'issues' }) })).toBeVisible();
});
