import { expect, type Page } from '@playwright/test';
import { commandStrings, shortcutStrings } from '#components/chat/commands/words';
import { compactionStrings, contextStrings } from '#components/context/words';
import { strings } from '#components/words';
import { accessStrings } from '#components/access/words';
import { adminStrings } from '#components/admin/words';
import { docsStrings } from '#components/docs/words';
import { auditStrings } from '#components/admin/audit-words';
import { libraryStrings } from '#components/library/words';
import { plannedStrings } from '#components/planned/words';
import { settingsStrings } from '#components/settings/words';
import { Desk } from '#tests/e2e/support/desk';
import type { FurnishedServer } from '#tests/e2e/support/furnished-server';

/** One thing that a user can have before them. */
export interface Screen {
  /** Also the name of its picture. */
  readonly name: string;
  /** False: nothing of its own to see there. Default true. */
  readonly onPhone?: boolean;
  /** False: at this width it is what another screen shows. Default true. */
  readonly onDesktop?: boolean;
  /** Goes there, and waits until all of it is to be seen. */
  readonly open: (page: Page, furnished: FurnishedServer) => Promise<void>;
}

/** Else it is a tab of its own. */
const hasPreviewBeside = (page: Page) => (page.viewportSize()?.width ?? 0) >= 900;

const conversation = (which: keyof FurnishedServer['sessions']) => async (page: Page, furnished: FurnishedServer) => {
  await page.goto(`${furnished.server.url}/c/${furnished.sessions[which]}`);
  const desk = new Desk(page);
  await expect(desk.requests.last()).toBeVisible();
  if (hasPreviewBeside(page)) await expect(desk.preview.locator('body')).toBeVisible();
};

/** @param content words that are there once the page has what it shows */
const address =
  (path: string, heading: RegExp | string, content?: string) => async (page: Page, furnished: FurnishedServer) => {
    await page.goto(`${furnished.server.url}${path}`);
    await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
    if (content !== undefined) await expect(page.getByText(content).first()).toBeVisible();
  };

const chat = conversation('edited');

/** Every screen of the product, for the tests that look at all of them and for the pictures. */
export const screens: readonly Screen[] = [
  { name: 'start', open: address('/', strings.start.title) },
  { name: 'chat', open: chat },
  {
    name: 'preview-tab',
    onDesktop: false,
    open: async (page, furnished) => {
      await chat(page, furnished);
      await page.getByRole('radio', { name: strings.tabs.preview }).click();
      await expect(new Desk(page).preview.locator('body')).toBeVisible();
    },
  },
  {
    name: 'summary',
    open: async (page, furnished) => {
      await chat(page, furnished);
      const line = page.getByRole('button', { name: /^Conversation summarized/ });
      await line.click();
      await page.getByText(compactionStrings.summary).click();
      await expect(page.getByRole('heading', { name: 'What Was Accomplished' })).toBeVisible();
      await line.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    },
  },
  {
    name: 'context',
    open: async (page, furnished) => {
      await chat(page, furnished);
      await page.getByRole('button', { name: /^Context: \d/ }).click();
      await expect(page.getByRole('heading', { name: contextStrings.title })).toBeVisible();
    },
  },
  {
    name: 'commands',
    open: async (page, furnished) => {
      await chat(page, furnished);
      await page.keyboard.press('Control+k');
      await expect(page.getByPlaceholder(commandStrings.placeholder)).toBeVisible();
    },
  },
  {
    name: 'shortcuts',
    open: async (page, furnished) => {
      await chat(page, furnished);
      await page.keyboard.press('Control+/');
      await expect(page.getByRole('heading', { name: shortcutStrings.title })).toBeVisible();
    },
  },
  { name: 'approval', open: conversation('asking') },
  { name: 'waiting', open: conversation('busy') },
  { name: 'admin', open: address('/admin', adminStrings.sessions.title, 'Gift vouchers') },
  {
    name: 'admin-session',
    open: async (page, furnished) => {
      await page.goto(`${furnished.server.url}/admin/sessions/${furnished.sessions.edited}`);
      await expect(page.locator('.recharts-area').first()).toBeVisible();
    },
  },
  { name: 'settings', open: address('/admin/settings', settingsStrings.standing.title) },
  { name: 'audit', open: address('/admin/audit', auditStrings.title, 'Closed over Easter') },
  // The question of another assistant.
  { name: 'account', open: address('/account', 'Unpublish Commissions') },
  // What is planned stands above what was changed.
  { name: 'library-changes', open: address('/library/changes', plannedStrings.list.title) },
  { name: 'library-media', open: address('/library/media', libraryStrings.media.title, 'wheel.png') },
  {
    name: 'library-trash',
    open: async (page, furnished) => {
      await page.goto(`${furnished.server.url}/library/trash`);
      for (const { title } of Object.values(libraryStrings.trash.kinds)) {
        const section = page.getByRole('region', { name: title });
        await expect(section.getByRole('button', { name: libraryStrings.trash.restore }).first()).toBeVisible();
      }
    },
  },
  { name: 'library-import', open: address('/library/import', libraryStrings.imports.title) },
  { name: 'login', open: address('/login', accessStrings.local.title) },
  { name: 'docs', open: address('/docs/api', docsStrings.title) },
  { name: 'docs-area', open: address('/docs/api/sessions', 'Creates a session') },
  { name: 'site', open: address('/site', /./) },
  { name: 'preview', open: address('/preview/gift-vouchers', /./) },
  {
    name: 'preview-html',
    open: async (page, furnished) => {
      await page.goto(`${furnished.server.url}/preview/firings`);
      await expect(page.getByRole('table', { name: 'Firings' })).toBeVisible();
    },
  },
];
