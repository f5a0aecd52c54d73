import { expect, it } from 'vitest';
import { isOwnPicture } from '#server/media/own-pictures';

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
