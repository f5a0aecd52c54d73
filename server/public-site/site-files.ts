import sharp from 'sharp';
import type { ContentBackend } from '#server/content/content-backend';
import { linkedAsset } from '#server/content/entry-links';
import { pageAddress, POSTS_SEGMENT } from '#server/core/addresses';
import { escapeAttribute } from '#server/markup/html-tree';
import { sitePosts } from '#server/public-site/site-page';

/** Newest posts in the feed. */
const FEED_POSTS = 50;
/** Pixels of a side, as phones and search engines ask for. */
const ICON_SIDE = 192;

/** The newest posts for feed readers (RSS 2.0). `address`: of the start page, as `https://example.org`. */
export async function feedXml(content: ContentBackend, address: string): Promise<string> {
  const [{ siteName, tagline }, posts] = await Promise.all([content.settings(), sitePosts(content, 'published')]);
  const items = posts.slice(0, FEED_POSTS).map(({ document: { title, slug, excerpt, author, tags }, publishedAt }) => {
    const link = escapeAttribute(pageAddress(address, `/${POSTS_SEGMENT}/${slug}`));
    return [
      '    <item>',
      `      <title>${escapeAttribute(title)}</title>`,
      `      <link>${link}</link>`,
      `      <guid isPermaLink="true">${link}</guid>`,
      ...(publishedAt === null ? [] : [`      <pubDate>${new Date(publishedAt).toUTCString()}</pubDate>`]),
      ...(author === undefined ? [] : [`      <dc:creator>${escapeAttribute(author)}</dc:creator>`]),
      ...(tags ?? []).map((tag) => `      <category>${escapeAttribute(tag)}</category>`),
      ...(excerpt === undefined ? [] : [`      <description>${escapeAttribute(excerpt)}</description>`]),
      '    </item>',
    ].join('\n');
  });
  const self = escapeAttribute(pageAddress(address, '/feed.xml'));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">',
    '  <channel>',
    `    <title>${escapeAttribute(siteName)}</title>`,
    `    <link>${escapeAttribute(pageAddress(address, '/'))}</link>`,
    `    <description>${escapeAttribute(tagline === '' ? siteName : tagline)}</description>`,
    `    <atom:link href="${self}" rel="self" type="application/rss+xml"/>`,
    ...items,
    '  </channel>',
    '</rss>',
    '',
  ].join('\n');
}

/** The icon of the site, from the picture that its settings name, else a ring in its colour. PNG. */
export async function siteIcon(content: Pick<ContentBackend, 'settings' | 'assets'>): Promise<Uint8Array> {
  const { icon, accentColor } = await content.settings();
  const id = linkedAsset(icon);
  const chosen = id === null ? null : await content.assets.read(id, 'full').catch(() => null);
  if (chosen)
    return sharp(chosen.data).resize(ICON_SIDE, ICON_SIDE, { fit: 'contain', background: '#0000' }).png().toBuffer();
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${accentColor}"/><circle cx="16" cy="16" r="7.5" fill="none" stroke="#fff" stroke-width="3"/></svg>`;
  return sharp(Buffer.from(svg)).resize(ICON_SIDE, ICON_SIDE).png().toBuffer();
}
