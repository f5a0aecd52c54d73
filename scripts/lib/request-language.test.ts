import fc from 'fast-check';
import { expect, it } from 'vitest';
import { requestedLanguage } from '#scripts/lib/request-language';
import { languageCodes } from '#server/core/languages';

const asked = (header?: string, cookie?: string) =>
  requestedLanguage({
    headers: { ...(header !== undefined && { 'accept-language': header }), ...(cookie && { cookie }) },
  });

it.each([
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['de', 'de'],
  ['DE', 'de'],
  ['de-CH', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en-GB,en;q=0.9,de;q=0.8', 'en'],
  ['fr-FR,fr;q=0.9,de;q=0.5,en;q=0.4', 'de'],
  ['fr,*;q=0.1', 'en'],
  ['de;q=0,en', 'en'],
  ['fr, ja', 'en'],
  ['deutsch bitte', 'en'],
  [';;;q=q,,-', 'en'],
  ['__proto__, constructor', 'en'],
])('answers a browser that asks for %j in %s', (header, language) => {
  expect(asked(header)).toBe(language);
});

it('finds a language for any header', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (header, cookie) => {
      expect(languageCodes).toContain(asked(header, cookie));
    }),
  );
});
