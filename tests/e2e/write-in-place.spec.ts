import type { Locator, Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { moveToEnd, stillBox } from '#tests/e2e/support/waits';
import { expectAccessible } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import type { Entry } from '#server/core/site/content';

const t = translator('richText');

/** What is said below a text while it is written. */
function note(page: Page, words: string): Locator {
  return page.locator('[data-writing]').getByText(words, { exact: true });
}

/** Markdown of the first text of a page's draft. */
async function bodyOf(page: Page, slug: string): Promise<string> {
  const entry = (await (
    await page.request.get(new URL(`/api/content/pages/${slug}`, page.url()).href)
  ).json()) as Entry;
  const body = entry.draft.sections.find(({ type }) => type === 'text')?.fields['body'];
  return typeof body === 'string' ? body : '';
}

/** Double-clicks words on the page that the preview shows; for the user, the frame is invisible. */
async function pressTwice(page: Page, words: Locator): Promise<void> {
  await new PageUnderHand(page).ready();
  const box = await stillBox(words);
  await page.mouse.dblclick(box.x + Math.min(60, box.width / 2), box.y + Math.min(12, box.height / 2));
}

async function paste(text: Locator, html: string, rtf = ''): Promise<void> {
  await text.evaluate(
    (element, data) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', data.html);
      clipboardData.setData('text/plain', 'not used');
      if (data.rtf !== '') clipboardData.setData('text/rtf', data.rtf);
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    },
    { html, rtf },
  );
}

const WORD = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{color:red}</style></head><body>
<!--StartFragment--><p class=MsoNormal style='color:red'><b style='mso-bidi-font-weight:normal'>Firing</b><span style='font-family:"Comic Sans MS"'> days<o:p></o:p></span></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;</span></span></span><![endif]>Friday</p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;</span></span></span><![endif]>Sunday</p>
<img src="https://elsewhere.example/spy.png" onerror="document.title='ran'"><script>document.title='ran'</script><!--EndFragment--></body></html>`;

// The last file of a run: one worker would do all of it while the others have nothing left to do.
test.describe.configure({ mode: 'parallel' });

test('a user corrects a heading in place, then a paragraph, and pastes from Word', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.goto(server.url);
  const heading = desk.preview.getByRole('heading', { name: 'A small pottery that likes company' });
  await expect(heading).toBeVisible();

  // A heading, as plain text.
  await pressTwice(page, heading);
  const line = page.getByRole('textbox', { name: /^Heading/ });
  await expect(line).toBeFocused();
  await line.fill('A small pottery that loves company');
  await expect(note(page, 'Saved')).toBeVisible();
  await line.press('Enter');
  await expect(line).toHaveCount(0);
  await page.reload();
  await expect(desk.preview.getByRole('heading', { name: 'A small pottery that loves company' })).toBeVisible();

  // One paragraph of two, with bold and a link to a page of the site.
  const before = await bodyOf(page, 'home');
  const [first = '', second = ''] = before.split('\n\n');
  await pressTwice(page, desk.preview.getByText('Four days a week'));
  const text = page.getByRole('textbox', { name: /^Text/ });
  await expect(text).toBeFocused();
  await expect(text).toContainText('a jug that pours without dribbling');
  await expectAccessible(page);

  await moveToEnd(text);
  await page.keyboard.type(' Come by on ');
  await page.keyboard.press('Control+b');
  await page.keyboard.type('Friday');
  await page.keyboard.press('Control+b');
  await page.keyboard.type(' for ');
  await page.keyboard.press('Control+k');
  const address = page.getByRole('textbox', { name: t('linkTo') });
  await address.fill('firing');
  await page.getByRole('button', { name: /^Firing club/ }).click();
  await expect(text).toBeFocused();
  await page.keyboard.type('.');
  const added = ' Come by on **Friday** for [Firing club](/firing-club).';
  await expect.poll(() => bodyOf(page, 'home')).toBe(`${first}\n\n${second}${added}`);

  // Word: its list is a list, its colours, scripts and pictures are nothing.
  await page.keyboard.press('Enter');
  await paste(text, WORD);
  await expect
    .poll(() => bodyOf(page, 'home'))
    .toBe(`${first}\n\n${second}${added}\n\n**Firing** days\n\n- Friday\n- Sunday`);
  expect(await page.title()).not.toBe('ran');
  await text.press('Escape');
  await expect(text).toHaveCount(0);
  await expect(desk.preview.getByRole('listitem').filter({ hasText: 'Sunday' })).toBeVisible();
});

test('a text that cannot be saved shows the reason in place, and keeps its words', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  await page.goto(server.url);
  const heading = desk.preview.getByRole('heading', { name: 'A small pottery that likes company' });
  await expect(heading).toBeVisible();
  await pressTwice(page, heading);
  const line = page.getByRole('textbox', { name: /^Heading/ });
  await line.fill('x'.repeat(190));
  await expect(note(page, '10 left')).toBeVisible();
  await line.fill('x'.repeat(201));
  await expect(note(page, '1 too many')).toBeVisible();
  await expect(line).toHaveAttribute('aria-invalid', 'true');
  await line.press('Escape');
  await expect(line).toHaveValue('x'.repeat(201));
  await line.fill('Short again');
  await expect(note(page, 'Saved')).toBeVisible();
  await line.press('Escape');
  await expect(desk.preview.getByRole('heading', { name: 'Short again' })).toBeVisible();
});

test('a text is written with the keyboard alone: section, text, save, back', async ({ desk, page, startScripted }) => {
  const { server } = await startScripted(() => ({ text: 'Yes.' }));
  const keysPressed = Promise.withResolvers<void>();
  await page.route('**/api/content/at?*', async (route) => {
    await keysPressed.promise;
    await route.continue();
  });
  await page.goto(server.url);
  await expect(desk.preview.getByRole('heading', { name: 'A small pottery that likes company' })).toBeVisible();
  const hand = new PageUnderHand(page);
  await hand.ready();
  const sections = hand.surface;
  await sections.focus();
  // Faster than the document comes: the page that is shown has its sections.
  await sections.press('ArrowDown');
  await sections.press('ArrowDown');
  keysPressed.resolve();
  await expect(hand.bar).toBeVisible();
  await sections.press('Enter');
  const line = page.getByRole('textbox', { name: /^Heading/ });
  await expect(line).toBeFocused();
  await line.press('End');
  await page.keyboard.type(', and tea');
  // From the heading to the text below it, its tools, and back.
  await page.keyboard.press('Tab');
  const text = page.getByRole('textbox', { name: /^Text/ });
  await expect(text).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(
    page
      .getByRole('toolbar', { name: t('toolbar') })
      .getByRole('button')
      .first(),
  ).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: t('italic') })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(text).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(text).toHaveCount(0);
  await expect(
    desk.preview.getByRole('heading', { name: 'A small pottery that likes company, and tea' }),
  ).toBeVisible();
  await expect(sections).toBeFocused();
});
