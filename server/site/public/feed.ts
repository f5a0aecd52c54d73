import type { ContentBackend } from '#server/site/content-backend';
import { pageAddress, POSTS_SEGMENT } from '#server/core/addresses';
import { sitePosts } from '#server/site/public/site-posts';
import { escapeAttribute } from '#server/markup/write-html';

/** Largest number of posts in the feed; the newest ones. A choice, not measured. */
const FEED_POSTS = 50;

/** The newest posts for feed readers (RSS 2.0). @param address of the start page, such as `https://example.org` */
export async function feedXml(content: ContentBackend, address: string): Promise<string> {
  const [{ siteName, tagline, language }, posts] = await Promise.all([
    content.settings(),
    sitePosts(content, 'published'),
  ]);
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
    `    <language>${escapeAttribute(language)}</language>`,
    `    <atom:link href="${self}" rel="self" type="application/rss+xml"/>`,
    ...items,
    '  </channel>',
    '</rss>',
    '',
  ].join('\n');
}
