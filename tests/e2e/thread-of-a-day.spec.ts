import type { Page } from '@playwright/test';
import { type ApiClient, createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { changesStrings } from '#components/changes/words.ts';
import { historyStrings as say } from '#components/history/words.ts';
import type { Asset, Entry } from '#server/core/site/content';
import type { ChangeSet } from '#server/core/site/changes';
import type { HistoryPage } from '#server/core/conversation/history';
import { expect, test } from '#tests/e2e/support/desk-test';
import { sayByApi } from '#tests/e2e/support/other-hands';
import { thinkAndSummarize } from '#tests/e2e/support/scripted-model';
import { escapeFrom } from '#tests/e2e/support/waits';
import { colouredPicture } from '#tests/support/pictures';

const PAGES = ['Studio notes', 'Price list', 'Kiln diary'] as const;
const REFS = PAGES.map((title) => title.toLowerCase().replace(' ', '-'));
const CHANGES = 60;
/** As a browser says that our own page asks: what is changed then is done by hand. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

const lineOf = (page: Page) => page.getByRole('navigation', { name: say.label });
/** The message that one was led to, which has the focus. */
const wantedOf = (page: Page) => page.locator('[data-row]:focus');
const pastOf = (page: Page) => page.getByRole('region', { name: say.past.label });

/** Every field of the drafts that the day is about, and of what stands around them. */
async function readFields(api: ApiClient) {
  const drafts = await Promise.all(REFS.map((ref) => api.get<Entry>(`/api/content/pages/${ref}`)));
  return {
    pages: drafts.map(({ draft }) => draft),
    settings: await api.get(paths.settings),
    navigation: await api.get('/api/content/navigation'),
  };
}
/** The words of a page's quote. */
function quoteOf({ sections }: Entry['draft']): string {
  const quote = sections.find(({ type }) => type === 'quote')?.fields['quote'];
  return typeof quote === 'string' ? quote : '';
}

/** What a page said after something was done to it. */
interface Step {
  readonly page: number;
  readonly quote: string;
}

/**
 * A day with an assistant on three pages: a quarter of it asked for, the rest by hand, a tenth taken back, summarized
 * twice.
 */
class Day {
  readonly #url: string;
  readonly #api: ApiClient;
  readonly sessionId: string;
  readonly steps: Step[] = [];
  undone = 0;
  #made = 0;

  constructor(url: string, api: ApiClient, sessionId: string) {
    this.#url = url;
    this.#api = api;
    this.sessionId = sessionId;
  }

  async ask(text: string): Promise<void> {
    await sayByApi(this.#api, this.sessionId, text);
    this.#made += 1;
  }

  async byHand(method: 'POST' | 'PATCH', path: string, body: object): Promise<void> {
    this.#made += 1;
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...OWN_PAGE },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
  }

  async setQuote(page: number, quote: string, isByHand: boolean): Promise<void> {
    if (isByHand) {
      const { draft } = await this.#api.get<Entry>(`/api/content/pages/${REFS[page]}`);
      const sectionId = draft.sections.find(({ type }) => type === 'quote')?.id;
      const operations = [{ op: 'set-section', sectionId, fields: { quote } }];
      await this.byHand('PATCH', `/api/content/pages/${REFS[page]}`, { operations });
    } else await this.ask(`Change the quote on ${PAGES[page]} to "${quote}"`);
    this.steps.push({ page, quote });
  }

  /** The newest changes of the site, oldest first. */
  async changes(count: number): Promise<ChangeSet[]> {
    return (await this.#api.get<{ items: ChangeSet[] }>(paths.changes({}, count))).items.toReversed();
  }

  async undoNewest(page: number): Promise<void> {
    const [newest] = await this.changes(1);
    await this.#api.undoChange(newest!.id, this.sessionId);
    this.undone += 1;
    const { draft } = await this.#api.get<Entry>(`/api/content/pages/${REFS[page]}`);
    this.steps.push({ page, quote: quoteOf(draft) });
  }

  async summarize(): Promise<void> {
    expect(await this.#api.compact(this.sessionId)).toMatchObject({ status: 'completed' });
  }

  get left(): number {
    return CHANGES - this.#made;
  }
}

test('a day of 60 changes, ten undone, two summaries: drawn, searched, a page brought back from the middle', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(thinkAndSummarize, { CONTEXT_WINDOW: '16000' });
  const api = createApiClient({ baseUrl: server.url });
  const { id } = await api.createSession({ title: 'A day of glazes' });
  const elsewhere = await api.createSession({ title: 'Another day' });
  await api.json('POST', `/api/sessions/${elsewhere.id}/import`, {
    messages: [{ role: 'user', content: 'The raku kiln cracked in frost' }],
  });
  const day = new Day(server.url, api, id);
  const upload = async (colour: string, path: string) => {
    const body = new Uint8Array(await colouredPicture(colour));
    const response = await fetch(`${server.url}${path}?filename=glaze.png`, {
      method: 'POST',
      body,
      headers: OWN_PAGE,
    });
    expect(response.ok).toBe(true);
    return { bytes: Buffer.from(body), ...((await response.json()) as { asset: Asset }) };
  };
  for (const title of PAGES) await day.ask(`Create a page called ${title}`);
  for (const [index, title] of PAGES.entries())
    await day.ask(`Add a quote section to ${title} with the quote "Beginning ${index}"`);
  // Two changes of the library, one of a page.
  const picture = await upload('#b5651d', '/api/content/media');
  await day.byHand('PATCH', `/api/content/pages/${REFS[2]}`, {
    operations: [
      { op: 'insert-section', section: { type: 'image', fields: { src: picture.asset.url, alt: 'A tile' } } },
    ],
  });
  let inTheMiddle = { at: 0, site: await readFields(api) };
  for (let index = 0; day.left > 2; index += 1) {
    const on = index % 3;
    await day.setQuote(on, `Words of step ${index}`, index % 4 !== 2);
    if (index === 25) inTheMiddle = { at: day.steps.length - 1, site: await readFields(api) };
    if (index % 5 === 4) await day.undoNewest(on);
    if (index === 16 || index === 33) await day.summarize();
  }
  const steps = (await day.changes(day.steps.length)).map(({ id: changeId }, at) => ({ changeId, ...day.steps[at]! }));
  const middle = { ...steps[inTheMiddle.at]!, site: inTheMiddle.site };
  const replaced = await upload('#2b5bd7', `/api/content/media/${picture.asset.id}/replace`);
  const thread = await api.get<HistoryPage>(paths.history(id, 1_000));
  const knots = thread.items.toReversed();
  expect([day.undone, thread.total, knots.filter(({ kind }) => kind === 'summary').length]).toEqual([10, 62, 2]);

  // All of it is a list, what was undone is marked, and each summary is a knot of its own.
  await page.setViewportSize({ width: 1400, height: 1_900 });
  await page.goto(`${server.url}/c/${id}`);
  const line = lineOf(page).getByRole('list', { name: say.label });
  await expect(line.getByRole('listitem')).toHaveCount(62);
  await expect(line.locator('[data-state-of="undone"]')).toHaveCount(10);
  await expect(line.getByRole('button', { name: new RegExp(say.summary) })).toHaveCount(2);
  await expect(line.getByRole('button', { name: new RegExp(`${say.undone}$`) })).toHaveCount(10);

  // Drawn: at every point the page that was worked on is what it was then.
  for (const { changeId, page: on, quote } of steps) {
    const then = await page.request.get(`${server.url}/preview/${REFS[on]}?at=${changeId}`);
    expect(await then.text()).toContain(`>${quote}<`);
  }
  await page.setViewportSize({ width: 1400, height: 900 });
  const shown = () => desk.preview.locator('blockquote');
  await line.getByRole('listitem').last().getByRole('button').focus();
  await page.keyboard.press('End');
  await expect(line.locator('li:focus-within')).toHaveAttribute('aria-posinset', '62');
  await page.keyboard.press('ArrowUp');
  await expect(pastOf(page)).toBeVisible();
  const place = knots.findIndex(({ changes }) => changes.some(({ id: change }) => change === middle.changeId));
  expect(place).toBeGreaterThan(0);
  for (let at = knots.length - 2; at > place; at -= 1) await page.keyboard.press('ArrowUp');
  await expect(line.locator('li:focus-within')).toHaveAttribute('aria-posinset', String(place + 1));
  // The preview has the page that was changed last.
  await expect(shown()).toContainText(quoteOf(middle.site.pages[2]!));

  // A picture that was replaced since has the bytes of then.
  const src = await desk.preview.getByRole('img', { name: 'A tile' }).getAttribute('src');
  expect(Buffer.compare(await (await page.request.get(`${server.url}${src}`)).body(), picture.bytes)).toBe(0);
  const now = await page.request.get(`${server.url}${picture.asset.url}`);
  expect(Buffer.compare(await now.body(), replaced.bytes)).toBe(0);

  // One page of the three, field by field; the way back is one undo.
  const before = await readFields(api);
  await pastOf(page).getByRole('button', { name: say.past.restore }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('button', { name: new RegExp(`^${say.restore.confirm}`) }).click();
  await expect(pastOf(page)).toHaveCount(0);
  const [first, second, third] = before.pages;
  expect(await readFields(api)).toEqual({ ...before, pages: [first, second, middle.site.pages[2]] });
  await api.undoChange((await day.changes(1))[0]!.id, id);
  expect(await readFields(api)).toEqual({ ...before, pages: [first, second, third] });

  // All that the conversation changed since.
  await api.json('POST', '/api/content/bring-back', { changeId: middle.changeId, sessionId: id, overOthers: true });
  expect(await readFields(api)).toEqual(middle.site);

  // When one leaves, all that waits is published at once, and taken back at once.
  await lineOf(page).getByRole('button', { name: say.search.label }).click();
  const sheet = page.getByRole('dialog', { name: say.name });
  await sheet.getByRole('button', { name: say.leave.open }).click();
  await expect(sheet.getByText(say.leave.changed(3))).toBeVisible();
  await expect(sheet.getByText(say.leave.waiting(3))).toBeVisible();
  await expect(sheet.getByText(/cost/)).toBeVisible();
  await sheet.getByRole('button', { name: say.leave.publishAll }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: say.leave.publishAll }).click();
  // Under the pointer it stays.
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: say.leave.published(3) });
  await toast.hover();
  await expect(sheet.getByText(say.leave.waiting(0))).toBeVisible();
  expect((await page.request.get(`${server.url}/site/kiln-diary`)).status()).toBe(200);
  await toast.getByRole('button', { name: changesStrings.undo }).click();
  await expect(sheet.getByText(say.leave.waiting(3))).toBeVisible();
  expect((await page.request.get(`${server.url}/site/kiln-diary`)).status()).toBe(410);
  await escapeFrom(sheet);

  // What was said is found where it was said, summarized long ago, and in other conversations.
  await lineOf(page).getByRole('button', { name: say.search.label }).click();
  const hits = sheet.getByRole('list', { name: say.search.results }).getByRole('link');
  await sheet.getByRole('searchbox', { name: say.search.label }).fill('Beginning 0');
  await hits.filter({ hasText: say.search.you }).first().click();
  await expect(wantedOf(page)).toContainText('Beginning 0');
  await expect(wantedOf(page)).toBeInViewport();
  await lineOf(page).getByRole('button', { name: say.search.label }).click();
  await sheet.getByRole('searchbox', { name: say.search.label }).fill('raku kiln');
  await sheet.getByRole('radio', { name: say.search.everywhere }).click();
  await hits.filter({ hasText: 'Another day' }).click();
  await expect(page).toHaveURL(new RegExp(elsewhere.id));
  await expect(wantedOf(page)).toContainText('The raku kiln cracked in frost');
});
