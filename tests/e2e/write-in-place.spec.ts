import type { Locator, Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { moveToEnd, stillBox } from '#tests/e2e/support/waits';
import { expectAccessible } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import type { Entry } from '#server/core/site/content';

const t = translator('richText');
const tTables = translator('richText.tables');

/** What is said below a text while it is written. */
function note(page: Page, words: string): Locator {
  return page.locator('[data-writing]').getByText(words, { exact: true });
}

/** Markdown of the first text of the home page's draft. */
async function homeText(page: Page): Promise<string> {
  const answer = await page.request.get(new URL('/api/content/pages/home', page.url()).href);
  const entry = (await answer.json()) as Entry;
  const body = entry.draft.sections.find(({ type }) => type === 'text')?.fields['body'];
  return typeof body === 'string' ? body : '';
}

/** Double-clicks words on the page that the preview shows; for the user, the frame is invisible. */
async function pressTwice(page: Page, words: Locator): Promise<void> {
  await new PageUnderHand(page).ready();
  const box = await stillBox(words);
  await page.mouse.dblclick(box.x + Math.min(60, box.width / 2), box.y + Math.min(12, box.height / 2));
}

async function paste(text: Locator, html: string): Promise<void> {
  await text.evaluate((element, data) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/html', data);
    clipboardData.setData('text/plain', 'not used');
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, html);
}

const WORD = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{color:red}</style></head><body>
<!--StartFragment--><p class=MsoNormal style='color:red'><b style='mso-bidi-font-weight:normal'>Firing</b><span style='font-family:"Comic Sans MS"'> days<o:p></o:p></span></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;</span></span></span><![endif]>Friday</p>
<img src="https://elsewhere.example/spy.png" onerror="document.title='ran'"><script>document.title='ran'</script><!--EndFragment--></body></html>`;

const EXCEL =
  '<html><body><table><!--StartFragment--><tr><td>Club</td><td align=right>12</td></tr><tr><td>Guests<br>of guests</td><td align=right>18</td></tr><!--EndFragment--></table></body></html>';

test('a user writes a heading and a paragraph in place, and pastes from Word', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.goto(server.url);

  // A heading, as plain text. One that is too long stays open with its words.
  await pressTwice(page, desk.preview.getByRole('heading', { name: 'A small pottery that likes company' }));
  const line = page.getByRole('textbox', { name: /^Heading/ });
  await expect(line).toBeFocused();
  await line.fill('x'.repeat(190));
  await expect(note(page, '10 left')).toBeVisible();
  await line.fill('x'.repeat(201));
  await expect(note(page, '1 too many')).toBeVisible();
  await expect(line).toHaveAttribute('aria-invalid', 'true');
  await line.press('Escape');
  await expect(line).toHaveValue('x'.repeat(201));
  await line.fill('A small pottery that loves company');
  await expect(note(page, 'Saved')).toBeVisible();
  await line.press('Enter');
  await expect(line).toHaveCount(0);
  await expect(desk.preview.getByRole('heading', { name: 'A small pottery that loves company' })).toBeVisible();

  // One paragraph of two, with bold and a link to a page of the site.
  const before = await homeText(page);
  await pressTwice(page, desk.preview.getByText('Four days a week'));
  const text = page.getByRole('textbox', { name: /^Text/ });
  await expect(text).toBeFocused();
  await moveToEnd(text);
  await page.keyboard.type(' Come by on ');
  await page.keyboard.press('Control+b');
  await page.keyboard.type('Friday');
  await page.keyboard.press('Control+b');
  await page.keyboard.type(' for ');
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: t('linkTo') }).fill('firing');
  await page.getByRole('button', { name: /^Firing club/ }).click();
  await expect(text).toBeFocused();
  await page.keyboard.type('.');
  const added = `${before} Come by on **Friday** for [Firing club](/firing-club).`;
  await expect.poll(() => homeText(page)).toBe(added);

  // Word: its list is a list, its colours, scripts and pictures are nothing.
  await page.keyboard.press('Enter');
  await paste(text, WORD);
  await expect.poll(() => homeText(page)).toBe(`${added}\n\n**Firing** days\n\n- Friday`);
  expect(await page.title()).not.toBe('ran');
  await text.press('Escape');
  await expect(text).toHaveCount(0);
  await expect(desk.preview.getByRole('listitem').filter({ hasText: /^Friday$/ })).toBeVisible();
});

test('a heading and a table are written by keyboard alone, with cells of a spreadsheet', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  const keysPressed = Promise.withResolvers<void>();
  await page.route('**/api/content/at?*', async (route) => {
    await keysPressed.promise;
    await route.continue();
  });
  await page.goto(server.url);
  const hand = new PageUnderHand(page);
  await hand.ready();
  const before = await homeText(page);
  // Faster than the document comes: the page that is shown has its sections.
  await hand.surface.press('ArrowDown');
  await hand.surface.press('ArrowDown');
  keysPressed.resolve();
  await expect(hand.bar).toBeVisible();
  await hand.surface.press('Enter');
  const line = page.getByRole('textbox', { name: /^Heading/ });
  await expect(line).toBeFocused();
  await line.press('End');
  await page.keyboard.type(', and tea');
  // From the heading to the text below it, its tools, and back.
  await page.keyboard.press('Tab');
  const text = page.getByRole('textbox', { name: /^Text/ });
  await expect(text).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  const tools = page.getByRole('toolbar', { name: t('toolbar') }).getByRole('button');
  await expect(tools.first()).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: t('italic') })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(text).toBeFocused();

  // The toolbar is one key away, and so is its last tool.
  await moveToEnd(text);
  await page.keyboard.press('Enter');
  const pressLastTool = async (name: string) => {
    await page.keyboard.press('Alt+F10');
    await page.keyboard.press('End');
    await expect(page.getByRole('button', { name })).toBeFocused();
    await page.keyboard.press('Enter');
  };
  await pressLastTool(tTables('insert'));
  await expect(text).toBeFocused();
  for (const cell of ['Who', 'Price', 'Note', 'Members', '10', 'a | b', 'Others', '15']) {
    await page.keyboard.type(cell);
    await page.keyboard.press('Tab');
  }
  const rows = (separator: string) =>
    `${before}\n\n| Who | Price | Note |\n${separator}\n| Members | 10 | a \\| b |\n| Others | 15 | |`;
  await expect.poll(() => homeText(page)).toBe(rows('| - | - | - |'));
  await page.keyboard.press('Shift+Tab');
  await pressLastTool(tTables('menu'));
  await page.getByRole('menu').getByText(tTables('alignRight'), { exact: true }).locator('..').press('Enter');
  await expect(text).toBeFocused();
  await expect.poll(() => homeText(page)).toBe(rows('| - | -: | - |'));
  await expectAccessible(page);

  // Cells of a spreadsheet fill the cells from the cursor on; what a cell cannot hold is reported.
  await page.keyboard.press('Shift+Tab');
  await paste(text, EXCEL);
  await expect(page.getByText(t('simplified.cellLines'))).toBeVisible();
  const pasted = '| Club | 12 | |\n| Guests of guests | 18 | |';
  const table = `| Who | Price | Note |\n| - | -: | - |\n| Members | 10 | a \\| b |\n${pasted}`;
  await expect.poll(() => homeText(page)).toBe(`${before}\n\n${table}`);
  // Enter in the last row leads out of the table.
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Below');
  await expect.poll(() => homeText(page)).toBe(`${before}\n\n${table}\n\nBelow`);
  await text.press('Escape');
  await expect(
    desk.preview.getByRole('heading', { name: 'A small pottery that likes company, and tea' }),
  ).toBeVisible();
  await expect(desk.preview.getByRole('cell', { name: 'Guests of guests' })).toBeVisible();
  await expect(hand.surface).toBeFocused();
});
