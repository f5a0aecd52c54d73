import '#components/content/site.css';
import { siteHead, type SiteHeadInput, type SiteHead } from '#components/content/head-metadata.ts';
import { displayOf } from '#components/content/section-display.ts';
import { exampleAddresses } from '#server/core/messages/site-texts';
import { pageAddress } from '#server/core/addresses';
import type { SiteSettings } from '#server/core/site/content';

/** A page above another one; the title is missing for the list of posts. */
export interface PageAbove {
  readonly path: string;
  readonly title: string | null;
}

interface HeadTagsProps extends SiteHeadInput {
  readonly settings: SiteSettings;
  /** Pages above this one, the start page first. */
  readonly above: readonly PageAbove[];
}

/** The head of the page as elements, with structured data for search engines. */
export function HeadTags({ above, ...input }: HeadTagsProps) {
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

/** JSON in which no text can end the script element. */
function scriptJson(data: object): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

/** The page as schema.org data. */
function structuredData(
  { above, settings, texts, page, path, address }: HeadTagsProps,
  { shared, description }: SiteHead,
): object[] {
  if (address === null || page === null || page.kind === 'redirect' || page.kind === 'gone') return [];
  const { siteName, contactEmail, language } = settings;
  // English is the default: without it, pages of sites that never chose a language stay as they were.
  const inLanguage = language === 'en' ? {} : { inLanguage: language };
  const organization = {
    '@type': 'Organization',
    name: siteName,
    url: pageAddress(address, '/'),
    logo: `${address}/favicon.png`,
    ...(contactEmail !== '' && { email: contactEmail }),
  };
  const entry = page.kind === 'entry' ? page.entry : null;
  const found: object[] = [];
  if (path === '/')
    found.push(organization, { '@type': 'WebSite', name: siteName, url: organization.url, ...inLanguage });
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
      ...inLanguage,
      publisher: organization,
      mainEntityOfPage: pageAddress(address, path),
    });
  }
  if (above.length > 0) {
    const own = entry?.document.title ?? texts.allPosts;
    found.push({
      '@type': 'BreadcrumbList',
      itemListElement: [...above, { path, title: own }].map((crumb, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        name: crumb.title ?? texts.allPosts,
        item: pageAddress(address, crumb.path),
      })),
    });
  }
  const displayed = (entry?.document.sections ?? []).map(displayOf);
  for (const { display, fields } of displayed) {
    const facts = display.business?.(fields, exampleAddresses);
    if (facts === undefined) continue;
    const { name, url, logo } = organization;
    found.push({ '@type': 'LocalBusiness', name, url, image: shared?.picture ?? logo, ...facts });
  }
  const questions = displayed.flatMap(({ display, fields }) => display.questions?.(fields) ?? []);
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
