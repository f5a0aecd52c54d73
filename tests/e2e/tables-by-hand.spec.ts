import type { Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { expectAccessible } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { moveToEnd, stillBox } from '#tests/e2e/support/waits';
import type { Entry } from '#server/core/site/content';

const t = translator('richText');
const tTables = translator('richText.tables');

async function bodyOf(page: Page, slug: string): Promise<string> {
  const answer = await page.request.get(new URL(`/api/content/pages/${slug}`, page.url()).href);
  const entry = (await answer.json()) as Entry;
  const body = entry.draft.sections.find(({ type }) => type === 'text')?.fields['body'];
  return typeof body === 'string' ? body : '';
}

const EXCEL =
  '<html><body><table><!--StartFragment--><tr><td>Club</td><td align=right>12</td></tr><tr><td>Guests<br>of guests</td><td align=right>18</td></tr><!--EndFragment--></table></body></html>';

test('a user makes a table with the keyboard, pastes cells of a spreadsheet, and visitors see it', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.goto(server.url);
  const words = desk.preview.getByText('Four days a week');
  await expect(words).toBeVisible();
  await new PageUnderHand(page).ready();
  const box = await stillBox(words);
  await page.mouse.dblclick(box.x + 40, box.y + 10);
  const text = page.getByRole('textbox', { name: /^Text/ });
  await expect(text).toBeFocused();
  const before = await bodyOf(page, 'home');

  // The toolbar is one key away, and so is its last tool.
  await moveToEnd(text);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Alt+F10');
  await page.keyboard.press('End');
  await expect(page.getByRole('button', { name: tTables('insert') })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(text).toBeFocused();
  for (const cell of ['Who', 'Price', 'Note', 'Members', '10', 'a | b', 'Others', '15']) {
    await page.keyboard.type(cell);
    await page.keyboard.press('Tab');
  }
  const rows = (separator: string) =>
    `${before}\n\n| Who | Price | Note |\n${separator}\n| Members | 10 | a \\| b |\n| Others | 15 | |`;
  await expect.poll(() => bodyOf(page, 'home')).toBe(rows('| - | - | - |'));

  // Its menu.
  await page.keyboard.press('Shift+Tab');
  const choose = async (name: string) => {
    await page.keyboard.press('Alt+F10');
    await page.keyboard.press('End');
    await expect(page.getByRole('button', { name: tTables('menu') })).toBeFocused();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').getByText(name, { exact: true }).locator('..').press('Enter');
    await expect(text).toBeFocused();
  };
  await choose(tTables('alignRight'));
  await expect.poll(() => bodyOf(page, 'home')).toBe(rows('| - | -: | - |'));
  await choose(tTables('rowUp'));
  await expectAccessible(page);

  // Cells of a spreadsheet fill the cells from the cursor on; what a cell cannot hold is reported.
  await page.keyboard.press('Shift+Tab');
  await text.evaluate((element, html) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/html', html);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, EXCEL);
  await expect(page.getByText(t('simplified.cellLines'))).toBeVisible();
  const table = '| Who | Price | Note |\n| - | -: | - |\n| Club | 12 | |\n| Guests of guests | 18 | a \\| b |';
  await expect.poll(() => bodyOf(page, 'home')).toBe(`${before}\n\n${table}`);

  // Enter in the last row leads out of the table.
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Below');
  await expect.poll(() => bodyOf(page, 'home')).toBe(`${before}\n\n${table}\n\nBelow`);
  await text.press('Escape');
  await expect(desk.preview.getByRole('cell', { name: 'Guests of guests' })).toBeVisible();
});
