import { describe, expect, it } from 'vitest';
import { entryRefAt, readablePath, sitePathOf } from '#components/workspace/preview-path.ts';

describe('preview paths', () => {
  it('are readable for any link target', () => {
    expect(readablePath('/blog/gl%C3%A4ser')).toBe('/blog/gläser');
    expect(readablePath('/50%-off')).toBe('/50%-off');
  });

  it('reads back where a link inside the preview led', () => {
    expect(sitePathOf('/preview/blog/ash-glaze')).toBe('/blog/ash-glaze');
    expect(sitePathOf('/site')).toBe('/');
    expect(sitePathOf('/sitemap.xml')).toBeNull();
  });

  it('names the entry at a path, also one that is in no list', () => {
    expect(entryRefAt('/', 'welcome')).toEqual({ type: 'page', slug: 'welcome' });
    expect(entryRefAt('/about/team', 'home')).toEqual({ type: 'page', slug: 'team' });
    expect(entryRefAt('/blog/gl%C3%A4ser', 'home')).toEqual({ type: 'post', slug: 'gläser' });
    expect(entryRefAt('/blog', 'home')).toEqual({ type: 'page', slug: 'blog' });
  });
});
