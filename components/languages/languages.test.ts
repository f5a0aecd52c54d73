import { afterEach, describe, expect, it } from 'vitest';
import { number, plural } from '#components/format.ts';
import { ofRequest, type Spoken } from '#components/in-your-language.ts';
import { loadLanguage } from '#components/languages/load-translation.ts';

const german = await loadLanguage('de');
const speakAs = (store: () => Spoken | undefined) => (ofRequest.throughlineLanguage = { getStore: store });

afterEach(() => {
  delete ofRequest.throughlineLanguage;
});

describe('words', () => {
  it('are numbers as the language that is spoken writes them', () => {
    speakAs(() => german);
    expect([number.format(12_345), plural(2, 'Seite', 'Seiten')]).toEqual(['12.345', '2 Seiten']);
  });

  const modules = import.meta.glob<object>([
    '/components/**/*.{ts,tsx}',
    '/app/**/{page,layout,error,not-found,forbidden}.tsx',
    '!**/*.test.*',
    '!/components/languages/*',
  ]);

  it('are not read where a module is loaded: that is once, and for all languages', async () => {
    const places = new Set<string>();
    speakAs(() => {
      const lines = (new Error('read').stack ?? '').split('\n').slice(1);
      places.add(lines.find((line) => !/in-your-language|i18n|languages\.test|figures|node_modules/.test(line)) ?? '');
      return undefined;
    });
    expect(Object.keys(modules).length).toBeGreaterThan(200);
    for (const load of Object.values(modules)) await load();
    expect([...places]).toEqual([]);
  });
});
