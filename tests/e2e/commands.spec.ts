import { readFile } from 'node:fs/promises';
import { translator } from '#components/i18n.ts';
import type { Locator, Page } from '@playwright/test';
import { z } from 'zod';
import { createApiClient } from '#components/api/api-client.ts';
import { commandNames } from '#components/chat/commands/commands.ts';
import { sessionIdOf } from '#components/workspace/navigation.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest, think } from '#tests/e2e/support/scripted-model';
import { escapeFrom, pressUntil, untilFocused, untilStill } from '#tests/e2e/support/waits';

const tTranscript = translator('transcript');
const tStart = translator('start');
const t = translator('sidebar');
const tPreview = translator('preview');
const tCommand = translator('command');
const tShortcuts = translator('shortcuts');
const tCompaction = translator('compaction');
const tShared = translator('shared');

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

/** Enough talk that summarizing it gains something. */
const talk = Array.from({ length: 40 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `Note ${index} ${'about clay and glazes '.repeat(30)}`,
}));

const undoable = z.object({ kind: z.string().nullable() });

test('a slash opens a list that is filtered, walked and left with keys alone', async ({ desk, page }) => {
  await page.goto('/');
  await expect(desk.composer).toBeFocused();
  await page.keyboard.type('/');
  const list = slashList(page);
  await expect(option(list, /./)).toHaveCount(commandNames.length);
  await expect(desk.composer).toHaveAttribute('aria-activedescendant', /-0$/);
  // There is no conversation yet: commands that need one say why they are disabled.
  await expect(option(list, new RegExp(`^/undo.*${tCommand('whyNot.noConversation')}`))).toBeDisabled();

  await page.keyboard.type('pr');
  await expect(option(list, /./)).toHaveCount(2);
  const marked = desk.composer.getAttribute('aria-activedescendant');
  await expect(page.locator(`[id="${(await marked) ?? ''}"]`)).toHaveText(new RegExp(tCommand('titles.preview')));
  await page.keyboard.press('ArrowDown');
  const active = page.locator(`[id="${(await desk.composer.getAttribute('aria-activedescendant')) ?? ''}"]`);
  await expect(active).toHaveText(/prune/);
  await expect(active).toHaveAttribute('aria-selected', 'true');
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
  await expect(desk.composer).toBeFocused();

  // A text that only starts with a slash is a message; an unknown command is reported and kept.
  await type(page, '/foo');
  await expect(page.getByText(tCommand('unknown', { name: 'foo' }))).toBeVisible();
  await expect(desk.composer).toHaveValue('/foo');
  await page.keyboard.press('Control+a');
  await type(page, '/pricing is wrong');
  await expect(desk.requests).toHaveText([/\/pricing is wrong/]);
});

test('/undo shows what it would revert, reverts it, and the preview shows it', async ({ desk, page }) => {
  await page.goto('/');
  await desk.ask('Change the hero heading on Home to "Made by commands"');
  await expect(desk.preview.getByRole('heading', { level: 1 })).toHaveText('Made by commands');
  await expect(desk.composer).toBeFocused();
  await page.keyboard.type('/und');
  await expect(option(slashList(page), /Undo: .*Home/)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Undone: .*Home/)).toBeVisible();
  await expect(desk.preview.getByRole('heading', { level: 1 })).not.toHaveText('Made by commands');

  await page.keyboard.type('/undo');
  await expect(option(slashList(page), /./)).toContainText(tCommand('whyNot.nothingToUndo'));
  await page.keyboard.press('Enter');
  await expect(page.getByText(tCommand('whyNot.nothingToUndo')).last()).toBeVisible();
  await expect(desk.composer).toHaveValue('/undo');

  // What there is to undo is known late: the line that the keys went to stays the one that Enter takes.
  let told = createGate();
  await page.route(/\/undoable$/, async (route) => {
    await told.opened;
    await route.continue();
  });
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('/');
  const list = slashList(page);
  await expect(option(list, /^\/undo/)).toBeEnabled();
  const selected = list.getByRole('option', { selected: true });
  await pressUntil(
    page,
    'ArrowDown',
    () => selected.innerText(),
    (line) => line.startsWith('/new'),
  );
  told.open();
  await expect(option(list, /^\/undo/)).toContainText(tCommand('whyNot.nothingToUndo'));
  await expect(selected).toHaveText(/^\/new/);

  // And what was not there the last time may be there now.
  await desk.ask('Change the hero heading on Home to "Made once more"');
  told = createGate();
  await type(page, '/undo');
  await expect(desk.composer).toHaveValue('');
  told.open();
  await expect(desk.preview.getByRole('heading', { level: 1 })).not.toHaveText('Made once more');
});

test('/compact with instructions, /prune and /undo of the summary', async ({ desk, page, server }) => {
  const api = createApiClient({ baseUrl: server.url });
  await api.createSession({ title: 'Undo in words' });
  const { id } = await api.createSession({ title: 'Long talk' });
  await page.request.post(`${server.url}/api/sessions/${id}/import`, { data: { messages: talk } });
  await page.goto(`/c/${id}`);
  await expect(desk.requests.last()).toContainText('Note 38');

  await type(page, '/prune');
  await expect(page.getByText(tCommand('nothingToClear'))).toBeVisible();

  const asked = page.waitForRequest((request) => request.url().endsWith('/compact'));
  await page.keyboard.type('/compact keep the glazes');
  await expect(page.getByText(tCommand('with', { title: tCommand('titles.compact') }))).toBeVisible();
  await page.keyboard.press('Enter');
  expect((await asked).postDataJSON()).toEqual({ instructions: 'keep the glazes' });
  await expect(page.getByRole('note').filter({ hasText: tCompaction('done') })).toHaveCount(1);

  // The preview of the undo arrives late: it still ranks before a conversation with the word in its name.
  const told = Promise.withResolvers<void>();
  await page.route(/\/undoable$/, async (route) => {
    await told.promise;
    await route.continue();
  });
  await openPalette(page, 'undo');
  await expect(palette(page).getByRole('option', { name: 'Undo in words' })).toBeVisible();
  await expect(palette(page).getByRole('option', { selected: true })).toHaveText(
    new RegExp(`^${tCommand('titles.undo')}`),
  );
  told.resolve();
  await expect(palette(page).getByRole('option', { selected: true })).toHaveText(/Undo: Summarized \d+ messages/);
  await page.keyboard.press('Enter');
  await expect(page.getByText(tCompaction('undone'))).toBeVisible();
  await expect(page.getByRole('note').filter({ hasText: tCompaction('done') })).toHaveCount(0);
  expect(
    undoable.parse(await (await page.request.get(`${server.url}/api/sessions/${id}/undoable`)).json()).kind,
  ).toBeNull();
});

test('while an answer is written some commands have to wait, and /stop stops it', async ({
  desk,
  page,
  startScripted,
}) => {
  const story = Array.from({ length: 6_000 }, (_, index) => `word${index + 1} `);
  const scripted = await startScripted((request, index) =>
    newestRequest(request).includes('story') ? { chunks: story, chunkDelayMs: 100 } : think(request, index),
  );
  const api = createApiClient({ baseUrl: scripted.server.url });
  await api.createSession({ title: 'Compact kilns' });
  await page.goto(scripted.server.url);
  await expect(desk.composer).toBeFocused();
  await page.keyboard.type('/stop');
  await expect(option(slashList(page), /./)).toContainText(tCommand('whyNot.noConversation'));
  await page.keyboard.press('Control+a');
  await desk.send('Tell me a story');
  await expect(desk.answers.last()).toContainText('word3 ');

  await expect(desk.composer).toBeFocused();
  await page.keyboard.type('/co');
  await expect(option(slashList(page), /compact/)).toBeDisabled();
  await page.keyboard.press('Enter');
  await expect(page.getByText(tCommand('whyNot.running')).last()).toBeVisible();
  await page.keyboard.press('Control+a');
  await type(page, '/stop');
  await expect(desk.answers.last()).toContainText(tTranscript('stopped'));
  await expect(desk.composer).toHaveValue('');
  await expect(desk.queue).toHaveCount(0);

  // What fits best can be done when the answer has ended: until then it is a conversation with the word in its name.
  await desk.send('Tell me another story');
  // The former answer has the same words, and a turn that has not begun yet cannot be cancelled.
  await expect(desk.answers).toHaveCount(2);
  await expect(desk.answers.last()).toContainText('word3 ');
  await openPalette(page, 'compact');
  const selected = palette(page).getByRole('option', { selected: true });
  await expect(selected).toHaveText('Compact kilns');
  await api.cancel(sessionIdOf(new URL(page.url()).pathname) ?? '');
  await expect(selected).toHaveText(new RegExp(tCommand('titles.compact')));
});

test('copy and export an answer; /rename, /model, /search, /preview, /new and /admin', async ({
  context,
  desk,
  page,
  startScripted,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { server } = await startScripted(think);
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(server.url);
  const answer = await desk.ask('Create a page called Export day');
  await page.keyboard.press('Alt+Shift+C');
  await expect(page.getByText(tShortcuts('copied'))).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.length).toBeGreaterThan(20);
  await expect(answer).toContainText(copied.split(/[\n*`_]/)[0] ?? '');

  const markdown = page.waitForEvent('download');
  await type(page, '/export');
  const file = await markdown;
  expect(file.suggestedFilename()).toBe('Create a page called Export day.md');
  const text = await readFile(await file.path(), 'utf8');
  expect(text).toContain('# Create a page called Export day');
  expect(text).toMatch(/- Created the page Export day/);
  const json = page.waitForEvent('download');
  await openPalette(page, 'export json');
  await takeMarked(page, /JSON/);
  const exported = z
    .object({ format: z.literal('throughline/1'), messages: z.array(z.object({ role: z.string() })) })
    .parse(JSON.parse(await readFile(await (await json).path(), 'utf8')));
  expect(exported.messages[0]?.role).toBe('user');

  await type(page, '/rename');
  await expect(desk.composer).toHaveValue('/rename ');
  await type(page, 'Pages of spring');
  await expect(desk.sidebar.getByRole('link', { name: /Pages of spring/ })).toBeVisible();

  await type(page, '/model offline');
  await expect(page.getByText(/^The next message goes to /)).toBeVisible();

  await expect(page.getByRole('region', { name: tPreview('label') })).toBeVisible();
  await type(page, '/preview');
  await expect(page.getByRole('region', { name: tPreview('label') })).toBeHidden();
  await type(page, '/preview');
  await expect(page.getByRole('region', { name: tPreview('label') })).toBeVisible();

  await type(page, '/search spring');
  const search = page.getByRole('searchbox', { name: t('search') });
  await expect(search).toBeFocused();
  await expect(search).toHaveValue('spring');
  await page.keyboard.press('Alt+Shift+M');
  await expect(desk.composer).toBeFocused();

  await type(page, '/new');
  await expect(page.getByRole('heading', { name: tStart('title') })).toBeVisible();
  await expect(desk.composer).toBeFocused();

  await type(page, '/admin');
  await expect(page).toHaveURL(/\/admin$/);
});

test('the palette finds commands, conversations and models', async ({ desk, page, server }) => {
  const api = createApiClient({ baseUrl: server.url });
  const { id } = await api.createSession({ title: 'Quarterly kiln figures' });
  await page.goto('/');
  await expect(desk.composer).toBeFocused();
  await openPalette(page, 'quarterly');
  await expect(option(palette(page), 'Quarterly kiln figures')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/c/${id}$`));
  // The address changes before the page does.
  await expect(desk.sidebar.getByRole('link', { name: /Quarterly/ })).toHaveAttribute('aria-current', 'page');
  await expect(palette(page)).toHaveCount(0);

  await openPalette(page, 'rename');
  await takeMarked(page, new RegExp(`^${tCommand('titles.rename')}`));
  await expect(palette(page).getByPlaceholder(tCommand('renameTo'))).toHaveValue('Quarterly kiln figures');
  await expect(palette(page).getByPlaceholder(tCommand('renameTo'))).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Kiln figures of autumn');
  await page.keyboard.press('Enter');
  await expect(desk.sidebar.getByRole('link', { name: /Kiln figures of autumn/ })).toBeVisible();

  await openPalette(page, 'stop');
  await expect(option(palette(page), new RegExp(tCommand('whyNot.nothingRuns')))).toBeDisabled();
  await escapeFrom(palette(page));
  await expect(desk.composer).toBeFocused();
});

test('shortcuts and their sheet, by keys and by mouse', async ({ desk, page, server }) => {
  const api = createApiClient({ baseUrl: server.url });
  await api.createSession({ title: 'Older talk' });
  const { id } = await api.createSession({ title: 'Newer talk' });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(`/c/${id}`);
  await expect(desk.sidebar.getByRole('link', { name: /Newer talk/ })).toBeVisible();
  await expect(desk.composer).toBeFocused();

  await page.keyboard.type('?');
  await expect(desk.composer).toHaveValue('?');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Control+/');
  await expect(helpSheet(page)).toBeVisible();
  await expect(helpSheet(page).getByText(tShortcuts('actions.copy-answer'))).toBeVisible();
  await expect(helpSheet(page).getByText('/compact')).toBeVisible();
  // The page below does not get the key.
  await untilFocused(helpSheet(page));
  await page.keyboard.press('Alt+Shift+N');
  await escapeFrom(helpSheet(page));
  await expect(page).toHaveURL(new RegExp(`/c/${id}$`));

  // The sheet gives it back.
  await expect(desk.composer).toBeFocused();
  // A place for the focus is looked for until the next frame.
  await untilStill(page);
  await desk.composer.blur();
  await page.keyboard.press('Shift+?');
  await escapeFrom(helpSheet(page));

  await page.keyboard.press('Alt+Shift+J');
  // The address changes before the page does, and the next key applies to what the page shows.
  await expect(desk.sidebar.getByRole('link', { name: /Older talk/ })).toHaveAttribute('aria-current', 'page');
  await page.keyboard.press('Alt+Shift+K');
  await expect(page).toHaveURL(new RegExp(`/c/${id}$`));

  await page.keyboard.press('Alt+Shift+S');
  await expect(desk.sidebar).toBeHidden();
  await page.keyboard.press('Alt+Shift+S');
  await expect(desk.sidebar).toBeVisible();
  await page.keyboard.press('Alt+Shift+P');
  await expect(page.getByRole('region', { name: tPreview('label') })).toBeHidden();
  await page.keyboard.press('Alt+Shift+P');

  await page.keyboard.press('Alt+Shift+C');
  await expect(page.getByText(tShortcuts('nothingToCopy'))).toBeVisible();
  await page.keyboard.press('Alt+Shift+N');
  await expect(page.getByRole('heading', { name: tStart('title') })).toBeVisible();

  await desk.sidebar.getByRole('button', { name: tCommand('open'), exact: true }).click();
  await escapeFrom(palette(page));
  await desk.sidebar.getByRole('button', { name: tShortcuts('open') }).click();
  await expect(helpSheet(page)).toBeVisible();
});
