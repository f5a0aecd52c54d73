import { describe, expect, it } from 'vitest';
import { siteAddress, siteHref } from '#components/content/text/site-href.ts';

describe('siteHref', () => {
  it.each([
    ['/pricing', '/preview/pricing'],
    ['/', '/preview'],
    ['/site', '/preview'],
    ['/site/pricing', '/preview/pricing'],
    ['/sitemap', '/preview/sitemap'],
    ['/blog/a?x=1#top', '/preview/blog/a?x=1#top'],
    ['/images/a.svg', '/images/a.svg'],
    ['/images/a.svg?v=2', '/images/a.svg?v=2'],
    ['/media/ast_1', '/media/ast_1'],
    ['#top', '#top'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['https://b.example/pricing', 'https://b.example/pricing'],
  ])('%s becomes %s', (href, address) => expect(siteHref(href, '/preview')).toBe(address));
});

describe('siteAddress', () => {
  it.each([
    ['/', '/site'],
    ['/pricing', '/site/pricing'],
    ['/site', '/site/site'],
    ['/preview/kiln', '/site/preview/kiln'],
  ])('%s is at %s', (path, address) => expect(siteAddress(path, '/site')).toBe(address));
});
