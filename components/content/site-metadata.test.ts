import { describe, expect, it } from 'vitest';
import { siteMetadata } from '#components/content/site-metadata';
import type { EntryDocument } from '#server/core/content';

const settings = {
  siteName: 'Kiln',
  tagline: 'Pots',
  homeSlug: 'home',
  contactEmail: '',
  footerText: '',
  accentColor: '#000000',
};

function metadata(document: Partial<EntryDocument>, path = '/about', origin: string | null = 'https://kiln.example') {
  const whole = { title: 'About', slug: 'about', sections: [], ...document };
  return siteMetadata({ settings, page: { kind: 'entry', entry: { type: 'page', document: whole } }, path, origin });
}

describe('siteMetadata', () => {
  it('says what the entry says', () => {
    expect(metadata({ excerpt: 'Who we are.', image: '/images/us.svg' })).toEqual({
      metadataBase: new URL('https://kiln.example'),
      alternates: { canonical: '/site/about' },
      title: { absolute: 'About · Kiln' },
      description: 'Who we are.',
      openGraph: {
        title: 'About',
        description: 'Who we are.',
        siteName: 'Kiln',
        type: 'website',
        url: '/site/about',
        images: ['/images/us.svg'],
      },
    });
    expect(metadata({}, '/').title).toEqual({ absolute: 'Kiln · Pots' });
  });

  it('says what search engines are told instead, and asks them to leave out what they should', () => {
    const seo = { title: 'Potters in Wick', description: 'Found.', image: '/media/ast_1/x.jpg', noIndex: true };
    expect(metadata({ excerpt: 'Who we are.', image: '/images/us.svg', seo })).toMatchObject({
      title: { absolute: 'Potters in Wick' },
      description: 'Found.',
      robots: { index: false },
      openGraph: { title: 'Potters in Wick', images: ['/media/ast_1/x.jpg'] },
    });
  });

  it('makes no whole addresses where it does not know the server’s', () => {
    const unknown = metadata({ image: '/images/us.svg' }, '/about', null);
    expect(unknown).not.toHaveProperty('alternates');
    expect(unknown.openGraph).not.toHaveProperty('images');
  });
});
