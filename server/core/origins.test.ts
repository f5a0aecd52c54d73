import { describe, expect, it } from 'vitest';
import { parseOrigins } from '#server/core/addresses';

describe('parseOrigins', () => {
  it('reads origins, each once, as browsers write them', () => {
    expect(parseOrigins('')).toEqual([]);
    expect(parseOrigins(' https://Media.Example , http://127.0.0.1:8080/,https://media.example:443')).toEqual([
      'https://media.example',
      'http://127.0.0.1:8080',
    ]);
  });

  it.each([
    'media.example',
    'https://',
    'https://media.example/images',
    'https://*.example',
    'https://user:word@media.example',
    'javascript:alert(1)',
    'data:',
    "https://a.example; script-src 'unsafe-inline'",
    'https://a.example https://b.example',
  ])('refuses %s', (text) => expect(parseOrigins(`https://good.example,${text}`)).toBeNull());
});
