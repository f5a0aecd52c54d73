import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { fallbackStyle } from '#server/core/fallback-style';
import { securityHeaders, pagePolicy, publicSitePolicy, styleHashes } from '#server/http/security-headers';

const options = { allowedOrigins: ['https://media.example'], nonce: 'bm9uY2U=' };
const directivesOf = (policy: string) =>
  new Map(policy.split('; ').map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1)] as const));

describe('the policy of a page', () => {
  it('lets the editing tools of a draft in its own tab save, and no other page of the site', () => {
    const reach = (path: string, isTab: boolean) =>
      directivesOf(pagePolicy(path, { ...options, isTab })).get('connect-src');
    expect(reach('/preview', true)).toEqual(["'self'"]);
    expect(reach('/preview/workshops', false)).toEqual(["'none'"]);
    expect(reach('/site/workshops', true)).toEqual(["'none'"]);
  });

  it.each([
    ['/preview/workshops', ["'self'", 'data:'], ['mailto:']],
    ['/site/blog', ["'self'", 'data:', 'https:'], ["'self'", 'mailto:']],
  ])(
    'is framed by the desk, and loads pictures and sends forms only where they belong: %s',
    (path, pictures, forms) => {
      const directives = directivesOf(pagePolicy(path, options));
      expect(directives.get('frame-ancestors')).toEqual(["'self'"]);
      expect(directives.get('img-src')).toEqual(pictures);
      expect(directives.get('connect-src')).toEqual(["'none'"]);
      expect(directives.get('frame-src')).toEqual(["'none'"]);
      expect(directives.get('form-action')).toEqual(forms);
    },
  );

  it.each(['/', '/login', '/preview', '/site/a'])(
    'loads nothing by default and runs only scripts with the nonce: %s',
    (path) => {
      const directives = directivesOf(pagePolicy(path, options));
      for (const name of ['default-src', 'object-src', 'base-uri']) expect(directives.get(name)).toEqual(["'none'"]);
      expect(directives.get('script-src')).toEqual(["'self'", "'nonce-bm9uY2U='"]);
    },
  );

  it('while the sources are served also lets their tools work', () => {
    const directives = directivesOf(pagePolicy('/', { ...options, isDevelopment: true }));
    expect(directives.get('script-src')).toEqual(["'self'", "'nonce-bm9uY2U='", "'unsafe-eval'"]);
    expect(directives.get('style-src')).toEqual(["'self'", "'unsafe-inline'"]);
  });
});

it('the published site frames the players of the videos on the page, and nothing else', () => {
  expect(directivesOf(publicSitePolicy([])).has('frame-src')).toBe(false);
  const directives = directivesOf(publicSitePolicy(['https://player.vimeo.com']));
  expect(directives.get('frame-src')).toEqual(['https://player.vimeo.com']);
  expect(directives.has('script-src')).toBe(false);
  expect(directives.get('default-src')).toEqual(["'none'"]);
});

describe('a style element that takes no nonce is known by the hash of its text:', () => {
  const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');

  it('the toasts, as the installed package writes it', () => {
    const source = readFileSync(
      createRequire(import.meta.url)
        .resolve('sonner')
        .replace(/\.js$/, '.mjs'),
      'utf8',
    );
    const written = /^__insertCSS\((".*")\);$/m.exec(source)?.[1];
    expect(styleHashes.sonner).toBe(hashOf(JSON.parse(written ?? '""') as string));
  });

  it('the placeholder page', () => {
    expect(styleHashes.fallbackPage).toBe(hashOf(fallbackStyle));
  });

  it('nothing', () => {
    expect(styleHashes.empty).toBe(hashOf(''));
  });
});

describe('the headers of every answer', () => {
  const given = { ...options, isHttps: false, isDevelopment: false, isTab: false };

  it('tell browsers to stay with https where the server is reached over it, and only there', () => {
    const name = 'strict-transport-security';
    expect(securityHeaders('/', { ...given, isHttps: true })[name]).toBe('max-age=31536000');
    expect(securityHeaders('/', given)).not.toHaveProperty(name);
  });

  it('let other sites show the pictures of the published site, and nothing else', () => {
    const name = 'cross-origin-resource-policy';
    expect(securityHeaders('/media/ast_1/a.png', given)[name]).toBe('cross-origin');
    for (const path of ['/', '/api/attachments/blb_1', '/mediaeval', '/_next/static/a.js']) {
      expect(securityHeaders(path, given)[name], path).toBe('same-origin');
    }
  });
});
