import type { Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { changeQuote } from '#tests/e2e/support/other-hands';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';
import { escapeFrom, stillBox } from '#tests/e2e/support/waits';

const tDraftPreview = translator('draftPreview');
const t = translator('changes');
const tHistory = translator('history');

const lineOf = (page: Page) => page.getByRole('navigation', { name: tHistory('label') });
const cardOf = (page: Page) => page.getByRole('dialog', { name: /^Checkpoint from / });
const pastOf = (page: Page) => page.getByRole('region', { name: tHistory('past.label') });

test('the history line shows the site at each step, undoes a step, and restores a page', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(server.url);
  await desk.ask('Change the hero heading on Home to "Fire and patience"');
  await desk.ask('Create a page called Kiln notes');
  await desk.ask('Add a quote section to Kiln notes with the quote "Slow is smooth"');
  await desk.ask('Change the quote on Kiln notes to "Slow is fast"');
  const checkpoints = lineOf(page).getByRole('listitem');
  await expect(checkpoints).toHaveCount(4);

  // A card: what it was, and the way back.
  await checkpoints.nth(3).getByRole('button').click();
  await expect(cardOf(page).getByRole('heading', { level: 2 })).toHaveText(/Change the quote on Kiln notes/);
  await expect(cardOf(page).locator('iframe').contentFrame().getByText('Slow is fast')).toBeAttached();
  await cardOf(page).getByRole('button', { expanded: false }).first().click();
  await expect(cardOf(page).locator('del')).toHaveText(/smooth$/);
  await cardOf(page)
    .getByRole('button', { name: /^Undo: / })
    .click();
  await expect(desk.preview.locator('[data-highlighted]')).toContainText('Slow is smooth');
  await expect(cardOf(page).getByText(tHistory('undone'))).toBeVisible();
  await cardOf(page)
    .getByRole('button', { name: /^Redo: / })
    .click();
  await expect(desk.preview.getByText('Slow is fast')).toBeVisible();
  await escapeFrom(cardOf(page));

  // Drawing along it with the keys: as it was, one checkpoint after the other, and back to now.
  await checkpoints.nth(3).getByRole('button').focus();
  await page.keyboard.press('ArrowUp');
  await expect(pastOf(page)).toBeVisible();
  await expect(desk.preview.getByText('Slow is smooth')).toBeVisible();
  await page.keyboard.press('Home');
  await expect(desk.preview.getByRole('heading', { name: tDraftPreview('notThen.heading') })).toBeVisible();
  await expect(checkpoints.nth(0).getByRole('button')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(pastOf(page)).toHaveCount(0);
  await expect(desk.preview.getByText('Slow is fast')).toBeVisible();

  // And with the pointer.
  const [from, to] = [await stillBox(checkpoints.nth(3)), await stillBox(checkpoints.nth(2))];
  await page.mouse.move(from.x + 12, from.y + 12);
  await page.mouse.down();
  await page.mouse.move(to.x + 12, to.y + 12, { steps: 6 });
  await page.mouse.up();
  await expect(desk.preview.getByText('Slow is smooth')).toBeVisible();
  await expect(cardOf(page)).toHaveCount(0);

  // Another user continues to work: nothing of that is lost without a question.
  await changeQuote(page, 'kiln-notes', 'Mind the glaze');
  await pastOf(page)
    .getByRole('button', { name: tHistory('past.restore') })
    .click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByRole('list', { name: tHistory('restore.along') })).toContainText('quote');
  await expect(dialog.getByRole('heading', { name: tHistory('restore.others', { count: 1 }) })).toBeVisible();
  await dialog.getByRole('button', { name: tHistory('restore.confirmOver', { count: 1 }) }).click();
  // Under the pointer it stays.
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: tHistory('restore.done', { when: '' }) });
  const undo = toast.getByRole('button', { name: t('undo'), exact: true });
  await undo.hover();
  await expect(pastOf(page)).toHaveCount(0);
  await expect(desk.preview.getByText('Slow is smooth')).toBeVisible();
  await expect(checkpoints.nth(3).getByRole('button')).toHaveAttribute('data-state-of', 'undone');
  // One step, and one undo.
  await undo.click();
  await expect(desk.preview.getByText('Mind the glaze')).toBeVisible();
  await expect(checkpoints.nth(3).getByRole('button')).toHaveAttribute('data-state-of', 'standing');
});
