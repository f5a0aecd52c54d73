import type { Locator, Page } from '@playwright/test';
import { kindName } from '#components/editor/model/field-labels.ts';
import { translator } from '#components/i18n.ts';
import type { SectionType } from '#server/core/site/content';
import { escapeFrom, untilFocused } from '#tests/e2e/support/waits';
import { expect } from '#tests/support/browser-test';

const tLibrary = translator('library');
const tPageSections = translator('pageSections');
const tAddSection = translator('addSection');
const tPreview = translator('preview');
const tSaving = translator('saving');
const tShared = translator('shared');
const tSidebar = translator('sidebar');

/** A file from the computer of the owner. */
interface OwnFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** The owner of a site at the screens. Clicks are counted: presses of buttons, items, fields and options. */
export class Owner {
  readonly #page: Page;
  readonly #clicks = new Map<string, number>();
  #step = '';

  constructor(page: Page) {
    this.#page = page;
  }

  /** Clicks of each step, by its name. */
  get clicks(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#clicks);
  }

  /** The clicks from now on belong to this step. */
  begin(step: string): void {
    this.#step = step;
    this.#clicks.set(step, 0);
  }

  #count(clicks: number): void {
    this.#clicks.set(this.#step, (this.#clicks.get(this.#step) ?? 0) + clicks);
  }

  async press(control: Locator): Promise<void> {
    this.#count(1);
    await control.click();
  }

  async write(field: Locator, text: string): Promise<void> {
    this.#count(1);
    await field.fill(text);
  }

  /** Opens a list and chooses one of its options. */
  async choose(list: Locator, option: string): Promise<void> {
    this.#count(2);
    await list.selectOption(option);
  }

  /** Chooses a file in the dialog of the browser. */
  async upload(button: Locator, file: OwnFile): Promise<void> {
    const chooser = this.#page.waitForEvent('filechooser');
    await this.press(button);
    await (await chooser).setFiles([file]);
  }

  /** Opens a page of the site in the preview: a step of its own. */
  async openPage(title: string): Promise<void> {
    const step = this.#step;
    this.begin('page');
    await this.press(this.#page.getByRole('button', { name: tPreview('pick') }));
    const pages = this.#page.getByRole('region', { name: tPreview('pages') });
    await this.press(pages.getByRole('button', { name: new RegExp(`^${title}`) }));
    this.#step = step;
  }

  /** Opens a part of the library from the workspace. */
  async openLibrary(tab: string): Promise<void> {
    await this.press(this.#page.getByRole('link', { name: tSidebar('library') }));
    await this.press(
      this.#page.getByRole('navigation', { name: tLibrary('shell.nav') }).getByRole('link', { name: tab }),
    );
  }

  async leaveLibrary(): Promise<void> {
    await this.press(this.#page.getByRole('link', { name: tLibrary('shell.back') }));
  }

  /** Adds a section at the end of the page. Gives its fields. */
  async addSection(kind: SectionType): Promise<Locator> {
    await this.press(this.#page.getByRole('button', { name: tShared('page.outline'), exact: true }));
    await this.press(
      this.#page
        .getByRole('dialog', { name: tShared('page.outline') })
        .getByRole('button', { name: tPageSections('outline.add') }),
    );
    const kinds = this.#page.getByRole('dialog', { name: tAddSection('title') });
    await this.press(kinds.getByRole('button', { name: new RegExp(`^${kindName(kind)}`) }));
    return this.#fieldsOf(kind);
  }

  /** Opens the fields of the first section of a kind. */
  async editSection(kind: SectionType): Promise<Locator> {
    await this.press(this.#page.getByRole('button', { name: tShared('page.outline'), exact: true }));
    // A double click.
    await this.press(this.#page.getByRole('treeitem', { name: kindName(kind) }).first());
    this.#count(1);
    await this.#page.keyboard.press('Enter');
    return this.#fieldsOf(kind);
  }

  async #fieldsOf(kind: SectionType): Promise<Locator> {
    const panel = this.#page.getByRole('dialog', { name: kindName(kind) });
    await untilFocused(panel);
    return panel;
  }

  /** Waits until the fields are saved, and closes them by the Escape key. */
  async closeSaved(panel: Locator): Promise<void> {
    await expect(panel.locator('output').filter({ hasText: tSaving('save.saved') })).toBeVisible();
    await escapeFrom(panel);
  }
}
