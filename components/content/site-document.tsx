import { renderToStaticMarkup } from 'react-dom/server';
import '#components/content/site.css';
import { siteHead, type SiteHeadInput } from '#components/content/site-head';
import { SiteScreen, type SiteScreenProps } from '#components/content/site-screen';
import { siteStrings } from '#components/content/text/words';
import { pageAddress } from '#server/core/addresses';
import type { SiteSettings } from '#server/core/content';
import type { TypedSection } from '#server/core/section-fields';

/** A page above another one; the list of posts has no title of its own. */
export interface PageAbove {
  readonly path: string;
  readonly title: string | null;
}

/** A page of the published site under a host of its own. */
export interface SiteDocumentInput extends Pick<
  SiteScreenProps,
  'settings' | 'navigation' | 'posts' | 'pictures' | 'page' | 'forms'
> {
  /** True if what was at the path is gone. */
  readonly isGone: boolean;
  /** Path on the site: `/about/team`; empty where there is nothing. */
  readonly path: string;
  /** Address of the site, without a slash at its end: `https://example.org`. */
  readonly address: string;
  /** Pages above this one, the start page first. */
  readonly above: readonly PageAbove[];
  /** Path of the style sheet. */
  readonly stylesheet: string;
  /** Paths of the fonts that every page shows. */
  readonly fonts: readonly string[];
}

/** The whole document, without any script. */
function SiteDocument({ path, address, above, stylesheet, fonts, isGone, ...shown }: SiteDocumentInput) {
  const { settings, page } = shown;
  return (
    <html lang="en">
      {/* oxlint-disable-next-line nextjs/no-head-element -- Next has no part in this document. */}
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <HeadTags settings={settings} page={page} path={path} address={address} above={above} />
        {fonts.map((font) => (
          <link key={font} rel="preload" href={font} as="font" type="font/woff2" crossOrigin="" />
        ))}
        <link rel="stylesheet" href={stylesheet} />
        <link rel="icon" href="/favicon.png" type="image/png" />
        <link rel="apple-touch-icon" href="/favicon.png" />
        <link rel="alternate" href="/feed.xml" type="application/rss+xml" title={siteStrings.feed(settings.siteName)} />
      </head>
      <body>
        <SiteScreen
          {...shown}
          {...(isGone && { missing: siteStrings.gone })}
          root=""
          segments={path.split('/').filter(Boolean)}
        />
      </body>
    </html>
  );
}

/** Renders a page of the published site. */
export function renderSiteDocument(input: SiteDocumentInput): string {
  return `<!doctype html>${renderToStaticMarkup(<SiteDocument {...input} />)}`;
}

interface HeadTagsProps extends SiteHeadInput {
  readonly settings: SiteSettings;
  /** Pages above this one, the start page first. */
  readonly above: readonly PageAbove[];
}

/** The head of the page as elements, with what search engines read. */
function HeadTags({ above, ...input }: HeadTagsProps) {
  const head = siteHead(input);
  const { title, description, canonical, isListed, shared } = head;
  const { siteName } = input.settings;
  return (
    <>
      <title>{title}</title>
      {description !== null && description !== '' && <meta name="description" content={description} />}
      {canonical !== null && isListed && <link rel="canonical" href={canonical} />}
      {!isListed && <meta name="robots" content="noindex" />}
      {shared && (
        <>
          <meta property="og:title" content={shared.title} />
          {description !== null && description !== '' && <meta property="og:description" content={description} />}
          <meta property="og:site_name" content={siteName} />
          <meta property="og:type" content={shared.isArticle ? 'article' : 'website'} />
          {canonical !== null && <meta property="og:url" content={canonical} />}
          {shared.picture !== null && <meta property="og:image" content={shared.picture} />}
          <meta name="twitter:card" content={shared.picture === null ? 'summary' : 'summary_large_image'} />
        </>
      )}
      {structuredData({ ...input, above }, head).map((data, index) => (
        <script key={index} type="application/ld+json" dangerouslySetInnerHTML={{ __html: scriptJson(data) }} />
      ))}
    </>
  );
}

/** JSON that no text in it can end. */
function scriptJson(data: object): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

/** The page in the words of schema.org. */
function structuredData(
  { above, settings, page, path, address }: HeadTagsProps,
  { shared, description }: ReturnType<typeof siteHead>,
): object[] {
  if (address === null || page === null || page.kind === 'redirect' || page.kind === 'gone') return [];
  const { siteName, contactEmail } = settings;
  const organization = {
    '@type': 'Organization',
    name: siteName,
    url: pageAddress(address, '/'),
    logo: `${address}/favicon.png`,
    ...(contactEmail !== '' && { email: contactEmail }),
  };
  const entry = page.kind === 'entry' ? page.entry : null;
  const found: object[] = [];
  if (path === '/') found.push(organization, { '@type': 'WebSite', name: siteName, url: organization.url });
  if (entry?.type === 'post' && shared) {
    const { title, author, tags } = entry.document;
    found.push({
      '@type': 'Article',
      headline: title,
      ...(description !== null && description !== '' && { description }),
      ...(shared.picture !== null && { image: [shared.picture] }),
      ...(typeof entry.publishedAt === 'number' && { datePublished: new Date(entry.publishedAt).toISOString() }),
      ...(author !== undefined && { author: { '@type': 'Person', name: author } }),
      ...(tags !== undefined && tags.length > 0 && { keywords: tags }),
      publisher: organization,
      mainEntityOfPage: pageAddress(address, path),
    });
  }
  if (above.length > 0) {
    const own = entry?.document.title ?? siteStrings.allPosts;
    found.push({
      '@type': 'BreadcrumbList',
      itemListElement: [...above, { path, title: own }].map((crumb, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        name: crumb.title ?? siteStrings.allPosts,
        item: pageAddress(address, crumb.path),
      })),
    });
  }
  const questions = ((entry?.document.sections ?? []) as readonly TypedSection[]).flatMap((section) =>
    section.type === 'faq' ? section.fields.items : [],
  );
  if (questions.length > 0) {
    found.push({
      '@type': 'FAQPage',
      mainEntity: questions.map(({ question, answer }) => ({
        '@type': 'Question',
        name: question,
        acceptedAnswer: { '@type': 'Answer', text: answer },
      })),
    });
  }
  return found.map((data) => ({ '@context': 'https://schema.org', ...data }));
}
