import { expect, it } from 'vitest';
import { readPage } from '#tests/support/page-commands';

const page = readPage('docs/extending.md');

/** The code that the page shows, with the file that it says it is from. */
const shown = [...page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```/gm)].map(([, path = '', code = '']) => ({
  path,
  code,
}));

const oneLine = (code: string) => code.replaceAll(/\s+/g, ' ').trim();

it('docs/extending.md quotes only the files', () => {
  expect(shown.length).toBe(page.match(/^```ts$/gm)?.length);
  expect(shown.length).toBeGreaterThan(5);
  const wrong = shown.filter(({ path, code }) => !oneLine(readPage(path)).includes(oneLine(code)));
  expect(wrong).toEqual([]);
});
