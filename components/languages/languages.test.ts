import { afterAll, beforeAll, expect, it } from 'vitest';
import { ofRequest } from '#components/in-your-language';

const modules = import.meta.glob<unknown>([
  '../**/*.{ts,tsx}',
  '/app/**/{page,layout,error,not-found,forbidden}.tsx',
  '!**/*.test.*',
  '!./*',
]);
const read: string[] = [];

beforeAll(() => {
  ofRequest.throughlineLanguage = {
    getStore: () => {
      read.push(new Error('read').stack ?? '');
      return undefined;
    },
  };
});

afterAll(() => {
  delete ofRequest.throughlineLanguage;
});

it('says no word before it is shown: a module is loaded once, and speaks many languages', async () => {
  expect(Object.keys(modules).length).toBeGreaterThan(100);
  for (const [path, load] of Object.entries(modules)) {
    try {
      await load();
    } catch (e) {
      console.log(path, String(e).slice(0, 200));
    }
  }
  const places = read.map(
    (stack) =>
      stack
        .split('\n')
        .slice(1)
        .filter((line) => !/in-your-language|languages.test|figures|node_modules/.test(line))[0],
  );
  expect([...new Set(places)]).toEqual([]);
}, 60_000);
