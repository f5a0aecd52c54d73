import { expect, type Page } from '@playwright/test';
import { providerStrings } from '#components/providers/words.ts';
import { basicAssistantStrings, startStrings } from '#components/chat/text/words.ts';
import { test } from '#tests/e2e/support/desk-test';
import type { Workspace } from '#tests/e2e/support/desk';
import { type ConnectableId, connectableIds, hostedIds } from '#server/core/admin/provider-names';
import { type FakeVendor, polite, startFakeVendor } from '#tests/support/fake-vendors';
import { freePort } from '#tests/support/free-port';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

const KEY = 'sk-ant-api03-0123456789abcdef';
const { dialog: text, names } = providerStrings;
const { strip } = basicAssistantStrings;

const MODELS: Readonly<Record<ConnectableId, string>> = {
  openrouter: 'anthropic/claude-sonnet-5.5',
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-5.4',
  google: 'gemini-3.8-flash',
  'openai-compatible': 'qwen3',
};

let vendors: Readonly<Record<ConnectableId, FakeVendor>>;
let server: ProductionServer;

/** A fresh installation, to which nobody has said anything of a model; the vendors are where the environment says. */
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
    return this.#page.getByRole('dialog', { name: text.title });
  }

  async click(name: string | RegExp, role: 'button' | 'radio' | 'textbox' = 'button') {
    this.clicks += 1;
    const within = (await this.dialog.count()) > 0 ? this.dialog : this.#page;
    // Exact: beside the suggestion "List the pages" there are the actions of a conversation with that title.
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
  await expect(page.getByRole('heading', { name: startStrings.title })).toBeVisible();
  return new Hand(page);
}

async function forget(desk: Workspace, id: ConnectableId) {
  // Not in a conversation with a model that is gone then.
  await desk.page.goto(`${server.url}/admin/settings`);
  const gone = await desk.page.request.delete(`${server.url}/api/settings/providers/${id}`);
  expect(gone.status()).toBe(204);
  await desk.page.evaluate(() => localStorage.clear());
}

for (const id of hostedIds) {
  test(`a newcomer with a key of ${id} has a first answer within five clicks and one paste`, async ({ desk, page }) => {
    const hand = await begin(page);
    await hand.click(strip.connect);
    if (id !== 'openrouter') await hand.click(new RegExp(`^${names[id].name}`), 'radio');
    await hand.click(text.key, 'textbox');
    await hand.paste(KEY);
    await hand.click(text.connect);
    await expect(hand.dialog).toHaveCount(0);
    await hand.click(startStrings.suggestions[1] ?? '');
    await desk.composer.press('Enter');
    await expect(desk.answers.last()).toContainText('Hello.');
    expect([hand.clicks <= 5, hand.pastes]).toEqual([true, 1]);
    await desk.untilIdle();

    // The newcomer's card is gone, and the key is nowhere in the page that tells of it.
    await desk.newChat();
    await expect(page.getByRole('complementary', { name: strip.title })).toHaveCount(0);
    await page.goto(`${server.url}/admin/settings`);
    await expect(page.getByRole('article', { name: names[id].name, exact: true })).toContainText(
      providerStrings.hasKey,
    );
    expect(await page.content()).not.toContain(KEY);
    await forget(desk, id);
  });
}

test('so has a newcomer with a model server of their own, by its address or because it is found', async ({
  desk,
  page,
}) => {
  const hand = await begin(page);
  await hand.click(strip.connect);
  await hand.click(new RegExp(`^${names['openai-compatible'].name}`), 'radio');
  await expect(hand.dialog.getByRole('button', { name: text.lookAgain })).toBeVisible();
  await hand.dialog.getByLabel(text.address).fill('');
  await hand.click(text.address, 'textbox');
  await hand.paste(vendors['openai-compatible'].baseUrl);
  await hand.click(text.connect);
  await expect(hand.dialog).toHaveCount(0);
  await hand.click(startStrings.suggestions[1] ?? '');
  await desk.composer.press('Enter');
  await expect(desk.answers.last()).toContainText('Hello.');
  expect([hand.clicks <= 5, hand.pastes]).toEqual([true, 1]);
  await desk.untilIdle();
  // A change begins at what is chosen.
  await page.goto(`${server.url}/admin/settings`);
  await page.getByRole('button', { name: providerStrings.changeOf(names['openai-compatible'].name) }).click();
  const own = hand.dialog.getByRole('radio', { name: new RegExp(`^${names['openai-compatible'].name}`) });
  await expect(own).toBeChecked();
  await expect(own).toBeFocused();
  await forget(desk, 'openai-compatible');

  const found = await startAtUsualPort();
  test.skip(found === null, 'All ports at which model servers are looked for are taken on this machine.');
  if (!found) return;
  const again = await begin(page);
  await again.click(strip.connect);
  await again.click(new RegExp(`^${names['openai-compatible'].name}`), 'radio');
  // A busy machine may answer too late: then one looks again.
  const address = again.dialog.getByRole('radio', { name: new URL(found.baseUrl).host });
  await expect(async () => {
    if (!(await address.isVisible())) await again.click(text.lookAgain);
    await expect(address).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await address.click();
  await again.click(text.connect);
  await expect(again.dialog).toHaveCount(0);
  expect(found.requests.at(-1)?.model).toBe('qwen3');
  await forget(desk, 'openai-compatible');
  await found[Symbol.asyncDispose]();
});

/** Other tests on this machine may have some of them. */
async function startAtUsualPort(): Promise<FakeVendor | null> {
  for (const port of [1234, 11_434, 8080, 8000]) {
    const started = await startFakeVendor({ kind: 'openai-compatible', key: '', models: ['qwen3'], port }).catch(
      () => null,
    );
    if (started) return started;
  }
  return null;
}

test('a wrong key, a model without tools and a server that is not there are told apart, with what to do', async ({
  page,
}) => {
  const hand = await begin(page);
  const outcome = hand.dialog.locator('[data-ok=false]');
  await hand.click(strip.connect);
  await hand.click(new RegExp(`^${names.anthropic.name}`), 'radio');
  await hand.dialog.getByLabel(text.key, { exact: true }).fill('sk-ant-wrong');
  await hand.click(text.connect);
  await expect(outcome).toContainText('The server refuses the key (401). Copy it again');
  await expect(hand.dialog.getByRole('button', { name: text.anyway })).toHaveCount(0);

  // With the right key the model is found wanting; another one is chosen in the same place.
  vendors.anthropic.respond = (request, index) =>
    request.model === 'other' ? polite(request, index) : { text: 'Yes.' };
  await hand.dialog.getByLabel(text.key, { exact: true }).fill(KEY);
  await hand.click(text.connect);
  await expect(outcome).toContainText('did not use the tool');
  await expect(hand.dialog.getByRole('button', { name: text.anyway })).toBeVisible();
  await hand.dialog.getByLabel(text.model, { exact: true }).selectOption('anthropic/other');

  await hand.click(new RegExp(`^${names['openai-compatible'].name}`), 'radio');
  await expect(hand.dialog.getByRole('button', { name: text.lookAgain })).toBeVisible();
  await hand.dialog.getByLabel(text.address).fill(`127.0.0.1:${await freePort()}`);
  await hand.click(text.connect);
  await expect(outcome).toContainText(/Nothing answers at 127\.0\.0\.1:\d+: the connection was refused/);

  await hand.click(new RegExp(`^${names.anthropic.name}`), 'radio');
  await hand.dialog.getByLabel(text.key, { exact: true }).fill(KEY);
  await hand.click(text.connect);
  await expect(outcome).toContainText('did not use the tool');
  await hand.dialog.getByLabel(text.model, { exact: true }).selectOption('anthropic/other');
  await hand.click(text.connect);
  await expect(hand.dialog).toHaveCount(0);
  await expect(page.getByText(text.done('other'))).toBeVisible();
});
