import { describe, expect, it } from 'vitest';
import { entryAt, entryPath, previewHref, sitePathOf } from '#lib/preview-path';

const home = { type: 'page', slug: 'home' } as const;
const post = { type: 'post', slug: 'ash-glaze' } as const;

describe('preview paths', () => {
  it('serves the home page at the root', () => {
    expect(entryPath(home, 'home')).toBe('/');
    expect(entryPath(home, 'welcome')).toBe('/home');
    expect(previewHref('/', 'draft')).toBe('/preview');
    expect(previewHref(entryPath(post, 'home'), 'published')).toBe('/site/blog/ash-glaze');
  });

  it('reads back where a link inside the preview led', () => {
    expect(sitePathOf('/preview/blog/ash-glaze')).toBe('/blog/ash-glaze');
    expect(sitePathOf('/site')).toBe('/');
    expect(sitePathOf('/sitemap.xml')).toBeNull();
  });

  it('finds the entry shown', () => {
    expect(entryAt('/blog/ash-glaze', [home, post], 'home')).toBe(post);
    expect(entryAt('/nowhere', [home, post], 'home')).toBeUndefined();
  });
});
