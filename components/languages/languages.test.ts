import { afterEach, describe, expect, it } from 'vitest';
import { number, plural } from '#components/format.ts';
import { ofRequest, type Spoken } from '#components/in-your-language.ts';
import { loadLanguage, translationOf } from '#components/languages/load-translation.ts';
import { languageCodes } from '#server/core/languages';
import { allWords, leavesOf } from '#tests/support/all-words';

const german = await loadLanguage('de');
const speakAs = (store: () => Spoken | undefined) => (ofRequest.throughlineLanguage = { getStore: store });

afterEach(() => {
  delete ofRequest.throughlineLanguage;
});

const english = new Map(leavesOf(allWords));

describe.each(languageCodes.filter((code) => code !== 'en'))('the words in %s', async (code) => {
  const { served: _, renderMessage: _render, ...translated } = (await translationOf(code))!;
  const words = new Map(leavesOf(translated));

  it('match those of the English tables exactly', () => {
    expect([...words.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  });

  it('have the types and parameters of the English ones', () => {
    const wrong = [...english].filter(([place, said]) => {
      const other = words.get(place);
      if (typeof said === 'function') return typeof other !== 'function' || other.length > said.length;
      return typeof other !== 'string' || (other.trim() === '') !== (said === '');
    });
    expect(wrong).toEqual([]);
  });
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
