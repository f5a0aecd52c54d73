import { readFile } from 'node:fs/promises';
import { translator } from '#components/i18n.ts';
import type { Locator, Page } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { commandNames } from '#components/chat/commands/commands.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest, think } from '#tests/e2e/support/scripted-model';
import { escapeFrom, holdRequests, pressUntil, stillBox, untilFocused } from '#tests/e2e/support/waits';

const tTranscript = translator('transcript');
const tStart = translator('start');
const t = translator('sidebar');
const tPreview = translator('preview');
const tCommand = translator('command');
const tShortcuts = translator('shortcuts');
const tCompaction = translator('compaction');
const tShared = translator('shared');
const tTools = translator('tools');

/** The list above the composer. */
const slashList = (page: Page): Locator => page.getByRole('listbox', { name: tCommand('label') });
const palette = (page: Page): Locator => page.getByRole('dialog', { name: tCommand('label') });
const helpSheet = (page: Page): Locator => page.getByRole('dialog', { name: tShortcuts('title') });
const option = (within: Locator, name: string | RegExp): Locator => within.getByRole('option', { name });

/** Types a text into the composer, as soon as that has the cursor, and sends it, with keys alone. */
async function type(page: Page, text: string): Promise<void> {
  await expect(new Workspace(page).composer).toBeFocused();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

async function openPalette(page: Page, typed: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(palette(page).getByPlaceholder(tCommand('placeholder'))).toBeFocused();
  await page.keyboard.type(typed);
}

/** Takes what the palette marks for the words that were typed, once it marks that. */
async function takeMarked(page: Page, name: string | RegExp): Promise<void> {
  await expect(palette(page).getByRole('option', { selected: true })).toHaveText(name);
  await page.keyboard.press('Enter');
}

/** Questions, each answered by a tool with a long output. */
const reports = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const ids = { toolCallId: `call_${index}`, toolName: 'fetch_report' };
    const value = `Report ${index}: ${'clay and glaze were weighed and noted. '.repeat(700)}`;
    return [
      { role: 'user', content: `Report ${index}?` },
      { role: 'assistant', content: [{ type: 'tool-call', ...ids, input: { index } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...ids, output: { type: 'text', value } }] },
      { role: 'assistant', content: [{ type: 'text', text: `Report ${index} is fine.` }] },
    ];
  }).flat();

test('a slash opens a list that is filtered, walked and left with keys alone', async ({ desk, page, server }) => {
  await page.goto(server.url);
  await expect(desk.composer).toBeFocused();
  await page.keyboard.type('/');
  const list = slashList(page);
  const selected = list.getByRole('option', { selected: true });
  await expect(option(list, /./)).toHaveCount(commandNames.length);
  // There is no conversation yet: commands that need one say why they are disabled.
  await expect(option(list, new RegExp(`^/undo.*${tCommand('whyNot.noConversation')}`))).toBeDisabled();

  await page.keyboard.type('pr');
  await expect(option(list, /./)).toHaveCount(2);
  await expect(selected).toHaveText(new RegExp(tCommand('titles.preview')));
  await page.keyboard.press('ArrowDown');
  await expect(selected).toHaveText(/prune/);
  await expect(desk.composer).toHaveAttribute('aria-activedescendant', (await selected.getAttribute('id')) ?? '');
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await expect(desk.composer).toHaveValue('/pr');
  await expect(desk.composer).toBeFocused();

  await page.keyboard.press('Control+a');
  await page.keyboard.type('/the');
  await page.keyboard.press('Tab');
  await expect(desk.composer).toHaveValue('/theme ');
  await expect(option(list, /./)).toHaveCount(3);
  await page.keyboard.type('da');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(desk.composer).toHaveValue('');
  // A click does the same.
  await page.keyboard.type('/theme ');
  await option(list, tShared('theme.light')).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');

  // A text that only starts with a slash is a message; an unknown command is reported and kept.
  await type(page, '/foo');
  await expect(page.getByText(tCommand('unknown', { name: 'foo' }))).toBeVisible();
  await expect(desk.composer).toHaveValue('/foo');
  await page.keyboard.press('Control+a');
  await type(page, '/pricing is wrong');
  await expect(desk.requests).toHaveText([/\/pricing is wrong/]);
  await desk.untilIdle();

  // The undo shows what it would revert, reverts it, and the preview shows it.
  await desk.ask('Change the hero heading on Home to "Made by commands"');
  const heading = desk.preview.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('Made by commands');
  await page.keyboard.type('/und');
  await expect(option(list, /Undo: .*Home/)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Undone: .*Home/)).toBeVisible();
  await expect(heading).not.toHaveText('Made by commands');

  // What there is to undo is known late: the line that the keys went to stays the one that Enter takes.
  const undoable = await holdRequests(page, /\/undoable$/);
  await page.keyboard.type('/');
  await expect(option(list, /^\/undo/)).toBeEnabled();
  await pressUntil(
    page,
    'ArrowDown',
    () => selected.innerText(),
    (line) => line.startsWith('/new'),
  );
  undoable.open();
  await expect(option(list, /^\/undo/)).toContainText(tCommand('whyNot.nothingToUndo'));
  await expect(selected).toHaveText(/^\/new/);
});

test('outputs are cleared and a conversation is summarized by commands, and both are undone', async ({
  desk,
  page,
  server,
}) => {
  const api = createApiClient({ baseUrl: server.url });
  await api.createSession({ title: 'Undo in words' });
  const { id } = await api.createSession({ title: 'Reports' });
  await api.request('POST', '/api/sessions/{id}/import', { params: { id }, body: { messages: reports(24) } });
  // Events before the page follows the session have no toast.
  const followed = page.waitForResponse((response) => response.url().includes(`/api/sessions/${id}/events`));
  await page.goto(`${server.url}/c/${id}`);
  await followed;
  await expect(desk.answers.last()).toContainText('Report 23 is fine.');
  const mark = page.getByRole('button', { name: tTools('cleared') });
  await expect(mark).toHaveCount(0);
  await type(page, '/prune');
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: /\d+ old results? cleared/ });
  // Under the pointer it stays.
  await toast.hover();
  await desk.scrollBack(24);

  // A cleared output is marked and stays readable.
  const card = desk.transcript.getByRole('listitem').filter({ has: mark }).first();
  const cleared = card.getByRole('button', { name: tTools('cleared') });
  // Scrolling to it would close its tooltip.
  await stillBox(cleared);
  await cleared.focus();
  await expect(page.getByRole('tooltip')).toContainText(tTools('clearedHint'));
  await card.locator('[aria-expanded]').press('Enter');
  await expect(card.getByRole('region', { name: tTools('details') })).toContainText('clay and glaze were weighed');
  await toast.getByRole('button', { name: tCompaction('undo') }).click();
  await expect(mark).toHaveCount(0);

  const asked = page.waitForRequest((request) => request.url().endsWith('/compact'));
  await desk.composer.focus();
  await page.keyboard.type('/compact keep the glazes');
  await expect(page.getByText(tCommand('with', { title: tCommand('titles.compact') }))).toBeVisible();
  await page.keyboard.press('Enter');
  expect((await asked).postDataJSON()).toEqual({ instructions: 'keep the glazes' });
  const divider = page.getByRole('note').filter({ hasText: tCompaction('done') });
  await expect(divider).toHaveCount(1);

  // The preview of the undo arrives late: it still ranks before a conversation with the word in its name.
  const undoable = await holdRequests(page, /\/undoable$/);
  await openPalette(page, 'undo');
  await expect(palette(page).getByRole('option', { name: 'Undo in words' })).toBeVisible();
  const selected = palette(page).getByRole('option', { selected: true });
  await expect(selected).toHaveText(new RegExp(`^${tCommand('titles.undo')}`));
  undoable.open();
  await takeMarked(page, /Undo: Summarized \d+ messages/);
  await expect(page.getByText(tCompaction('undone'))).toBeVisible();
  await expect(divider).toHaveCount(0);
});

test('an answer is stopped, copied and exported by commands, and its conversation renamed', async ({
  context,
  desk,
  page,
  startScripted,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const story = Array.from({ length: 6_000 }, (_, index) => `word${index + 1} `);
  const { server } = await startScripted((request, index) =>
    newestRequest(request).includes('story') ? { chunks: story, chunkDelayMs: 100 } : think(request, index),
  );
  await createApiClient({ baseUrl: server.url }).createSession({ title: 'Compact kilns' });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(server.url);
  await desk.ask('Create a page called Export day');
  await desk.send('Tell me a story');
  await expect(desk.answers.last()).toContainText('word3 ');
  await expect(desk.composer).toBeFocused();
  await page.keyboard.type('/co');
  await expect(option(slashList(page), /compact/)).toBeDisabled();
  await page.keyboard.press('Enter');
  await expect(page.getByText(tCommand('whyNot.running')).last()).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Backspace');
  // What fits best has to wait: until then the palette marks a conversation with the word in its name.
  await openPalette(page, 'compact');
  await expect(palette(page).getByRole('option', { selected: true })).toHaveText('Compact kilns');
  await escapeFrom(palette(page));
  await type(page, '/stop');
  await expect(desk.answers.last()).toContainText(tTranscript('stopped'));
  await expect(desk.composer).toHaveValue('');
  await desk.untilIdle();

  await page.keyboard.press('Alt+Shift+C');
  await expect(page.getByText(tShortcuts('copied'))).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('word1 word2');
  const markdown = page.waitForEvent('download');
  await type(page, '/export');
  const file = await markdown;
  expect(file.suggestedFilename()).toBe('Create a page called Export day.md');
  expect(await readFile(await file.path(), 'utf8')).toMatch(/- Created the page Export day/);
  const json = page.waitForEvent('download');
  await openPalette(page, 'export json');
  await takeMarked(page, /JSON/);
  expect(await readFile(await (await json).path(), 'utf8')).toContain('"throughline/1"');

  await type(page, '/rename');
  await expect(desk.composer).toHaveValue('/rename ');
  await type(page, 'Pages of spring');
  await expect(desk.sidebar.getByRole('link', { name: /Pages of spring/ })).toBeVisible();
  await type(page, '/model offline');
  await expect(page.getByText(/^The next message goes to /)).toBeVisible();
  await type(page, '/preview');
  await expect(page.getByRole('region', { name: tPreview('label') })).toBeHidden();
  await type(page, '/search spring');
  const search = page.getByRole('searchbox', { name: t('search') });
  await expect(search).toBeFocused();
  await expect(search).toHaveValue('spring');
  await page.keyboard.press('Alt+Shift+M');
  await type(page, '/new');
  await expect(page.getByRole('heading', { name: tStart('title') })).toBeVisible();
  await type(page, '/admin');
  await expect(page).toHaveURL(/\/admin$/);
});

test('the palette and the shortcuts lead to conversations, panes and the list of keys', async ({
  desk,
  page,
  server,
}) => {
  const api = createApiClient({ baseUrl: server.url });
  const { id: older } = await api.createSession({ title: 'Quarterly kiln figures' });
  const { id: newer } = await api.createSession({ title: 'Newer talk' });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(server.url);
  await expect(desk.composer).toBeFocused();
  await openPalette(page, 'quarterly');
  await takeMarked(page, 'Quarterly kiln figures');
  await expect(page).toHaveURL(new RegExp(`/c/${older}$`));
  const current = desk.sidebar.locator('a[aria-current=page]');
  // The address changes before the page does.
  await expect(current).toContainText('Quarterly');
  await openPalette(page, 'rename');
  await takeMarked(page, new RegExp(`^${tCommand('titles.rename')}`));
  const field = palette(page).getByPlaceholder(tCommand('renameTo'));
  await expect(field).toHaveValue('Quarterly kiln figures');
  await expect(field).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Kiln figures of autumn');
  await page.keyboard.press('Enter');
  await expect(current).toContainText('Kiln figures of autumn');
  await openPalette(page, 'stop');
  await expect(option(palette(page), new RegExp(tCommand('whyNot.nothingRuns')))).toBeDisabled();
  await escapeFrom(palette(page));

  await expect(desk.composer).toBeFocused();
  await page.keyboard.type('?');
  await expect(desk.composer).toHaveValue('?');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Control+/');
  await expect(helpSheet(page).getByText(tShortcuts('actions.copy-answer'))).toBeVisible();
  await expect(helpSheet(page).getByText('/compact')).toBeVisible();
  // The page below does not get the key.
  await untilFocused(helpSheet(page));
  await page.keyboard.press('Alt+Shift+N');
  await escapeFrom(helpSheet(page));
  await expect(page).toHaveURL(new RegExp(`/c/${older}$`));

  await expect(desk.composer).toBeFocused();
  await page.keyboard.press('Alt+Shift+J');
  await expect(current).toContainText('Newer talk');
  await expect(page).toHaveURL(new RegExp(`/c/${newer}$`));
  await page.keyboard.press('Alt+Shift+S');
  await expect(desk.sidebar).toBeHidden();
  await page.keyboard.press('Alt+Shift+S');
  await expect(desk.sidebar).toBeVisible();
  await page.keyboard.press('Alt+Shift+P');
  await expect(page.getByRole('region', { name: tPreview('label') })).toBeHidden();
  await page.keyboard.press('Alt+Shift+C');
  await expect(page.getByText(tShortcuts('nothingToCopy'))).toBeVisible();
  await page.keyboard.press('Alt+Shift+N');
  await expect(page.getByRole('heading', { name: tStart('title') })).toBeVisible();
  await desk.sidebar.getByRole('button', { name: tShortcuts('open') }).click();
  await expect(helpSheet(page)).toBeVisible();
});
