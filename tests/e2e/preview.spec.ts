import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Desk } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';

/** A stranger's server: counts who asks it for anything. */
async function startListener() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// Without the fixture `desk`: the browser reports the picture that it refuses to load.
test('a picture from elsewhere, written by the model, is asked for by nobody', async ({ page }) => {
  await using stranger = await startListener();
  const desk = new Desk(page);
  await page.goto('/');
  await desk.ask('Create a page called Leak');
  await desk.ask(`Add a text section to Leak with the text "![Secret](${stranger.url}/x.png?words)"`);
  const picture = desk.preview.getByRole('img', { name: 'Secret' });
  await expect(picture).toBeVisible();
  // True for a picture that failed, too; not for one that still loads.
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.complete)).toBe(true);

  await page.goto('/preview/leak');
  await expect(page.getByRole('img', { name: 'Secret' })).toBeVisible();
  await expect
    .poll(() => page.getByRole('img', { name: 'Secret' }).evaluate((img: HTMLImageElement) => img.complete))
    .toBe(true);
  expect(stranger.asked).toEqual([]);
});

test('the preview goes to the section that was just written, and stays where it is seen already', async ({
  desk,
  page,
}) => {
  await page.goto('/');
  await desk.ask('Add a quote section to Home with the quote "Down here at last"');
  const quote = desk.preview.getByText('Down here at last');
  await expect(quote).toBeInViewport();

  await desk.ask('Change the quote on Home to "Still down here"');
  await expect(desk.preview.getByText('Still down here')).toBeInViewport();

  await desk.ask('Change the hero heading on Home to "Back at the top"');
  await expect(desk.preview.getByRole('heading', { name: 'Back at the top' })).toBeInViewport();
});
