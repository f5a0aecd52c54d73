import { expect, it } from 'vitest';
import { isOwnPicture } from '#server/site/media/own-pictures';
import { startTestServices } from '#tests/support/test-services';

it.each([
  ['/images/kiln.svg', true],
  ['/images/workbench.svg', false],
  ['/images', false],
  ['/../package.json', false],
  ['/%2e%2e/package.json', false],
  ['/images/%zz.svg', false],
  ['/images/kiln.svg%00', false],
])('%s: %s', async (path, isThere) => {
  expect(await isOwnPicture(path)).toBe(isThere);
});

it('the built-in site names pictures that did not come with the program', async () => {
  await using services = await startTestServices();
  const { content } = services.builtIn;
  const body = '![A kiln](/images/kiln.svg) ![A bench](/images/workbench.svg)';
  const sections = [{ type: 'text', fields: { body } }] as const;
  const { entry } = await content.create(
    { type: 'page', title: 'Studio', excerpt: 'It.', sections },
    { actor: 'user' },
  );
  expect(await content.validate(entry.id)).toMatchObject([
    { message: 'The picture /images/workbench.svg is not there.' },
  ]);
});
