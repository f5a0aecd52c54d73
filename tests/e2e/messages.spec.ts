import type { Page } from '@playwright/test';
import { LIBRARY_MESSAGES_PATH } from '#components/workspace/navigation.ts';
import { translator } from '#components/i18n.ts';
import type { Entry } from '#server/core/site/content';
import { OPENED_FIELD } from '#server/core/site/site-forms';
import type { SubmissionPage } from '#server/core/site/submissions';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, think } from '#tests/e2e/support/scripted-model';

const tFormMessages = translator('formMessages');
const t = translator('shared');

/** Publishes a page with a form, and sends it under each of these names; gives back what sends one more. */
async function sendForms(page: Page, url: string, names: readonly string[]) {
  const fields = { heading: 'Write', fields: [{ label: 'Name', kind: 'text', required: true }], submitLabel: 'Send' };
  const made = await page.request.post(`${url}/api/content/pages`, {
    data: { title: 'Write to us', sections: [{ type: 'form', fields }] },
  });
  const { entry } = (await made.json()) as { readonly entry: Entry };
  await page.request.post(`${url}/api/content/pages/${entry.id}/publish`);
  const form = `${url}/forms/${entry.id}/${entry.draft.sections[0]?.id ?? ''}`;
  const send = async (name: string) => {
    const answers = { [OPENED_FIELD]: String(Date.now() - 60_000), '-Name': name };
    expect((await page.request.post(form, { form: answers, maxRedirects: 0 })).status()).toBe(303);
  };
  for (const name of names) await send(name);
  return send;
}

const listOf = (page: Page) => page.getByRole('list', { name: tFormMessages('list') });

// Without the fixture `desk`: the browser reports the list that does not come.
test('no more is deleted than is listed, and a list that does not come is not taken for another', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const send = await sendForms(page, server.url, ['Ada', 'Ben', 'Cleo']);
  await page.goto(`${server.url}${LIBRARY_MESSAGES_PATH}`);
  const rows = listOf(page).getByRole('listitem');
  const search = page.getByRole('searchbox', { name: tFormMessages('search') });
  await search.fill('nobody');
  await expect(page.getByText(tFormMessages('noMatch'))).toBeVisible();
  await page.getByRole('button', { name: tFormMessages('showAll') }).click();
  await expect(rows).toHaveCount(3);
  await search.fill('Ada');
  await expect(rows).toHaveText([/Ada/]);
  const gate = createGate();
  let isRefused = false;
  // All of them have the label.
  await page.route(/\/api\/submissions\?text=Name/, async (route) => {
    await gate.opened;
    if (isRefused) await route.fulfill({ status: 500, json: {} });
    else await route.continue();
  });
  const question = page.getByRole('alertdialog');
  await page.getByRole('button', { name: tFormMessages('removeAll.open', { count: 1 }) }).click();
  await expect(question).toBeVisible();
  // As if it was typed just before: it is searched for while the question is open, which keeps the focus.
  await page.locator('input[type=search]').evaluate((field: HTMLInputElement) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'Name');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await expect(question).toHaveCount(0);
  await expect(page.getByRole('button', { name: tFormMessages('removeAll.open', { count: 1 }) })).toBeDisabled();
  isRefused = true;
  gate.open();
  await expect(page.getByText(tFormMessages('failed'))).toBeVisible();
  await expect(rows).toHaveCount(0);

  isRefused = false;
  await page.getByRole('button', { name: t('common.retry') }).click();
  await expect(rows).toHaveCount(3);
  const all = await page.request.get(`${server.url}/api/submissions`);
  expect(((await all.json()) as SubmissionPage).total).toBe(3);

  // What comes while the question is open is none of those that it is about.
  await page.getByRole('button', { name: tFormMessages('removeAll.open', { count: 3 }) }).click();
  await send('Dora');
  const read = page.waitForResponse(/\/api\/submissions\?text=Name/);
  // As when the user returns from another window, which reads the list again.
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await read;
  await expect(
    page.getByRole('button', { name: tFormMessages('removeAll.open', { count: 4 }), includeHidden: true }),
  ).toBeAttached();
  await question.getByRole('button', { name: tFormMessages('removeAll.confirm') }).click();
  await expect(rows).toHaveText([/Dora/]);
  await rows.getByRole('button').click();
  await rows.getByRole('button', { name: tFormMessages('remove'), exact: true }).click();
  await question.getByRole('button', { name: tFormMessages('removeOne.confirm') }).click();
  await expect(rows).toHaveCount(0);
  await expect(page.getByRole('heading', { name: tFormMessages('title'), exact: true })).toBeFocused();
});
