import { expect, type FrameLocator, type Locator, type Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';

const tTranscript = translator('transcript');
const tComposer = translator('composer');
const tQueue = translator('queue');
const tStart = translator('start');
const t = translator('sidebar');
const tPreview = translator('preview');
const tTools = translator('tools');

/** The assistant as a user finds their way in it: by labels and words, never by class names. */
export class Workspace {
  readonly page: Page;
  readonly composer: Locator;
  readonly transcript: Locator;
  /** What the user said, oldest first. */
  readonly requests: Locator;
  /** What the assistant said and did, one article per turn. */
  readonly answers: Locator;
  readonly sidebar: Locator;
  readonly queue: Locator;
  readonly stopButton: Locator;
  /** Actions of the assistant that need the user's approval. */
  readonly approval: Locator;
  /** The visible preview; another one may be loading below it. */
  readonly preview: FrameLocator;

  constructor(page: Page) {
    this.page = page;
    this.composer = page.getByRole('textbox', { name: tComposer('label') });
    this.transcript = page.getByRole('log', { name: tTranscript('label') });
    this.requests = this.transcript.getByRole('article', { name: tTranscript('you') });
    this.answers = this.transcript.getByRole('article', { name: tTranscript('assistant') });
    this.sidebar = page.getByRole('navigation', { name: t('label') });
    this.queue = page.getByRole('list', { name: tQueue('label') });
    this.stopButton = page.getByRole('button', { name: tComposer('stop') });
    this.approval = this.transcript.getByRole('region', { name: /approval/ });
    this.preview = page.locator('iframe[aria-hidden="false"]').contentFrame();
  }

  /** Sends without waiting for the answer, once the page has received the text. On a phone, Enter is a new line. */
  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    const submit = this.page.locator('form').filter({ has: this.composer }).locator('[type=submit]');
    await expect(submit).toBeEnabled();
    const isPhone = await this.page.evaluate(() => !window.matchMedia('(pointer: fine)').matches);
    await (isPhone ? submit.click() : this.composer.press('Enter'));
  }

  /** Goes to the empty desk, and waits for it: the address changes before the page does. */
  async newChat(): Promise<void> {
    await this.sidebar.getByRole('link', { name: t('newChat') }).click();
    await expect(this.page.getByRole('heading', { name: tStart('title') })).toBeVisible();
  }

  /** Sends, waits until the turn has ended and gives its answer. */
  async ask(text: string): Promise<Locator> {
    await this.send(text);
    await expect(this.requests.last()).toContainText(text);
    await this.untilIdle();
    return this.answers.last();
  }

  /** Agrees to all that waits for it, and waits until it is done and the turn has ended. */
  async approve(): Promise<void> {
    const button = this.approval.locator('[data-decision="approve"], [data-decision="all"]');
    await button.last().click();
    await expect(this.approval).toHaveCount(0);
    // Between the approval and its effect nothing runs yet, as far as the page knows.
    for (const state of [tTools('approved'), tTools('running')])
      await expect(this.transcript.getByLabel(state, { exact: true })).toHaveCount(0);
    await this.untilIdle();
  }

  /** Waits until no conversation is being created and no turn runs. */
  async untilIdle(): Promise<void> {
    await expect(this.page.locator('[role="log"][aria-busy="true"]')).toHaveCount(0);
    const send = this.page.getByRole('button', { name: tComposer('send'), exact: true });
    await expect(send).toBeVisible();
  }

  /** Scrolls up until the transcript shows so many requests; earlier ones are loaded as one gets near to them. */
  async scrollBack(requests: number): Promise<void> {
    const shown = async () => {
      await this.requests.first().scrollIntoViewIfNeeded();
      return this.requests.count();
    };
    await expect.poll(shown).toBe(requests);
  }

  /** The line of a message that waits. */
  waiting(text: string): Locator {
    return this.queue.getByRole('listitem').filter({ hasText: text });
  }

  /** The line of a tool call, by its human title. */
  tool(title: string | RegExp): Locator {
    return this.transcript.getByRole('listitem').filter({ has: this.page.getByRole('button', { name: title }) });
  }

  /** Chooses something of the menu above the preview. */
  async chooseOfPage(item: string): Promise<void> {
    await this.page.getByRole('button', { name: tPreview('more'), exact: true }).click();
    await this.page.getByRole('menuitem', { name: item, exact: true }).click();
  }

  /** Percent of the usable context that the meter shows. */
  async contextPercent(): Promise<number> {
    const label = await this.page.getByRole('button', { name: /^Memory: \d/ }).getAttribute('aria-label');
    return Number(/\d+/.exec(label ?? '')?.[0] ?? Number.NaN);
  }
}
