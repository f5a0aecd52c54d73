import { expect, it } from 'vitest';
import { exportFileProblem, picturesOption } from '#components/library/import-form';
import { importStrings } from '#components/library/import-words';
import { MAX_IMPORT_BYTES } from '#server/core/limits';

const say = importStrings.import;

it('takes what the server takes, and says of the rest what to do', () => {
  const problemOf = (name: string, size: number) => exportFileProblem({ name, size });
  expect(problemOf('site.xml', MAX_IMPORT_BYTES)).toBeNull();
  expect(problemOf('site.JSON', 1)).toBeNull();
  expect(problemOf('site.xml', MAX_IMPORT_BYTES + 1)).toBe(say.tooLarge);
  expect(say.tooLarge).toContain('32 MB');
  expect(problemOf('site.xml', 0)).toBe(say.empty);
  expect(problemOf('site.zip', 1)).toBe(say.zipped);
  expect(problemOf('photo.png', 1)).toBe(say.notAnExport);
});

it('says of the pictures where they are', () => {
  expect(picturesOption({ name: 'site.xml' }).hint).toContain('only the addresses');
  expect(picturesOption({ name: 'site.JSON' }).hint).toMatch(/^The file contains them/);
});
