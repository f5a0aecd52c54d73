import type { Page } from '@playwright/test';
import { libraryStrings } from '#components/library/words';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

const say = libraryStrings.changes;
const panelOf = (page: Page) => page.getByRole('dialog', { name: say.panel });

/** Somebody else's hand, through REST: other words in the page's quote. */
async function changeQuote(page: Page, ref: string, quote: string): Promise<void> {
  const address = new URL(`/api/content/pages/${ref}`, page.url()).href;
  const entry = (await (await page.request.get(address)).json()) as {
    draft: { sections: { id: string; type: string }[] };
  };
  const sectionId = entry.draft.sections.find(({ type }) => type === 'quote')?.id;
  const answer = await page.request.patch(address, {
    data: { operations: [{ op: 'set-section', sectionId, fields: { quote } }] },
  });
  expect(answer.status()).toBe(200);
}

test('what a conversation changed is shown field by field, taken back, done again, and never over somebody else’s work', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  await page.goto(server.url);
  await desk.ask('Create a page called Kiln notes');
  await desk.ask('Add a quote section to Kiln notes with the quote "Slow is smooth"');
  await desk.ask('Change the quote on Kiln notes to "Slow is fast"');
  await desk.ask('Change the hero heading on Home to "Fire and patience"');
  const heading = desk.preview.getByRole('heading', { name: 'Fire and patience' });
  await expect(heading).toBeVisible();

  const opener = page.getByRole('button', { name: say.open(4) });
  await opener.focus();
  await page.keyboard.press('Enter');
  const panel = panelOf(page);
  await expect(panel).toBeFocused();
  await expect(panel.getByRole('heading', { level: 3 })).toHaveText([
    'Change the hero heading on Home to "Fire and patience"',
    'Change the quote on Kiln notes to "Slow is fast"',
    'Add a quote section to Kiln notes with the quote "Slow is smooth"',
    'Create a page called Kiln notes',
  ]);
  const turn = (words: RegExp) => panel.getByRole('region', { name: words });
  const quoted = turn(/^Change the quote/);
  await quoted.getByRole('button', { expanded: false }).click();
  await expect(quoted.locator('del')).toHaveText(/smooth$/);
  await expect(quoted.locator('ins')).toHaveText(/fast$/);

  // One change, and back again; the page shows it, marked.
  await quoted.getByRole('button', { name: /^Undo: / }).click();
  await expect(desk.preview.locator('[data-highlighted]')).toContainText('Slow is smooth');
  await expect(quoted.getByText(say.undone)).toBeVisible();
  const redo = quoted.getByRole('button', { name: /^Redo: / });
  await expect(redo).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(desk.preview.getByText('Slow is fast')).toBeVisible();

  // Somebody else is faster: nothing is lost, and it is said who it was.
  await changeQuote(page, 'kiln-notes', 'Mind the glaze');
  await expect(desk.preview.locator('[data-highlighted]')).toContainText('Mind the glaze');
  const undo = quoted.getByRole('button', { name: /^Undo: / });
  await undo.click();
  const refusal = page.getByRole('alertdialog', { name: say.dialog.conflictTitle });
  await expect(refusal.getByRole('list', { name: say.dialog.later })).toContainText(`${say.who.api}, `);
  await page.keyboard.press('Escape');
  await expect(undo).toBeFocused();
  await expect(desk.preview.getByText('Mind the glaze')).toBeVisible();

  // All of it: what can be taken back is, the rest is told beforehand.
  await panel.getByRole('button', { name: say.undoAll }).click();
  const dialog = page.getByRole('alertdialog', { name: say.dialog.sessionTitle });
  await expect(dialog.getByRole('list', { name: say.dialog.takesBack })).toContainText('hero');
  await expect(dialog.getByRole('heading', { name: say.dialog.stays(3) })).toBeVisible();
  await dialog.getByRole('button', { name: say.dialog.confirm(1) }).click();
  // Under the pointer it stays.
  const redoAll = page.getByRole('button', { name: say.redo, exact: true });
  await redoAll.hover();
  await expect(turn(/^Change the hero/).getByText(say.undone)).toBeVisible();
  await expect(heading).toHaveCount(0);
  await redoAll.click();
  await expect(heading).toBeVisible();

  await panel.focus();
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(opener).toBeFocused();

  // One turn, from its answer.
  const answer = desk.answers.last();
  await answer.getByRole('button', { name: say.undoTurnAction }).click();
  const turnDialog = page.getByRole('alertdialog', { name: say.dialog.turnTitle });
  await turnDialog.getByRole('button', { name: say.dialog.confirm(1) }).click();
  await expect(heading).toHaveCount(0);
  await answer.getByRole('button', { name: say.whatChanged }).click();
  await expect(turn(/^Change the hero/).locator('ins')).toHaveText(/Fire and patience$/);
});

test('the whole site’s changes are listed, filtered, unfolded and taken back; an earlier version is restored', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  await page.goto(server.url);
  await desk.ask('Create a page called Clay diary');
  await desk.ask('Add a quote section to Clay diary with the quote "First words"');
  await changeQuote(page, 'clay-diary', 'Second words');
  await expect(desk.preview.getByText('Second words')).toBeVisible();

  await page.getByRole('button', { name: say.history.open, exact: true }).click();
  const history = page.getByRole('dialog', { name: say.history.title('Clay diary') });
  await expect(history.getByRole('listitem')).toHaveCount(3);
  await history.getByRole('button', { expanded: false }).first().click();
  await expect(history.locator('ins')).toHaveText(/Second$/);
  await history
    .getByRole('listitem')
    .nth(1)
    .getByRole('button', { name: /^Restore this version/ })
    .click();
  await expect(desk.preview.getByText('First words')).toBeVisible();

  await page.goto(`${server.url}/library/changes`);
  const rows = page.getByRole('listitem').filter({ has: page.getByRole('button', { expanded: false }) });
  await expect(rows.first()).toContainText('Clay diary');
  await page.getByLabel(say.whoLabel).selectOption('api');
  await expect(rows).toHaveCount(1);
  await page.getByLabel(say.whoLabel).selectOption('assistant');
  await expect(rows.first()).toContainText(say.inConversation);
  await page.getByLabel(say.kindLabel).selectOption('asset');
  await expect(page.getByText(say.noMatch)).toBeVisible();
  await page.getByRole('button', { name: say.showAll }).click();
  await rows
    .first()
    .getByRole('button', { name: /^Undo: Restored/ })
    .click();
  await expect(page.getByText(say.undone, { exact: true })).toBeVisible();
  const created = page.getByRole('listitem').filter({ hasText: 'Created the page "Clay diary"' });
  await created.getByRole('link', { name: /^Go to the conversation/ }).click();
  await expect(panelOf(page)).toContainText('Created the page "Clay diary"');
  await expect(panelOf(page).locator('ins').first()).toBeVisible();
});
