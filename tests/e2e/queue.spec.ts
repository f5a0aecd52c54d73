import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest, think } from '#tests/e2e/support/scripted-model';

const tTranscript = translator('transcript');
const t = translator('queue');

test('messages sent while the assistant is busy wait, visibly, and are answered once', async ({
  desk,
  page,
  startScripted,
}) => {
  const gate = createGate();
  const scripted = await startScripted(async (request, index) => {
    if (newestRequest(request).includes('List the pages')) await gate.opened;
    return think(request, index);
  });
  await page.goto(scripted.server.url);
  await desk.send('List the pages');
  await expect(desk.requests).toHaveCount(1);
  await expect(page.getByText(tTranscript('thinking'))).toBeVisible();
  // It counts its seconds.
  await expect(page.getByText(/^Thinking… \d+ s$/)).toBeVisible();
  await expect(desk.composer).toHaveAttribute('placeholder', 'Add the next thing; I’ll get to it');

  await desk.send('Create a page called Glazes');
  await desk.send('Publish Glazes');
  await expect(desk.queue.getByRole('listitem')).toHaveText([/Create a page called Glazes/, /Publish Glazes/]);
  await expect(desk.composer).toHaveValue('');
  await expect(desk.requests).toHaveCount(1);

  gate.open();
  await expect(desk.queue).toHaveCount(0);
  await desk.approve();
  await expect(desk.tool('Published Glazes')).toHaveCount(1);
  const readWords = async () => (await desk.requests.allInnerTexts()).join('\n');
  const words = await readWords();
  expect(words.match(/Create a page called Glazes/g)).toHaveLength(1);
  expect(words.match(/Publish Glazes/g)).toHaveLength(1);
  await expect(desk.tool('Created the page Glazes')).toHaveCount(1);
  expect((await page.request.get(`${scripted.server.url}/site/glazes`)).status()).toBe(200);

  await page.reload();
  await expect.poll(readWords).toBe(words);
  await expect(desk.tool('Published Glazes')).toHaveCount(1);
  await expect(desk.queue).toHaveCount(0);
});

test('queued messages can be edited and removed; the rest is sent as one, shown as typed', async ({
  desk,
  page,
  startScripted,
}) => {
  const gate = createGate();
  const scripted = await startScripted(async (request) => {
    if (!newestRequest(request).includes('Begin')) return { text: 'All of it is done.' };
    await gate.opened;
    return { text: 'Begun.' };
  });
  // The first of them is sent slowly: the others must not overtake it.
  const slow = createGate();
  await page.route('**/api/message/queue', async (route) => {
    if (route.request().postData()?.includes('Paint it blue')) await slow.opened;
    await route.continue();
  });
  await page.goto(scripted.server.url);
  await desk.send('Begin');
  await expect(desk.stopButton).toBeVisible();
  for (const text of ['Paint it blue', 'Make it smal', 'Throw it away']) await desk.send(text);
  slow.open();
  await expect(desk.queue.getByRole('listitem')).toHaveText([/Paint it blue/, /Make it smal/, /Throw it away/]);

  await desk
    .waiting('Make it smal')
    .getByRole('button', { name: t('edit') })
    .click();
  const field = page.getByRole('textbox', { name: t('editLabel') });
  await expect(field).toBeFocused();
  await page.keyboard.type('l!');
  // After a visit elsewhere, it is in the composer.
  const conversation = new URL(page.url()).pathname;
  await desk.newChat();
  await desk.sidebar.locator(`a[href="${conversation}"]`).click();
  await expect(desk.composer).toHaveValue('Make it small!');
  await desk.composer.fill('');
  await desk
    .waiting('Make it smal')
    .getByRole('button', { name: t('edit') })
    .click();
  await expect(field).toBeFocused();
  await page.keyboard.type('l, please');
  await page.keyboard.press('Enter');
  await expect(desk.waiting('Make it small, please').getByRole('button', { name: t('edit') })).toBeFocused();
  await desk
    .waiting('Throw it away')
    .getByRole('button', { name: t('remove') })
    .click();
  await expect(desk.composer).toBeFocused();
  await expect(desk.queue.getByRole('listitem')).toHaveText([/Paint it blue/, /Make it small, please/]);
  await desk
    .waiting('Make it small')
    .getByRole('button', { name: t('sendNext') })
    .click();
  await expect(desk.queue.getByRole('listitem')).toHaveText([/Make it small, please/, /Paint it blue/]);

  gate.open();
  await expect(desk.answers.last()).toContainText('All of it is done.');
  await expect(desk.queue).toHaveCount(0);
  await expect(desk.requests).toHaveCount(2);
  const sent = desk.requests.last();
  // As it was typed; only the model reads what joins it.
  await expect(sent).not.toContainText('First:');
  await expect(sent).not.toContainText('Throw it away');
  await expect(sent.getByRole('list', { name: tTranscript('sentTogether', { count: 2 }) })).toBeVisible();
  await expect(sent.getByRole('listitem')).toHaveText(['Make it small, please', 'Paint it blue']);
  expect(scripted.provider.requests).toHaveLength(2);
  expect(newestRequest(scripted.provider.requests.at(-1)!)).toContain('Also: Paint it blue');
});
