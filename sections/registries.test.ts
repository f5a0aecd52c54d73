import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSectionFolders, registryText, sectionRegistries } from '#tests/support/section-registries';

const folder = import.meta.dirname;
const kinds = await readSectionFolders(folder);

it.each(Object.keys(sectionRegistries))('%s lists every kind', async (name) => {
  await expect(await registryText(name, kinds, folder)).toMatchFileSnapshot(join(folder, name));
});

it('gives each kind its own place in the order', () => {
  expect(new Set(kinds.map(({ definition }) => definition.order)).size).toBe(kinds.length);
});
