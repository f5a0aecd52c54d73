import { afterEach, describe, expect, it } from 'vitest';
import { number, plural } from '#components/format.ts';
import { requestLanguage, type Language } from '#components/language.ts';
import { loadLanguage } from '#components/load-language.ts';

const german = await loadLanguage('de');
const speakAs = (store: () => Language | undefined) => (requestLanguage.throughlineLanguage = { getStore: store });

afterEach(() => {
  delete requestLanguage.throughlineLanguage;
});

describe('the language of a request', () => {
  it('decides how numbers are written', () => {
    speakAs(() => german);
    expect([number.format(12_345), plural(2, 'Seite', 'Seiten')]).toEqual(['12.345', '2 Seiten']);
  });

  const modules = import.meta.glob<object>([
    '/components/**/*.{ts,tsx}',
    '/app/**/{page,layout,error,not-found,forbidden}.tsx',
    '!**/*.test.*',
  ]);

  it('is not read while a module loads, which happens once for all languages', async () => {
    const places = new Set<string>();
    speakAs(() => {
      const lines = (new Error('read').stack ?? '').split('\n').slice(1);
      places.add(
        lines.find((line) => !/components\/(?:language|i18n|format)\.|language\.test|node_modules/.test(line)) ?? '',
      );
      return undefined;
    });
    expect(Object.keys(modules).length).toBeGreaterThan(200);
    for (const load of Object.values(modules)) await load();
    expect([...places]).toEqual([]);
  });
});
