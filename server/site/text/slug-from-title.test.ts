import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slugFromTitle } from '#server/site/text/slug-from-title';
import { MAX_SLUG_LENGTH, SLUG_PATTERN } from '#server/core/site/document-fields';
import { anyCharacter } from '#tests/support/any-character';

describe('slugFromTitle', () => {
  it.each([
    ['Pricing', 'pricing'],
    ['  Our   story! ', 'our-story'],
    ['Café & Bar, 2nd floor', 'cafe-and-bar-2nd-floor'],
    ['Straße nach Łódź', 'strasse-nach-lodz'],
    ["Don’t panic / it's fine", 'dont-panic-its-fine'],
    ['Ünïcödé ﬁne', 'unicode-fine'],
    ['東京 Walks', 'walks'],
    ['Töpfern für Anfänger', 'toepfern-fuer-anfaenger'],
    ['Übungen im Café: Maße', 'uebungen-im-cafe-masse'],
    ['To\u0308pfern', 'toepfern'],
    ['Smörgås på ön', 'smorgas-pa-on'],
    ['Gümüş yüzük', 'gumus-yuzuk'],
    ['Pingüinos y niños', 'pinguinos-y-ninos'],
  ])('makes %j into %j', (title, slug) => expect(slugFromTitle(title, 'page')).toBe(slug));

  it('gives a title without Latin letters a stable code', () => {
    expect(slugFromTitle('東京', 'page')).toMatch(/^page-[a-z0-9]+$/);
    expect(slugFromTitle('東京', 'page')).toBe(slugFromTitle('東京', 'page'));
    expect(slugFromTitle('東京', 'page')).not.toBe(slugFromTitle('大阪', 'page'));
  });

  it('cuts long titles between words', () => {
    expect(slugFromTitle('word '.repeat(50), 'post')).toBe(`${'word-'.repeat(15)}word`);
  });

  it('always gives a valid slug', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (title) => {
        const slug = slugFromTitle(title, 'post');
        expect(slug).toMatch(SLUG_PATTERN);
        expect(slug.length).toBeLessThanOrEqual(MAX_SLUG_LENGTH);
      }),
    );
  });
});
