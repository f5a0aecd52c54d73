import { strings } from '#lib/strings';
import { expect, test } from '#tests/e2e/support/desk-test';
import { createGate, newestRequest, startScriptedServer, think } from '#tests/e2e/support/scripted-model';

test('messages sent while the assistant is busy wait, visibly, and are answered once', async ({ desk, page }) => {
  const gate = createGate();
  await using scripted = await startScriptedServer(async (request, index) => {
    if (newestRequest(request).includes('List the pages')) await gate.opened;
    return think(request, index);
  });
  await page.goto(scripted.server.url);
  await desk.send('List the pages');
  await expect(desk.requests).toHaveCount(1);
  await expect(page.getByText(strings.transcript.thinking)).toBeVisible();

  await desk.send('Create a page called Glazes');
  await desk.send('Publish Glazes');
  await expect(desk.queue.getByRole('listitem')).toHaveText([/Create a page called Glazes/, /Publish Glazes/]);
  await expect(desk.composer).toHaveValue('');
  await expect(desk.requests).toHaveCount(1);

  gate.open();
  await expect(desk.queue).toHaveCount(0);
  await desk.untilIdle();
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
