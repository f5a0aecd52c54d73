import { queueStrings, transcriptStrings } from '#components/chat/text/words.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest, think } from '#tests/e2e/support/scripted-model';

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
  await expect(page.getByText(transcriptStrings.thinking)).toBeVisible();
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

test('waiting messages can be edited and removed; what is left is sent as one, and shown as it was typed', async ({
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
  // The first of them is long on its way: those behind it must not overtake it.
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

  await desk.waiting('Make it smal').getByRole('button', { name: queueStrings.edit }).click();
  const field = page.getByRole('textbox', { name: queueStrings.editLabel });
  await expect(field).toBeFocused();
  await page.keyboard.type('l!');
  // Whoever looks elsewhere meanwhile finds it in the composer.
  const conversation = new URL(page.url()).pathname;
  await desk.newChat();
  await desk.sidebar.locator(`a[href="${conversation}"]`).click();
  await expect(desk.composer).toHaveValue('Make it small!');
  await desk.composer.fill('');
  await desk.waiting('Make it smal').getByRole('button', { name: queueStrings.edit }).click();
  await expect(field).toBeFocused();
  await page.keyboard.type('l, please');
  await page.keyboard.press('Enter');
  await expect(desk.waiting('Make it small, please').getByRole('button', { name: queueStrings.edit })).toBeFocused();
  await desk.waiting('Throw it away').getByRole('button', { name: queueStrings.remove }).click();
  await expect(desk.composer).toBeFocused();
  await expect(desk.queue.getByRole('listitem')).toHaveText([/Paint it blue/, /Make it small, please/]);
  await desk.waiting('Make it small').getByRole('button', { name: queueStrings.sendNext }).click();
  await expect(desk.queue.getByRole('listitem')).toHaveText([/Make it small, please/, /Paint it blue/]);

  gate.open();
  await expect(desk.answers.last()).toContainText('All of it is done.');
  await expect(desk.queue).toHaveCount(0);
  await expect(desk.requests).toHaveCount(2);
  const sent = desk.requests.last();
  // As it was typed; only the model reads what joins it.
  await expect(sent).not.toContainText('First:');
  await expect(sent).not.toContainText('Throw it away');
  await expect(sent.getByRole('list', { name: transcriptStrings.sentTogether(2) })).toBeVisible();
  await expect(sent.getByRole('listitem')).toHaveText(['Make it small, please', 'Paint it blue']);
  expect(scripted.provider.requests).toHaveLength(2);
  expect(newestRequest(scripted.provider.requests.at(-1)!)).toContain('Also: Paint it blue');
});

test('what came in while the assistant worked stands where it came in', async ({ desk, page, startScripted }) => {
  const gate = createGate();
  const scripted = await startScripted(async (request) => {
    if (newestRequest(request).includes('posts too')) return { text: 'Pages and posts, then.' };
    if (request.messages.some((message) => message.role === 'tool')) return { text: 'Only pages.' };
    await gate.opened;
    return { text: 'I look.', toolCalls: [{ id: 'call_1', name: 'list_content', input: { type: 'page' } }] };
  });
  await page.goto(scripted.server.url);
  await desk.send('List the pages');
  await expect(desk.stopButton).toBeVisible();
  await desk.send('The posts too');
  await expect(desk.waiting('The posts too')).toBeVisible();
  gate.open();
  await desk.untilIdle();

  const check = async () => {
    await expect(desk.answers).toHaveCount(1);
    await expect(desk.answers).toContainText(
      /I look\.[^]*Listed \d+ pages[^]*The posts too[^]*Pages and posts, then\./,
    );
    await expect(desk.requests).toHaveText([/List the pages/, /The posts too/]);
    await expect(desk.queue).toHaveCount(0);
  };
  await check();
  await page.reload();
  await check();
});

test('after a stop what waits is held until the user sends or clears it', async ({ desk, page, startScripted }) => {
  const gate = createGate();
  const scripted = await startScripted(async (request) => {
    if (newestRequest(request).includes('Begin')) await gate.opened;
    return { text: 'Answered.' };
  });
  await page.goto(scripted.server.url);
  await desk.send('Begin');
  await expect(desk.stopButton).toBeVisible();
  await desk.send('And then this');
  await expect(desk.waiting('And then this')).toBeVisible();
  await desk.stopButton.click();
  await expect(page.getByText('Paused because you stopped')).toBeVisible();
  await expect(page.getByText(queueStrings.heldBody)).toBeVisible();
  await desk.untilIdle();
  await expect(desk.requests).toHaveCount(1);

  await page.reload();
  await expect(page.getByText(queueStrings.held)).toBeVisible();
  await page.getByRole('button', { name: queueStrings.sendAll }).click();
  await expect(desk.answers.last()).toContainText('Answered.');
  await expect(desk.requests).toHaveText([/Begin/, /And then this/]);
  await expect(desk.queue).toHaveCount(0);

  await desk.untilIdle();
  await desk.send('Begin again');
  await expect(desk.stopButton).toBeVisible();
  await desk.send('Forget this');
  await desk.waiting('Forget this').waitFor();
  // Escape stops what the page knows to run.
  await expect(desk.stopButton).toBeVisible();
  await desk.composer.press('Escape');
  await expect(page.getByText(queueStrings.held)).toBeVisible();
  await page.getByRole('button', { name: queueStrings.clear }).click();
  await expect(desk.queue).toHaveCount(0);
  await page.getByRole('button', { name: queueStrings.putBack }).click();
  await expect(desk.composer).toHaveValue('Forget this');
  gate.open();
});

test('a message that came with an API key waits for the user once the key is revoked, and says why', async ({
  desk,
  page,
  startScripted,
}) => {
  const gate = createGate();
  const scripted = await startScripted(async (request) => {
    if (!newestRequest(request).includes('Begin')) return { text: 'Done after all.' };
    await gate.opened;
    return { text: 'Begun.' };
  });
  const { url } = scripted.server;
  await page.goto(url);
  await desk.send('Begin');
  await expect(desk.stopButton).toBeVisible();
  await expect(page).toHaveURL(/\/c\/ses_/);
  const sessionId = /ses_\w+/.exec(page.url())?.[0];
  const made = await page.request.post(`${url}/api/keys`, { data: { name: 'Robot', scopes: ['chat'] } });
  const { key, apiKey } = (await made.json()) as { key: string; apiKey: { id: string } };
  const message = { role: 'user', parts: [{ type: 'text', text: 'From a robot' }] };
  const headers = { authorization: `Bearer ${key}` };
  await page.request.post(`${url}/api/message/queue`, { data: { sessionId, message }, headers });
  const row = desk.waiting('From a robot');
  await expect(row).toContainText(queueStrings.waiting);
  await page.request.delete(`${url}/api/keys/${apiKey.id}`);
  await expect(row).toContainText(queueStrings.heldReasons['key-revoked']);

  gate.open();
  await expect(desk.stopButton).toHaveCount(0);
  await expect(row).toBeVisible();
  await row.getByRole('button', { name: queueStrings.sendNow }).click();
  await expect(desk.queue).toHaveCount(0);
  await expect(page.getByText('Done after all.')).toBeVisible();
});
