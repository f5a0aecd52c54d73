import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openJsonFileStore } from '#examples/cms/json-file-store';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { preparePicture } from '#server/site/media/prepare-picture';
import { describeContentBackend } from '#tests/support/content-backend-contract';
import { answerText, say } from '#tests/support/chat-client';
import { startTestServices } from '#tests/support/test-services';

/** A temporary folder, deleted afterwards. */
function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'throughline-json-site-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

describeContentBackend('a site in a JSON file', async () => {
  const folder = temporaryFolder();
  let time = 1_700_000_000_000;
  const content = new EmbeddedSite(await openJsonFileStore(folder.path), {
    now: () => (time += 1),
    preparePicture,
  });
  return { content, [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() };
});

it('is the site of the chat: changes are in the file, also after a restart', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'site.json');
  {
    await using services = await startTestServices({}, { contentStore: await openJsonFileStore(folder.path) });
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    const answer = await say(services, id, 'Create a page called Pricing about our three plans');
    expect(answerText(answer)).toContain('Pricing');
    await say(services, id, 'Create a page called Nonsense');
    await say(services, id, 'Undo that');
  }
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ journal: [{}, {}, { change: { action: 'undo' } }] });

  await using again = await startTestServices({}, { contentStore: await openJsonFileStore(folder.path) });
  expect((await again.builtIn.content.query({ type: 'page' })).items.map(({ title }) => title)).toEqual(['Pricing']);
  expect((await again.builtIn.content.changes({})).map(({ action }) => action)).toEqual(['undo', 'create', 'create']);
});

it('writes nothing if a write is refused or a dry run', async () => {
  using folder = temporaryFolder();
  const content = new EmbeddedSite(await openJsonFileStore(folder.path));
  await content.create({ type: 'page', title: 'Pricing' }, { actor: 'user' }, { dryRun: true });
  await expect(content.publish('pag_none', { actor: 'user' })).rejects.toThrow();
  expect(existsSync(join(folder.path, 'site.json'))).toBe(false);
});
