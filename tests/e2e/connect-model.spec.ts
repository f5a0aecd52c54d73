import { expect, type Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { test } from '#tests/e2e/support/desk-test';
import type { Workspace } from '#tests/e2e/support/desk';
import { type ConnectableId, connectableIds, hostedIds } from '#server/core/admin/provider-names';
import { type FakeVendor, startFakeVendor } from '#tests/support/fake-vendors';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

const KEY = 'sk-ant-api03-0123456789abcdef';
const tProviders = translator('providers');
const t = translator('basicAssistant');
const tStart = translator('start');

const MODELS: Readonly<Record<ConnectableId, string>> = {
  openrouter: 'anthropic/claude-sonnet-5.5',
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-5.4',
  google: 'gemini-3.8-flash',
  'openai-compatible': 'qwen3',
};

let vendors: Readonly<Record<ConnectableId, FakeVendor>>;
let server: ProductionServer;

/** A fresh installation without a configured model; the vendors' addresses come from the environment. */
test.beforeAll(async () => {
  const start = (kind: ConnectableId) =>
    startFakeVendor({ kind, key: kind === 'openai-compatible' ? '' : KEY, models: [MODELS[kind], 'other'] });
  const started = await Promise.all(connectableIds.map(async (kind) => [kind, await start(kind)] as const));
  vendors = Object.fromEntries(started) as typeof vendors;
  server = await startProductionServer({
    seed: true,
    env: {
      OPENROUTER_BASE_URL: vendors.openrouter.baseUrl,
      ANTHROPIC_BASE_URL: vendors.anthropic.baseUrl,
      OPENAI_BASE_URL: vendors.openai.baseUrl,
      GOOGLE_GENERATIVE_AI_BASE_URL: vendors.google.baseUrl,
    },
  });
});
test.afterAll(async () => {
  await server.stop();
  for (const vendor of Object.values(vendors)) await vendor[Symbol.asyncDispose]();
});

/** Clicks and pastes as a person does, and counts. */
class Hand {
  clicks = 0;
  pastes = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get dialog() {
    return this.#page.getByRole('dialog', { name: tProviders('dialog.title') });
  }

  async click(name: string | RegExp, role: 'button' | 'radio' | 'textbox' = 'button') {
    this.clicks += 1;
    const within = (await this.dialog.count()) > 0 ? this.dialog : this.#page;
    // Exact: there are also the actions of a conversation with the title of the suggestion "List the pages".
    const exact = typeof name === 'string';
    await (role === 'textbox' ? within.getByLabel(name, { exact }) : within.getByRole(role, { name, exact })).click();
  }

  async paste(words: string) {
    this.pastes += 1;
    await this.#page.evaluate((copied) => navigator.clipboard.writeText(copied), words);
    await this.#page.keyboard.press('ControlOrMeta+V');
  }
}

async function begin(page: Page): Promise<Hand> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  await page.goto(server.url);
  await expect(page.getByRole('heading', { name: tStart('title') })).toBeVisible();
  return new Hand(page);
}

async function forget(desk: Workspace, id: ConnectableId) {
  // Not in a conversation with a model that is gone then.
  await desk.page.goto(`${server.url}/admin/settings`);
  const gone = await desk.page.request.delete(`${server.url}/api/settings/providers/${id}`);
  expect(gone.status()).toBe(204);
  await desk.page.evaluate(() => localStorage.clear());
}

// The suggested vendor, and one that is chosen; the integration tests connect all of them.
for (const id of hostedIds.slice(0, 2)) {
  test(`a newcomer with a key of ${id} has a first answer within five clicks and one paste`, async ({ desk, page }) => {
    const hand = await begin(page);
    await hand.click(t('strip.connect'));
    if (id !== 'openrouter') await hand.click(new RegExp(`^${tProviders(`names.${id}.name`)}`), 'radio');
    await hand.click(tProviders('dialog.key'), 'textbox');
    await hand.paste(KEY);
    await hand.click(tProviders('dialog.connect'));
    await expect(hand.dialog).toHaveCount(0);
    await hand.click(tStart('suggestions.list') ?? '');
    await desk.composer.press('Enter');
    await expect(desk.answers.last()).toContainText('Hello.');
    expect([hand.clicks <= 5, hand.pastes]).toEqual([true, 1]);
    await desk.untilIdle();

    // The newcomer's card is gone, and the page with the connection does not contain the key.
    await desk.newChat();
    await expect(page.getByRole('complementary', { name: t('strip.title') })).toHaveCount(0);
    await page.goto(`${server.url}/admin/settings/models`);
    await expect(page.getByRole('article', { name: tProviders(`names.${id}.name`), exact: true })).toContainText(
      tProviders('hasKey'),
    );
    expect(await page.content()).not.toContain(KEY);
    await forget(desk, id);
  });
}
