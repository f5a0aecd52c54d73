import { describe, expect, it } from 'vitest';
import { siteHead, siteMetadata } from '#components/content/head-metadata.ts';
import { siteTexts } from '#server/core/messages/site-texts';
import type { EntryDocument } from '#server/core/site/content';

const texts = siteTexts('en');
const settings = { siteName: 'Kiln', tagline: 'Pots' };
const address = 'https://cms.example/site';

function input(document: Partial<EntryDocument>, path = '/about', at: string | null = address) {
  const whole = { title: 'About', slug: 'about', sections: [], ...document };
  const entry = { type: 'page' as const, document: whole };
  return { settings, texts, page: { kind: 'entry' as const, entry }, path, address: at };
}

describe('the head of a page', () => {
  it('has the metadata of the entry', () => {
    expect(siteMetadata(input({ excerpt: 'Who we are.', image: '/images/us.svg' }))).toEqual({
      alternates: { canonical: 'https://cms.example/site/about' },
      title: { absolute: 'About · Kiln' },
      description: 'Who we are.',
      openGraph: {
        title: 'About',
        description: 'Who we are.',
        siteName: 'Kiln',
        type: 'website',
        url: 'https://cms.example/site/about',
        images: ['https://cms.example/images/us.svg'],
      },
    });
    expect(siteHead(input({}, '/'))).toMatchObject({ title: 'Kiln · Pots', canonical: address });
  });

  it('has the metadata for search engines, and noindex where it is set', () => {
    const seo = { title: 'Potters in Wick', description: 'Found.', image: '/media/ast_1/x.jpg', noIndex: true };
    expect(siteMetadata(input({ excerpt: 'Who we are.', image: '/images/us.svg', seo }))).toMatchObject({
      title: { absolute: 'Potters in Wick' },
      description: 'Found.',
      robots: { index: false },
      openGraph: { title: 'Potters in Wick', images: ['https://cms.example/media/ast_1/x.jpg'] },
    });
  });

  it('shows the first picture of the page where it has no cover', () => {
    const images = [{ src: 'https://else.example/a.png', alt: '' }];
    const sections = [
      { id: 'sec_a', type: 'text' as const, fields: { body: 'Words' } },
      { id: 'sec_b', type: 'gallery' as const, fields: { images } },
    ];
    expect(siteHead(input({ sections })).shared?.picture).toBe('https://else.example/a.png');
  });

  it('makes no whole addresses where it does not know the site’s', () => {
    const unknown = siteMetadata(input({ image: '/images/us.svg' }, '/about', null));
    expect(unknown).not.toHaveProperty('alternates');
    expect(unknown.openGraph).not.toHaveProperty('images');
  });
});
