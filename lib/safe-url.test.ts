import { describe, expect, it } from 'vitest';
import { safeImage, safeLink } from '#lib/safe-url';

describe('safeLink', () => {
  it('lets http(s) and relative targets through', () => {
    for (const url of ['https://example.org/a', 'http://example.org', '/preview/about', '#top']) {
      expect(safeLink(url)).toBe(url);
    }
  });

  it('refuses everything that is not a web address', () => {
    for (const url of [
      'javascript:alert(1)',
      ' JaVaScRiPt:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      undefined,
    ]) {
      expect(safeLink(url)).toBeNull();
    }
  });
});

describe('safeImage', () => {
  const origin = 'http://localhost:3000';

  it('shows images of this origin only', () => {
    expect(safeImage('/media/a.png', origin)).toBe('/media/a.png');
    expect(safeImage('http://localhost:3000/a.png', origin)).toBe('http://localhost:3000/a.png');
    for (const url of [
      'https://evil.example/?q=secret',
      '//evil.example/a.png',
      'data:image/png;base64,x',
      undefined,
    ]) {
      expect(safeImage(url, origin)).toBeNull();
    }
  });
});
