import type { Locator, Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import type { Workspace } from '#tests/e2e/support/desk';
import { think } from '#tests/e2e/support/scripted-model';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';

const tSaving = translator('saving');
const tPageSections = translator('pageSections');

/** Goes to the first section by keyboard, and opens it for editing. */
async function editFirst({ page }: Workspace, kind: string): Promise<Locator> {
  const hand = new PageUnderHand(page);
  await hand.ready();
  await hand.surface.focus();
  await page.keyboard.press('ArrowDown');
  const bar = page.getByRole('toolbar', { name: tPageSections('bar', { kind }) });
  await bar.getByRole('button', { name: tPageSections('edit') }).click();
  return page.getByRole('dialog', { name: kind });
}

const othersOn = (page: Page) => page.getByRole('list', { name: tSaving('presence.label') });

test('two people on one page see each other, and choose between versions of the same text', async ({
  desk,
  page,
  openOther,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const other = await openOther();
  await page.goto(server.url);
  await other.page.goto(server.url);
  for (const each of [page, other.page]) await expect(othersOn(each)).toContainText(tSaving('presence.hereMyself'));

  // The field that one writes in is marked for the other.
  const mine = await editFirst(desk, 'Hero');
  const heading = mine.getByLabel('Heading', { exact: true });
  await heading.click();
  await expect(other.page.locator('[data-in-use=heading]')).toContainText(tSaving('presence.writesMyself'));

  // Each writes in a place of their own: both stay.
  const theirs = await editFirst(other, 'Hero');
  const lead = theirs.getByLabel(/^Subheading/);
  await lead.fill('Written by the other');
  await heading.fill('Written here');
  for (const each of [desk, other]) {
    await expect(each.preview.getByRole('heading', { name: 'Written here' })).toBeVisible();
    await expect(each.preview.getByText('Written by the other')).toBeVisible();
  }
  await expect(theirs.getByLabel('Heading', { exact: true })).toHaveValue('Written here');

  // Without a line nothing that was typed is lost, and nothing of others is overwritten when it is back.
  await other.page.context().setOffline(true);
  await theirs.getByLabel('Heading', { exact: true }).fill('Typed without a line');
  await expect(theirs.getByText(tSaving('save.offline'))).toBeVisible();
  const title = theirs.getByRole('heading', { level: 2 });
  expect(await title.evaluate((each) => each.scrollWidth - each.clientWidth)).toBeLessThanOrEqual(0);
  await heading.fill('Changed meanwhile');
  await expect(desk.preview.getByRole('heading', { name: 'Changed meanwhile' })).toBeVisible();
  await other.page.context().setOffline(false);
  const question = other.page.getByRole('alertdialog', { name: tSaving('conflict.title') });
  await expect(question.getByRole('region', { name: tSaving('conflict.mine') })).toHaveText(/Typed without a line/);
  await expect(question.getByText('Changed meanwhile')).toBeVisible();
  await question.getByRole('button', { name: tSaving('conflict.keepMine') }).click();
  for (const each of [desk, other])
    await expect(each.preview.getByRole('heading', { name: 'Typed without a line' })).toBeVisible();
  await expect(heading).toHaveValue('Typed without a line');

  // What could not be saved before the reload is saved then.
  let isCut = true;
  await other.page.route('**/api/content/pages/*', async (route) =>
    isCut && route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await lead.fill('Kept over a reload');
  await expect(theirs.getByText(tSaving('save.waiting')).or(theirs.getByText(tSaving('save.offline')))).toBeVisible();
  isCut = false;
  await other.page.reload();
  await expect(desk.preview.getByText('Kept over a reload')).toBeVisible();
});
