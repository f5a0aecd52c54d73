import { describe, expect, it } from 'vitest';
import {
  entryAt,
  entryPath,
  entryRefAt,
  previewHref,
  readablePath,
  sitePathOf,
} from '#components/workspace/preview-path.ts';

const home = { type: 'page', slug: 'home' } as const;
const post = { type: 'post', slug: 'ash-glaze' } as const;

describe('preview paths', () => {
  it('serves the home page at the root', () => {
    expect(entryPath(home, 'home')).toBe('/');
    expect(entryPath(home, 'welcome')).toBe('/home');
    expect(previewHref('/', 'draft')).toBe('/preview');
    expect(previewHref(entryPath(post, 'home'), 'published')).toBe('/site/blog/ash-glaze');
  });

  it('are readable for any link target', () => {
    expect(readablePath('/blog/gl%C3%A4ser')).toBe('/blog/gläser');
    expect(readablePath('/50%-off')).toBe('/50%-off');
  });

  it('reads back where a link inside the preview led', () => {
    expect(sitePathOf('/preview/blog/ash-glaze')).toBe('/blog/ash-glaze');
    expect(sitePathOf('/site')).toBe('/');
    expect(sitePathOf('/sitemap.xml')).toBeNull();
  });

  it('finds the entry shown', () => {
    const team = { path: '/about/team' };
    expect(entryAt('/about/team', [{ path: '/' }, team])).toBe(team);
    expect(entryAt('/team', [team])).toBeUndefined();
  });

  it('names the entry at a path, also one that is in no list', () => {
    expect(entryRefAt('/', 'welcome')).toEqual({ type: 'page', slug: 'welcome' });
    expect(entryRefAt('/about/team', 'home')).toEqual({ type: 'page', slug: 'team' });
    expect(entryRefAt('/blog/gl%C3%A4ser', 'home')).toEqual({ type: 'post', slug: 'gläser' });
    expect(entryRefAt('/blog', 'home')).toEqual({ type: 'page', slug: 'blog' });
  });
});
