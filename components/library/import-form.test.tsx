import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ImportButtons, picturesOption } from '#components/library/import-form';
import { exportFileProblem } from '#components/library/use-import-file.ts';
import { importStrings } from '#components/library/words.ts';
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

it.each([
  ['a dry run and an import into the own site', null, [say.start, say.look, say.again]],
  ['only a dry run for a connected site', 'https://kiln.example', [say.check, say.again]],
])('offers %s', (_, url, labels) => {
  const nothing = () => Promise.resolve();
  const markup = renderToStaticMarkup(
    <ImportButtons
      state="idle"
      target={{ id: 'site', name: 'Kiln', url }}
      isReady
      runPreview={nothing}
      start={nothing}
      clear={nothing}
    />,
  );
  expect([...markup.matchAll(/<button[^>]*>([^<]*)</g)].map(([, label]) => label)).toEqual(labels);
});
