import type { Page } from '@playwright/test';
import { adminStrings } from '#components/admin/words.ts';
import { createApiClient } from '#components/api/api-client.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import { kindWords } from '#components/editor/model/field-words.ts';
import { previewStrings } from '#components/chat/preview/words.ts';
import { pointStrings } from '#components/editor/words.ts';
import { wordOf } from '#components/in-your-language.ts';
import { keyStrings } from '#components/keys/words.ts';
import { libraryStrings, messagesStrings } from '#components/library/words.ts';
import { sitesStrings } from '#components/settings/sites/words.ts';
import { settingsStrings } from '#components/settings/words.ts';
import { strategyWords } from '#components/ui/compaction-words.ts';
import { strings } from '#components/words.ts';
import { expectAccessibleOnPhone } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { sayByApi } from '#tests/e2e/support/other-hands';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { createGate, think } from '#tests/e2e/support/scripted-model';
import { escapeFrom, untilStill } from '#tests/e2e/support/waits';
import { startWordPressStub, STUB_USER } from '#tests/support/wordpress-stub';

const { labels, save, sources } = settingsStrings;

/** The settings page as an administrator finds their way in it. */
class SettingsPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(url: string): Promise<void> {
    await this.page.goto(`${url}/admin/settings`);
    await expect(this.page.getByRole('heading', { name: settingsStrings.groups.models.title })).toBeVisible();
  }

  /** Everything about one setting. */
  row(name: string) {
    return this.page.getByRole('group', { name: wordOf(labels, name)!, exact: true });
  }

  number(name: string) {
    return this.row(name).getByRole('spinbutton');
  }

  /** Saves, and waits until that is said; the words may still be those on a saving before. */
  async save(count: number): Promise<void> {
    await this.page.getByRole('button', { name: save.save, exact: true }).click();
    await expect(this.page.getByText(save.saved(count)).last()).toBeVisible();
    await expect(this.page.getByText(save.changes(count))).toHaveCount(0);
  }
}

test('a strategy and a number are changed, kept, used by the next compaction, and reset', async ({
  desk: _,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think, { CONTEXT_WINDOW: '16000' });
  const settings = new SettingsPage(page);
  await settings.open(server.url);
  await settings.row('strategy').getByRole('radio', { name: strategyWords.ledger.name }).check();
  await settings.number('minTurnsToKeep').fill('3');
  await expect(page.getByText(save.changes(2))).toBeVisible();
  await expect(settings.row('strategy').getByText(sources.changed)).toBeVisible();
  const saving = createGate();
  await page.route('**/api/settings', async (route) => {
    if (route.request().method() === 'PATCH') await saving.opened;
    await route.continue();
  });
  await page.getByRole('button', { name: save.save, exact: true }).click();
  // What is typed before the answer is there stays, also where it is what was there before, and so does the focus.
  await settings.number('minTurnsToKeep').fill('2');
  saving.open();
  await expect(page.getByText(save.saved(2))).toBeVisible();
  await expect(page.getByText(save.changes(1))).toBeVisible();
  await expect(settings.number('minTurnsToKeep')).toHaveValue('2');
  await expect(settings.number('minTurnsToKeep')).toBeFocused();
  await settings.number('minTurnsToKeep').fill('3');
  await expect(page.getByText(save.changes(1))).toHaveCount(0);

  await page.reload();
  await expect(settings.number('minTurnsToKeep')).toHaveValue('3');
  await expect(settings.row('strategy').getByText(sources.stored)).toBeVisible();

  const created = await page.request.post(`${server.url}/api/sessions`, { data: { title: 'Diary' } });
  const { id } = (await created.json()) as { id: string };
  const messages = Array.from({ length: 24 }, (_unused, day) => [
    { role: 'user', content: `Day ${day + 1}?` },
    { role: 'assistant', content: 'Bowls, jugs and plates came out well. '.repeat(15) },
  ]).flat();
  await page.request.post(`${server.url}/api/sessions/${id}/import`, { data: { messages } });
  const compaction = await page.request.post(`${server.url}/api/sessions/${id}/compact`, { data: {} });
  expect(await compaction.json()).toMatchObject({ strategy: 'ledger', status: 'completed' });

  await page.getByRole('button', { name: /^Strategy: back to the default$/ }).click();
  await page.getByRole('button', { name: /^Newest turns kept: back to the default$/ }).click();
  await settings.save(2);
  await expect(settings.number('minTurnsToKeep')).toHaveValue('2');
  await expect(settings.row('minTurnsToKeep').getByText(sources.default, { exact: true })).toBeVisible();
});

// Without the desk: the browser reports each 400 on its console.
test('what cannot be is refused at its field, and nothing is stored', async ({ page, startScripted }) => {
  const { server } = await startScripted(think);
  const settings = new SettingsPage(page);
  await settings.open(server.url);
  await settings.number('maxSteps').fill('0');
  await settings.number('toolBulkLimit').fill('9');
  await expect(settings.row('maxSteps').getByRole('alert')).toHaveText('Must be a whole number from 1 to 1,000.');
  await page.getByRole('button', { name: save.save, exact: true }).click();
  await expect(settings.number('maxSteps')).toBeFocused();

  // What only the server knows: two settings that do not fit together.
  await settings.number('maxSteps').fill('7');
  await settings.number('toolMaxOutputChars').fill('200000');
  await page.getByRole('button', { name: save.save, exact: true }).click();
  await expect(settings.row('toolMaxOutputChars').getByRole('alert')).toHaveText(
    /^Must not be above “All outputs of a step”/,
  );
  await expect(settings.number('toolMaxOutputChars')).toBeFocused();
  await expect(page.getByText(save.refused)).toBeVisible();
  await page.getByRole('button', { name: `${labels.toolMaxOutputChars}: undo the change` }).click();
  await settings
    .row('compactionModel')
    .getByRole('button', { name: /^Model for summaries/ })
    .click();
  await page.getByPlaceholder(settingsStrings.model.search).fill('never-heard-of-it');
  await page.getByRole('option', { name: settingsStrings.model.use('never-heard-of-it') }).click();
  await page.getByRole('button', { name: save.save, exact: true }).click();
  await expect(settings.row('compactionModel').getByRole('alert')).toContainText('that a configured provider serves');
  const stored = await (await page.request.get(`${server.url}/api/settings`)).json();
  expect(stored).toMatchObject({
    values: { maxSteps: 50, toolBulkLimit: 5, toolMaxOutputChars: 30_000, compactionModel: '__same__' },
  });

  await page.getByRole('button', { name: save.discard }).click();
  await expect(settings.number('maxSteps')).toHaveValue('50');
});

test('the default model is chosen by its name and answers the next conversation', async ({
  desk,
  page,
  startScripted,
}) => {
  const scripted = await startScripted(think);
  const { url } = scripted.server;
  const settings = new SettingsPage(page);
  await settings.open(url);
  await settings
    .row('defaultModel')
    .getByRole('button', { name: /^Default model/ })
    .click();
  await page.getByPlaceholder(settingsStrings.model.search).fill('mini');
  await page.getByRole('option', { name: /gpt-4o-mini/ }).click();
  await settings.save(1);

  await page.goto(url);
  await desk.ask('List the pages');
  expect(scripted.provider.requests.at(-1)?.body.model).toBe('openai/gpt-4o-mini');
});

test('tools are told to ask or be off, and models given a window', async ({ desk: _, page, startScripted }) => {
  const { server } = await startScripted(think);
  const settings = new SettingsPage(page);
  await settings.open(server.url);
  const policy = page.getByRole('radiogroup', { name: settingsStrings.tools.policyOf('Delete content') });
  await expect(policy.getByRole('radio', { name: settingsStrings.tools.policies.ask })).toBeChecked();
  await policy.getByText(settingsStrings.tools.policies.always).click();

  const windows = settings.row('modelWindowOverrides');
  await windows.getByRole('button', { name: settingsStrings.record.pick.model }).click();
  await page.getByPlaceholder(settingsStrings.model.search).fill('acme/own');
  await expect(page.getByRole('option', { name: settingsStrings.model.use('acme/own') })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await page.keyboard.press('Enter');
  // The list gives the focus back a moment after it has closed: an earlier key would open it again.
  await expect(windows.getByRole('button', { name: `${settingsStrings.record.key.model}: acme/own` })).toBeFocused();
  await windows.getByRole('spinbutton', { name: 'Tokens' }).fill('24000');
  await page.keyboard.press('Enter');
  await expect(windows.getByRole('rowheader', { name: 'acme/own' })).toBeVisible();
  await settings.save(2);
  const report = await (await page.request.get(`${server.url}/api/settings`)).json();
  expect(report).toMatchObject({
    values: { toolPolicies: { delete_content: 'always' }, modelWindowOverrides: { 'acme/own': 24_000 } },
  });
  await windows.getByRole('button', { name: settingsStrings.record.remove('acme/own') }).click();
  await policy.getByText(settingsStrings.tools.policies.ask).click();
  await settings.save(2);
  const { values } = await (await page.request.get(`${server.url}/api/settings`)).json();
  expect(values.toolPolicies).toEqual({});
});

/** Whether the outline or ring of an element lies within what scrolls around it; run in the page. */
function ringIsWhole(element: Element): boolean {
  const { outlineStyle, outlineWidth, outlineOffset, boxShadow } = getComputedStyle(element);
  const outline = outlineStyle === 'none' ? 0 : Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
  // A ring is a shadow without blur: its last length is how far it reaches.
  const reaches = [...boxShadow.matchAll(/0px 0px 0px (\d+)px/g)].map(([, pixels]) => Number(pixels));
  const reach = Math.max(outline, ...reaches);
  const { left, top, right, bottom } = element.getBoundingClientRect();
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflow === 'visible') continue;
    const edge = around.getBoundingClientRect();
    if (left - reach < edge.left || top - reach < edge.top) return false;
    if (right + reach > edge.right || bottom + reach > edge.bottom) return false;
  }
  return true;
}

test('settings are searched, and nobody leaves unsaved changes behind unasked', async ({
  desk: _,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const settings = new SettingsPage(page);
  await page.goto(`${server.url}/admin`);
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(settings.row('strategy')).toBeVisible();
  await page.getByRole('searchbox', { name: settingsStrings.search }).fill('CONTEXT_PRUNING_AGENT_THRESHOLD');
  await expect(settings.row('strategy')).toHaveCount(0);
  await expect(page.getByText(settingsStrings.matches(1))).toBeVisible();
  await settings.number('pruningAgentThreshold').fill('0.3');
  await page.getByRole('searchbox').fill('');
  // It was folded away; a change brings it to light.
  await expect(settings.number('pruningAgentThreshold')).toHaveValue('0.3');

  const dialog = page.getByRole('alertdialog', { name: settingsStrings.leave.title });
  await page.getByRole('link', { name: 'Sessions' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(settings.number('pruningAgentThreshold')).toHaveValue('0.3');
  await page.evaluate(() => history.back());
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: settingsStrings.leave.leave }).click();
  await expect(page).toHaveURL(`${server.url}/admin`);

  // One goes back also to a place on the page that a link led to.
  await page.goto(`${server.url}/admin/settings`);
  await page.getByRole('navigation', { name: settingsStrings.index }).getByRole('link', { name: 'People' }).click();
  await expect(page).toHaveURL(/#settings-people$/);
  await page.getByRole('link', { name: 'Costs' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Costs' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/#settings-people$/);
  await expect(page.getByRole('heading', { level: 1, name: settingsStrings.title })).toBeVisible();
  // Nothing cuts the ring around what has the focus.
  for (const control of [page.getByRole('link', { name: 'Costs' }), page.getByRole('searchbox')]) {
    await control.press('Shift');
    await expect(control).toBeFocused();
    expect(await control.evaluate(ringIsWhole)).toBe(true);
  }

  await page.goto(`${server.url}/admin/settings`);
  await expect(settings.number('maxSteps')).toBeVisible();
  await settings.number('maxSteps').fill('6');
  page.once('dialog', (asked) => void asked.dismiss());
  const leaving = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  expect((await leaving).type()).toBe('beforeunload');
});

test('nothing that is shown moves while the rest of its page is loaded, on a phone', async ({
  desk: _,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const post = async (path: string, data: object) =>
    (await (await page.request.post(`${server.url}/api/${path}`, { data })).json()) as { readonly id: string };
  const { id } = await post('sessions', { title: 'Diary' });
  await sayByApi(createApiClient({ baseUrl: server.url }), id, 'List the pages');
  await post('content/pages', { title: 'Open day', slug: 'open-day' });
  await post('content/pages/open-day/schedule', { publishAt: Date.parse('2033-01-05T09:00Z') });
  await page.request.post(`${server.url}/mcp`, {
    headers: { accept: 'application/json, text/event-stream' },
    data: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'unpublish_content', arguments: { ref: 'commissions' } },
    },
  });
  // So tall that everything is in sight: what is not cannot be seen to move.
  await page.setViewportSize({ width: 390, height: 12_000 });
  await page.addInitScript(() => {
    interface LayoutShift extends PerformanceEntry {
      readonly sources: readonly { readonly node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
    }
    const moved: string[] = [];
    Object.assign(window, { moved });
    new PerformanceObserver((list) => {
      for (const { node, previousRect, currentRect } of (list.getEntries() as LayoutShift[]).flatMap((e) => e.sources))
        // A font that arrives moves the title by three pixels.
        if (document.querySelector('main')?.contains(node) && Math.abs(currentRect.y - previousRect.y) > 4)
          moved.push(`${previousRect.y} to ${currentRect.y}: ${node?.textContent?.slice(0, 80)}`);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  // By the address: what stands furthest up there and comes last here, another answer, and what is shown in the end.
  const pages = [
    ['/admin/settings', '/api/settings/sites', '/api/settings', sitesStrings.connect],
    [`/admin/sessions/${id}`, `/api/sessions/${id}/context`, `/context/history`, adminStrings.chart.title],
    ['/account', '/api/call-requests', '/api/keys', keyStrings.title],
    ['/library/pages', '/api/content/pages', '/api/content/posts', 'Open day'],
    ['/library/changes', '/api/content/planned', '/api/content/changes', 'Open day'],
    ['/library/messages', '/api/submissions', '/api/submissions/overview', messagesStrings.keeping.title],
    ['/library/trash', '/api/content/trash', '/api/auth/me', libraryStrings.trash.redirects.title],
  ] as const;
  for (const [address, last, other, shown] of pages) {
    const gate = createGate();
    await page.route(
      ({ pathname }) => pathname === last,
      async (route) => {
        await gate.opened;
        await route.continue();
      },
    );
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(other));
    await page.goto(server.url + address);
    await answered;
    // Another font has other widths.
    await page.evaluate(() => Promise.all(Array.from(document.fonts, (font) => font.load())));
    await untilStill(page);
    gate.open();
    await expect(page.getByRole('main').getByText(shown).first()).toBeVisible();
    await untilStill(page);
    expect
      .soft({ address, moved: await page.evaluate(() => (window as unknown as { moved: string[] }).moved) })
      .toEqual({
        address,
        moved: [],
      });
    await page.unrouteAll({ behavior: 'wait' });
  }
  // Nor is the tab of the page pushed out of sight by what comes beside the tabs.
  await expect(page.getByRole('link', { name: strings.waitingCalls(1) })).toBeVisible();
  await expect(page.getByRole('navigation').locator('[aria-current=page]')).toBeInViewport({ ratio: 0.99 });
});

test('a WordPress site is tried from the keyboard, connected, and worked on', async ({
  desk: _,
  page,
  startOwnScripted,
}) => {
  const wordpress = await startWordPressStub();
  try {
    const { server } = await startOwnScripted(think);
    await page.goto(`${server.url}/admin/settings`);
    const section = page.getByRole('region', { name: sitesStrings.title, exact: true });
    await expect(section.getByText(sitesStrings.empty)).toBeVisible();
    await section.getByRole('button', { name: sitesStrings.connect }).press('Enter');
    const dialog = page.getByRole('dialog', { name: sitesStrings.form.addTitle });
    await expect(dialog.getByLabel(sitesStrings.form.url)).toBeFocused();
    // Nothing stands before this site that asks for a sign-in of its own.
    for (const word of [wordpress.url, STUB_USER.username, 'wrong', '']) {
      await page.keyboard.type(word);
      await page.keyboard.press('Tab');
    }
    await expect(dialog.getByRole('button', { name: sitesStrings.form.test })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog.locator('[data-ok=false]')).toBeVisible();
    await expectAccessibleOnPhone(page);
    // An outcome is about what was typed when it was asked for.
    const answer = createGate();
    await page.route('**/api/settings/sites/test', async (route) => {
      await answer.opened;
      await route.continue();
    });
    const tryOut = dialog.getByRole('button', { name: sitesStrings.form.test });
    await tryOut.press('Enter');
    await dialog.getByLabel(sitesStrings.form.password).fill(STUB_USER.password);
    answer.open();
    await expect(tryOut).toBeEnabled();
    await expect(dialog.locator('[data-ok]')).toHaveCount(0);
    await page.keyboard.press('Enter');
    const row = section.getByRole('article', { name: 'Stub & Sons' });
    await row.getByRole('button', { name: sitesStrings.workOf('Stub & Sons') }).press('Enter');
    const asked = page.getByRole('alertdialog', { name: sitesStrings.switchTo.title('Stub & Sons') });
    await expectAccessibleOnPhone(page);
    await asked.getByRole('button', { name: sitesStrings.switchTo.confirm }).press('Enter');
    await expect(row.getByText(sitesStrings.active)).toBeVisible();
    // What was pressed is gone.
    await expect(section.getByRole('button', { name: sitesStrings.workOf(sitesStrings.own) })).toBeFocused();
    // Nobody is switched by that, and it can be chosen.
    const choice = page.getByRole('combobox', { name: strings.sites.label });
    await expect(choice).toHaveValue('embedded');
    await choice.selectOption({ label: `Stub & Sons (${new URL(wordpress.url).host})` });
    await expect(choice).not.toHaveValue('embedded');
    await page.goto(`${server.url}/library/changes`);
    await expect(page.getByRole('link', { name: sitesStrings.badge('Stub & Sons') })).toBeVisible();

    // A section of a kind that we know is edited as on our own site; a block that is not ours leads into WordPress.
    await page.goto(`${server.url}${deskPagePath('/kilns')}`);
    const hand = new PageUnderHand(page);
    await expect(page.getByText(previewStrings.look.gaps['no-companion'])).toBeVisible();
    await hand.click('[data-kind=text] .site-prose p');
    await hand.bar.getByRole('button', { name: pointStrings.edit, exact: true }).click();
    const panel = page.getByRole('dialog', { name: kindWords.text.name });
    await expect(panel.getByText('All about Kilns.')).toBeVisible();
    await escapeFrom(panel);
    await hand.click('[data-kind=html]');
    const opened = page.waitForEvent('popup');
    await page.context().route(`${wordpress.url}/wp-admin/**`, (route) => route.fulfill({ body: 'WordPress' }));
    await hand.bar.getByRole('button', { name: pointStrings.editInCms }).click();
    expect((await opened).url()).toBe(`${wordpress.url}/wp-admin/post.php?post=7&action=edit`);

    // With the plugin the draft is shown as WordPress shows it, without scripts, and its sections are chosen there.
    wordpress.addCompanion();
    await page.reload();
    await expect(page.getByText(previewStrings.look.draft)).toBeVisible();
    await hand.ready();
    const theirs = hand.frame.contentFrame();
    await expect(theirs.getByText('A theme')).toBeVisible();
    await expect(theirs.locator('main')).toHaveCSS('color', 'rgb(10, 20, 30)');
    expect(await hand.frame.evaluate((frame: HTMLIFrameElement) => frame.contentDocument?.title)).toBe('');
    await hand.click('[data-section] + [data-section]');
    await expect(hand.bar.getByRole('button', { name: pointStrings.editInCms })).toBeVisible();
    // Its frame follows what the page does.
    await expect(async () => {
      const framed = (await page.locator('[data-chosen]').boundingBox())!;
      const block = (await theirs.getByText('Cart of the shop').boundingBox())!;
      expect(framed.y).toBeLessThan(block.y);
      expect(framed.y + framed.height).toBeGreaterThan(block.y + block.height);
    }).toPass();
    await page.getByRole('button', { name: previewStrings.look.toOurs }).click();
    await expect(page.getByText(previewStrings.look.ours)).toBeVisible();
    await expect(hand.frame.contentFrame().locator('.site-entry')).toBeVisible();
  } finally {
    wordpress.close();
  }
});

test('a row that goes hands the focus to its neighbour', async ({ desk: _, page, startScripted }) => {
  const { server } = await startScripted(think);
  const modelWindowOverrides = { 'acme/one': 9_000, 'acme/two': 9_000 };
  await page.request.patch(`${server.url}/api/settings`, { data: { modelWindowOverrides } });
  for (const name of ['First', 'Second'])
    await page.request.post(`${server.url}/api/keys`, { data: { name, scopes: ['chat'], expiresAt: null } });
  const settings = new SettingsPage(page);
  await settings.open(server.url);
  const { remove } = settingsStrings.record;
  const windows = settings.row('modelWindowOverrides');
  await windows.getByRole('button', { name: remove('acme/one') }).press('Enter');
  await expect(windows.getByRole('button', { name: remove('acme/two') })).toBeFocused();

  const revoke = (name: string) => page.getByRole('button', { name: keyStrings.revokeOf(name) });
  await revoke('First').press('Enter');
  const asked = page.getByRole('alertdialog');
  // The question closes and the row goes within one frame, as where the server is near.
  const showNextFrame = await holdFrames(page);
  await asked.getByRole('button', { name: keyStrings.revoke, exact: true }).press('Enter');
  await expect(revoke('Second')).toBeVisible();
  await expect(revoke('First')).toHaveCount(0);
  await showNextFrame();
  await expect(revoke('Second')).toBeFocused();
});

/** Lets nothing wait for the next frame of the page until the result is called. */
async function holdFrames(page: Page): Promise<() => Promise<void>> {
  const frames = await page.evaluateHandle(() => {
    const ask = window.requestAnimationFrame;
    const held: FrameRequestCallback[] = [];
    window.requestAnimationFrame = (callback) => held.push(callback);
    return {
      show: () => ((window.requestAnimationFrame = ask), held.forEach((callback) => callback(performance.now()))),
    };
  });
  return () => frames.evaluate(({ show }) => show());
}
