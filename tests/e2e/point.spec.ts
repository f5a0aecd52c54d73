import type { Page } from '@playwright/test';
import { kindName } from '#components/editor/model/field-labels.ts';
import { translator } from '#components/i18n.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import { violationsOf } from '#tests/e2e/support/accessible';
import { stillBox } from '#tests/e2e/support/waits';
import { expect, test } from '#tests/e2e/support/desk-test';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { collectPolicyViolations, startStranger } from '#tests/e2e/support/stranger';
import { newestRequest, think } from '#tests/e2e/support/scripted-model';
import type { ParsedRequest } from '#tests/support/request-log';

const tPageSections = translator('pageSections');
const tShared = translator('shared');

interface Sections {
  readonly draft: {
    readonly sections: readonly { readonly id: string; readonly type: string; readonly fields: object }[];
  };
}

async function sectionsOf(page: Page, ref: string) {
  const answer = await page.request.get(new URL(`/api/content/pages/${ref}`, page.url()).href);
  return ((await answer.json()) as Sections).draft.sections;
}

const CHOSEN = /Chosen by the user on the page: section (sec_\w+) \(text, /;
const WARM = 'Come in and get warm';

/** Makes the section warmer that is chosen, if one is. */
function makeWarmer(request: ParsedRequest) {
  const asked = JSON.stringify(request.messages);
  const [, sectionId] = CHOSEN.exec(asked.slice(asked.lastIndexOf('Chosen by the user'))) ?? [];
  if (!newestRequest(request).includes('warmer') || sectionId === undefined) return { text: 'Which one?' };
  if (request.messages.at(-1)?.role === 'tool') return { text: 'Done.' };
  return { toolCalls: [{ id: 'c1', name: 'update_section', input: { sectionId, fields: { heading: WARM } } }] };
}

test('by pointer: a message is about the clicked section, and sections are dragged', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server, provider } = await startScripted(makeWarmer);
  await page.goto(server.url);
  const hand = new PageUnderHand(page);
  await hand.ready();
  const before = await sectionsOf(page, 'home');

  const { x, y } = await hand.pointOf('[data-kind=text] h2');
  await page.mouse.move(x, y);
  await expect(hand.surface.getByText(kindName('text'), { exact: true })).toBeVisible();
  await page.mouse.click(x, y);
  await expect(hand.bar).toHaveAccessibleName(tPageSections('bar', { kind: kindName('text') }));
  const chip = page.getByRole('list', { name: tPageSections('chip') });
  await expect(chip).toContainText('A small pottery that likes company');

  // Further typing enters the message field.
  await page.keyboard.type('Make this warmer');
  await expect(desk.composer).toHaveValue('Make this warmer');
  await page.keyboard.press('Enter');
  await expect(desk.preview.getByRole('heading', { name: WARM })).toBeVisible();
  await desk.untilIdle();
  const after = await sectionsOf(page, 'home');
  const changed = after.filter((section, index) => JSON.stringify(section) !== JSON.stringify(before[index]));
  expect(changed.map(({ type }) => type)).toEqual(['text']);
  expect(JSON.stringify(provider.requests.at(-1)?.body)).toMatch(CHOSEN);

  // It stays chosen until it is released: then a message names nothing.
  await expect(chip).toContainText(WARM);
  const what = tPageSections('section', { kind: kindName('text'), name: WARM });
  await chip.getByRole('button', { name: tPageSections('leaveOut', { what }) }).click();
  await expect(chip).toHaveCount(0);
  await expect(hand.bar).toHaveCount(0);

  const [first = '', second = '', ...rest] = await hand.kinds();
  await page.getByRole('button', { name: tShared('page.outline') }).click();
  const rows = hand.outline.getByRole('treeitem');
  const [from, to] = [await stillBox(rows.nth(0)), await stillBox(rows.nth(1))];
  await page.mouse.move(from.x + 12, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(from.x + 12, to.y + to.height / 2 + 4, { steps: 8 });
  await page.mouse.up();
  await expect.poll(() => hand.kinds()).toEqual([second, first, ...rest]);
  await page.keyboard.press('Escape');

  // The page scrolls under a pointer at its edge; the section is put where the pointer lets go of it, and comes back.
  await hand.click('[data-kind=hero] :is(h1, h2)');
  const pane = (await hand.surface.boundingBox())!;
  const grip = await stillBox(hand.bar.getByText(kindName('hero')));
  await page.mouse.move(grip.x + 4, grip.y + grip.height / 2);
  await page.mouse.down();
  await page.mouse.move(grip.x + 4, pane.y + pane.height - 30, { steps: 5 });
  const hero = hand.frame.contentFrame().locator('section[data-kind=hero]');
  await expect.poll(() => hero.evaluate((element) => element.getBoundingClientRect().bottom)).toBeLessThan(0);
  await page.mouse.move(grip.x + 4, pane.y + pane.height / 2, { steps: 3 });
  await expect(page.locator('[data-drop-line]')).toBeVisible();
  await page.mouse.up();
  await expect.poll(async () => (await hand.kinds()).indexOf(first)).toBeGreaterThan(1);
  expect((await hand.kinds()).filter((kind) => kind !== first)).toEqual([second, ...rest]);
  await hand.surface.focus();
  await page.keyboard.press('Control+z');
  await expect.poll(() => hand.kinds()).toEqual([second, first, ...rest]);
});

test('by keyboard alone: choose, move, remove and bring back, in the page and in its outline', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  await page.goto(server.url);
  const hand = new PageUnderHand(page);
  await hand.ready();
  await expect(desk.composer).toBeFocused();
  const kinds = await hand.kinds();
  const [first = '', second = '', ...rest] = kinds;

  await hand.surface.focus();
  await page.keyboard.press('ArrowDown');
  await expect(hand.bar).toBeVisible();
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(() => hand.kinds()).toEqual([second, first, ...rest]);
  await expect(hand.surface.getByText(tPageSections('moved', { place: 2, count: kinds.length }))).toBeAttached();
  await expect(hand.surface).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(hand.bar.getByRole('button', { name: tPageSections('ask') })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(hand.bar.getByRole('button', { name: tPageSections('edit') })).toBeFocused();
  // Its other layout, and a copy of it; both are undone.
  await hand.bar.getByRole('button', { name: 'Layout' }).press('Enter');
  await page.getByRole('menuitemradio', { name: 'Centred' }).press('Enter');
  await expect(hand.frame.contentFrame().locator('[data-kind=hero] [data-layout=centered]')).toBeAttached();
  await hand.bar.getByRole('button', { name: tPageSections('duplicate') }).press('Enter');
  await expect.poll(() => hand.kinds()).toEqual([second, first, first, ...rest]);
  await hand.surface.focus();
  await page.keyboard.press('Control+z');
  await expect.poll(() => hand.kinds()).toEqual([second, first, ...rest]);
  await page.keyboard.press('Control+z');
  await expect(hand.frame.contentFrame().locator('[data-kind=hero] [data-layout=centered]')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(hand.bar).toHaveCount(0);

  await page.getByRole('button', { name: tShared('page.outline') }).press('Enter');
  const row = hand.outline.getByRole('treeitem');
  await expect(row).toHaveCount(kinds.length);
  await expect(row.first()).toBeFocused();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await expect(row.nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => hand.kinds()).toEqual(kinds);
  await expect(row.first()).toBeFocused();
  await page.keyboard.press('Delete');
  // Under the pointer it stays.
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  await undo.hover();
  await expect.poll(() => hand.kinds()).toEqual([second, ...rest]);
  await expect(row.first()).toBeFocused();
  await page.keyboard.press('Escape');
  await undo.click();
  await expect.poll(() => hand.kinds()).toEqual(kinds);
});

test('imported HTML is chosen, edited, moved and removed without any of it running', async ({
  desk,
  page,
  startScripted,
}) => {
  await using stranger = await startStranger();
  const { origin } = stranger;
  const violations = collectPolicyViolations(page);
  const { server } = await startScripted(think);
  const html = [
    '<p id="from">From elsewhere</p>',
    `<script>parent.__canary = true; fetch('${origin}/script')</script>`,
    `<p onclick="parent.__canary = true; fetch('${origin}/event')" onpointerover="fetch('${origin}/over')">Press me</p>`,
    `<form action="${origin}/form"><input name="x" autofocus onfocus="fetch('${origin}/focus')"><button>Send</button></form>`,
  ].join('');
  const sections = [
    { type: 'text', fields: { heading: 'Ours', body: 'Words.' } },
    { type: 'html', fields: { html } },
  ];
  const answer = await page.request.post(`${server.url}/api/content/pages`, {
    data: { title: 'Imported', slug: 'imported', sections },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  await page.goto(`${server.url}${deskPagePath('/imported')}`);
  const hand = new PageUnderHand(page);
  await expect.poll(() => hand.kinds()).toEqual(['text', 'html']);

  await hand.click('[data-kind=html] p:nth-of-type(2)');
  await expect(hand.bar).toHaveAccessibleName(tPageSections('bar', { kind: kindName('html') }));
  await hand.click('[data-kind=html] p:nth-of-type(2)', { clickCount: 2 });
  const written = page.getByRole('dialog').getByRole('textbox').first();
  await expect(written).toHaveValue(/Press me/);
  await written.press('ControlOrMeta+End');
  await page.keyboard.type(`<p onclick="fetch('${origin}/typed')">Added by hand</p>`);
  await expect(desk.preview.getByText('Added by hand')).toBeVisible();
  await hand.surface.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => hand.kinds()).toEqual(['html', 'text']);
  await page.keyboard.press('Delete');
  await expect.poll(() => hand.kinds()).toEqual(['text']);

  expect(await page.evaluate(() => '__canary' in window)).toBe(false);
  expect(stranger.requests).toEqual([]);
  expect(violations).toEqual([]);
});
