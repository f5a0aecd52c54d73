import { expect, type Page } from '@playwright/test';
import { shownPercent } from '#components/format.ts';
import { translator } from '#components/i18n.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import { fieldLabels, kindName } from '#components/editor/model/field-labels.ts';
import {
  sectionId,
  settingsPageNames,
  settingsPagePath,
  settingsPages,
  type SettingsPageName,
} from '#components/workspace/settings-pages.ts';
import { Workspace } from '#tests/e2e/support/desk';
import type { FurnishedServer } from '#tests/e2e/support/furnished-server';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';
import { withArticle } from '#server/core/site/field-names';

const tLibrary = translator('library');
const tFormMessages = translator('formMessages');
const tImport = translator('import');

const tPageSections = translator('pageSections');
const tAddSection = translator('addSection');
const tNewPage = translator('newPage');
const tPageSettings = translator('pageSettings');
const tSectionPanel = translator('sectionPanel');
const tSaving = translator('saving');

const tDesign = translator('design');
const tSiteSettings = translator('siteSettings');
const tAccess = translator('access');
const tAdmin = translator('admin');
const tAudit = translator('audit');

const tProviders = translator('providers');
const tCosts = translator('costs');
const tScheduled = translator('scheduled');
const t = translator('basicAssistant');
const tComposer = translator('composer');
const tStart = translator('start');
const tTab = translator('tab');

const settings = translator('settings');
const tCommand = translator('command');
const tCompaction = translator('compaction');
const tContext = translator('context');
const tDocs = translator('docs');
const tHistory = translator('history');
const tPages = translator('pages');
const tShortcuts = translator('shortcuts');
const tShared = translator('shared');

/** One thing that a user can have before them. */
export interface Screen {
  /** Also the name of its picture. */
  readonly name: string;
  /** False: there is no separate screen on a phone. Default true. */
  readonly onPhone?: boolean;
  /** False: at this width it is what another screen shows. Default true. */
  readonly onDesktop?: boolean;
  /** False: it is written in English, or in the language of the site. Default true. */
  readonly isOurs?: boolean;
  /** Goes there, and waits until all of it is to be seen. */
  readonly open: (page: Page, furnished: FurnishedServer) => Promise<void>;
}

/** Else it is a separate tab. */
const hasPreviewBeside = (page: Page) => (page.viewportSize()?.width ?? 0) >= 900;

const conversation = (which: keyof FurnishedServer['sessions']) => async (page: Page, furnished: FurnishedServer) => {
  await page.goto(`${furnished.server.url}/c/${furnished.sessions[which]}`);
  const desk = new Workspace(page);
  await expect(desk.requests.last()).toBeVisible();
  if (hasPreviewBeside(page)) await expect(desk.preview.locator('body')).toBeVisible();
};

/** Words of the interface, in the language that is spoken when the screen is opened; or of what it shows. */
type Said = string | (() => string);
const now = (said: Said) => (typeof said === 'string' ? said : said());
/** What begins as words do that tell of something: `^Checkpoint from `. */
const beginning = (words: string) => new RegExp(`^${words.trim()}`);

/** @param content words that are there once the page has what it shows */
const address =
  (path: string, heading: Said | RegExp, content?: Said) => async (page: Page, furnished: FurnishedServer) => {
    await page.goto(`${furnished.server.url}${path}`);
    const name = heading instanceof RegExp ? heading : now(heading);
    await expect(page.getByRole('heading', { name }).first()).toBeVisible();
    if (content !== undefined)
      await expect(page.getByText(now(content)).filter({ visible: true }).first()).toBeVisible();
  };

/** A page of the settings, with its last section loaded. */
const settingsPage =
  (name: SettingsPageName) =>
  async (page: Page, { server }: FurnishedServer) => {
    await page.goto(`${server.url}${settingsPagePath(name)}`);
    await expect(page.locator(`#${sectionId(settingsPages[name].at(-1)!)}`)).toBeVisible();
  };

const chat = conversation('edited');
const threadLine = (page: Page) => page.getByRole('navigation', { name: tHistory('label') });

/** A page of the site next to the assistant. */
const editedPage = async (page: Page, { server }: FurnishedServer) => {
  await page.goto(`${server.url}${deskPagePath('/workshops')}`);
  await expect(new Workspace(page).preview.getByRole('heading', { name: 'Before you book' })).toBeVisible();
};

/** A page next to the assistant with its first section chosen. */
const chosenSection = async (page: Page, { server }: FurnishedServer) => {
  // From the desk itself only the hash would be another, and what was chosen would stay.
  await page.goto('about:blank');
  await page.goto(`${server.url}${deskPagePath('/workshops')}`);
  const hand = new PageUnderHand(page);
  await hand.ready();
  await hand.surface.focus();
  await page.keyboard.press('ArrowDown');
  await expect(hand.bar).toBeVisible();
  return hand;
};

const conversationScreens: readonly Screen[] = [
  { name: 'start', open: address('/', () => tStart('title')) },
  {
    name: 'newcomer',
    open: async (page, { server }) => {
      await page.goto(server.url);
      await page.evaluate(() => localStorage.setItem('throughline-model', 'throughline/offline'));
      await page.reload();
      await expect(page.getByRole('complementary', { name: t('strip.title') })).toBeVisible();
      if (hasPreviewBeside(page)) await expect(new Workspace(page).preview.locator('body')).toBeVisible();
    },
  },
  { name: 'chat', open: chat },
  {
    name: 'preview-tab',
    onDesktop: false,
    open: async (page, furnished) => {
      await chat(page, furnished);
      await page.getByRole('radio', { name: tTab('preview') }).click();
      await expect(new Workspace(page).preview.locator('body')).toBeVisible();
    },
  },
  {
    name: 'summary',
    open: async (page, furnished) => {
      await chat(page, furnished);
      const line = page.getByRole('button', { name: tCompaction('done') });
      await line.click();
      await expect(page.getByRole('heading', { name: 'What Was Accomplished' })).toBeVisible();
      await line.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    },
  },
  {
    name: 'context',
    open: async (page, furnished) => {
      await chat(page, furnished);
      await page
        .getByRole('button', {
          name: beginning(tComposer('memory.used', { percent: shownPercent(7) }).replace(/7.*/, '')),
        })
        .click();
      await expect(page.getByRole('heading', { name: tContext('title'), exact: true })).toBeVisible();
    },
  },
  {
    name: 'thread-knot',
    onPhone: false,
    open: async (page, furnished) => {
      await chat(page, furnished);
      await threadLine(page).getByRole('listitem').last().getByRole('button').click();
      const card = page.getByRole('dialog', { name: beginning(tHistory('card.label', { when: '' })) });
      await expect(card.locator('iframe').contentFrame().getByRole('heading').first()).toBeVisible();
    },
  },
  {
    name: 'thread',
    open: async (page, furnished) => {
      await chat(page, furnished);
      if (hasPreviewBeside(page)) await threadLine(page).getByRole('button').last().click();
      else await page.getByRole('button', { name: beginning(tShared('openHistory', { changes: 0 })) }).click();
      await expect(page.getByRole('dialog', { name: tHistory('name') })).toBeVisible();
    },
  },
  {
    name: 'as-it-was',
    onPhone: false,
    open: async (page, furnished) => {
      await chat(page, furnished);
      await threadLine(page).getByRole('listitem').last().getByRole('button').focus();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await expect(page.getByRole('region', { name: tHistory('past.label') })).toBeVisible();
      await page.getByRole('button', { name: tHistory('past.restore') }).click();
      await expect(page.getByRole('alertdialog')).toBeVisible();
    },
  },
  {
    name: 'commands',
    open: async (page, furnished) => {
      await chat(page, furnished);
      await page.keyboard.press('Control+k');
      await expect(page.getByPlaceholder(tCommand('placeholder'))).toBeVisible();
    },
  },
  {
    name: 'shortcuts',
    open: async (page, furnished) => {
      await chat(page, furnished);
      await page.keyboard.press('Control+/');
      await expect(page.getByRole('heading', { name: tShortcuts('title') })).toBeVisible();
    },
  },
  { name: 'approval', open: conversation('asking') },
  { name: 'waiting', open: conversation('busy') },
];

const administrationScreens: readonly Screen[] = [
  { name: 'admin', open: address('/admin', () => tAdmin('sessions.title'), 'Gift vouchers') },
  {
    name: 'admin-session',
    open: async (page, furnished) => {
      await page.goto(`${furnished.server.url}/admin/sessions/${furnished.sessions.edited}`);
      await expect(page.locator('.recharts-area').first()).toBeVisible();
    },
  },
  { name: 'settings', open: address('/admin/settings', () => settings('title')) },
  ...settingsPageNames.map((page) => ({
    name: `settings-${page}`,
    open: settingsPage(page),
  })),
  {
    name: 'connect-model',
    async open(page, furnished) {
      await settingsPage('models')(page, furnished);
      await page
        .getByRole('button', { name: tProviders('connectOf', { name: tProviders('names.anthropic.name') }) })
        .click();
      await expect(page.getByRole('dialog', { name: tProviders('dialog.title') })).toBeVisible();
    },
  },
  {
    name: 'costs',
    async open(page, furnished) {
      await address('/admin/costs', () => tCosts('title'))(page, furnished);
      await expect(page.locator('.recharts-bar').first()).toBeVisible();
    },
  },
  { name: 'audit', open: address('/admin/audit', () => tAudit('title'), 'Closed over Easter') },
  // The question of another assistant.
  { name: 'account', open: address('/account', /Commissions/) },
  { name: 'help', open: address('/help/first-site', 'Your first site in twenty minutes') },
];

const editorScreens: readonly Screen[] = [
  {
    name: 'section-chosen',
    open: async (page, furnished) => {
      await chosenSection(page, furnished);
    },
  },
  {
    name: 'writing-in-place',
    onPhone: false,
    open: async (page, furnished) => {
      const hand = await chosenSection(page, furnished);
      await hand.surface.press('Enter');
      await expect(page.getByRole('textbox', { name: beginning(fieldLabels('hero', 'heading').label) })).toBeFocused();
    },
  },
  {
    name: 'dragging',
    onPhone: false,
    open: async (page, furnished) => {
      const hand = await chosenSection(page, furnished);
      const grip = (await hand.bar.getByTitle(tPageSections('drag')).boundingBox())!;
      await page.mouse.move(grip.x + 4, grip.y + grip.height / 2);
      await page.mouse.down();
      await page.mouse.move(grip.x + 4, grip.y + grip.height / 2 + 160, { steps: 4 });
      await expect(page.locator('[data-drop-line]')).toBeVisible();
    },
  },
  {
    name: 'conflict',
    onPhone: false,
    open: async (page, furnished) => {
      const hand = await chosenSection(page, furnished);
      const [first] = await hand.ids();
      await hand.surface.press('Enter');
      await expect(page.getByRole('textbox', { name: beginning(fieldLabels('hero', 'heading').label) })).toBeFocused();
      const before = await new Workspace(page).preview.getByRole('heading', { level: 1 }).textContent();
      const heading = before === 'Throwing for beginners' ? 'Learn to throw, slowly' : 'Throwing for beginners';
      // The answer to the typed text arrives after another user has written the same field.
      await page.route('**/api/content/pages/*', async (route) => {
        if (route.request().method() === 'PATCH') {
          const operations = [{ op: 'set-section', sectionId: first, fields: { heading } }];
          await page.request.patch(`${furnished.server.url}/api/content/pages/workshops`, { data: { operations } });
        }
        await route.continue();
      });
      await page.keyboard.type(' and mine');
      await expect(page.getByRole('alertdialog', { name: tSaving('conflict.title') })).toBeVisible();
      await page.unrouteAll({ behavior: 'wait' });
    },
  },
  {
    name: 'section-panel',
    open: async (page, furnished) => {
      await editedPage(page, furnished);
      await page.getByRole('button', { name: tShared('page.outline'), exact: true }).click();
      await page.getByRole('treeitem', { name: new RegExp(kindName('faq')) }).dblclick();
      const panel = page.getByRole('dialog', { name: kindName('faq') });
      const { item = '' } = fieldLabels('faq', 'items');
      const itemWithArticle = withArticle(item.toLowerCase());
      await panel.getByRole('button', { name: tSectionPanel('list.add', { item, itemWithArticle }) }).click();
      await expect(panel.getByLabel(fieldLabels('faq', 'answer').label).filter({ visible: true })).toBeVisible();
    },
  },
  {
    name: 'page-settings',
    open: async (page, furnished) => {
      await editedPage(page, furnished);
      await page.getByRole('button', { name: tShared('page.outline'), exact: true }).click();
      await page.getByRole('button', { name: tPageSections('outline.settings') }).click();
      const panel = page.getByRole('dialog', { name: tPageSettings('title') });
      await expect(panel.getByRole('figure')).toBeVisible();
    },
  },
  {
    name: 'add-section',
    open: async (page, furnished) => {
      await editedPage(page, furnished);
      await page.getByRole('button', { name: tShared('page.outline'), exact: true }).click();
      const outline = page.getByRole('dialog', { name: tShared('page.outline') });
      await outline.getByRole('button', { name: tPageSections('outline.add') }).click();
      await expect(page.getByRole('dialog', { name: tAddSection('title') })).toBeVisible();
    },
  },
  {
    name: 'new-page',
    open: async (page, furnished) => {
      await address('/library/pages', () => tPages('title'), 'Workshops')(page, furnished);
      await page.getByRole('button', { name: tPages('new') }).click();
      await expect(page.getByRole('dialog', { name: tNewPage('title') })).toBeVisible();
    },
  },
];

const libraryScreens: readonly Screen[] = [
  // In pages there are drafts, what is published, and what is both.
  { name: 'library-pages', open: address('/library/pages', () => tPages('title'), 'Workshops') },
  // What is planned stands above what was changed.
  { name: 'library-changes', open: address('/library/changes', () => tScheduled('list.title')) },
  { name: 'library-media', open: address('/library/media', () => tLibrary('media.title'), 'wheel.png') },
  {
    name: 'library-messages',
    open: address(
      '/library/messages',
      () => tFormMessages('title'),
      () => tFormMessages('empty'),
    ),
  },
  {
    name: 'library-site',
    open: async (page, furnished) => {
      await address(
        '/library/site',
        () => tSiteSettings('title'),
        () => tSiteSettings('menu.items'),
      )(page, furnished);
      const menu = page.getByRole('region', { name: tSiteSettings('menu.title') });
      await menu.getByRole('button', { expanded: false }).first().click();
      await expect(menu.getByLabel(tSiteSettings('menu.label')).filter({ visible: true })).toBeVisible();
    },
  },
  {
    name: 'library-design',
    open: address(
      '/library/design',
      () => tDesign('title'),
      () => tDesign('save'),
    ),
  },
  {
    name: 'library-trash',
    open: async (page, furnished) => {
      await page.goto(`${furnished.server.url}/library/trash`);
      for (const kind of ['entries', 'media'] as const) {
        const section = page.getByRole('region', { name: tLibrary(`trash.kinds.${kind}.title`) });
        await expect(section.getByRole('button', { name: tLibrary('trash.restore') }).first()).toBeVisible();
      }
    },
  },
  { name: 'library-import', open: address('/library/import', () => tImport('title')) },
];

const otherScreens: readonly Screen[] = [
  { name: 'login', open: address('/login', () => tAccess('local.title')) },
  { name: 'docs', open: address('/docs/api', () => tDocs('title')) },
  { name: 'docs-area', isOurs: false, open: address('/docs/api/sessions', 'Creates a session') },
  { name: 'site', isOurs: false, open: address('/site', /./) },
  { name: 'preview', open: address('/preview/gift-vouchers', /./) },
  {
    name: 'preview-html',
    open: async (page, furnished) => {
      await page.goto(`${furnished.server.url}/preview/firings`);
      await expect(page.getByRole('table', { name: 'Firings' })).toBeVisible();
    },
  },
];

/** Every screen of the product, by what it belongs to. */
export const screensByArea = {
  conversations: conversationScreens,
  administration: administrationScreens,
  editor: editorScreens,
  library: libraryScreens,
  'other pages': otherScreens,
} satisfies Record<string, readonly Screen[]>;

/** The same in one list, for the pictures. */
export const screens: readonly Screen[] = Object.values(screensByArea).flat();
