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
});
