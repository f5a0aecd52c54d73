import { describe, expect, it } from 'vitest';
import { siteHref } from '#lib/site-href';

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
    ['#top', '#top'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['https://b.example/pricing', 'https://b.example/pricing'],
  ])('%s leads to %s', (href, address) => expect(siteHref(href, '/preview')).toBe(address));
});
