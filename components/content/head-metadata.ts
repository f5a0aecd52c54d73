import type { Metadata } from 'next';
import { displayOf } from '#components/content/section-display.ts';
import { siteStrings } from '#components/content/text/site-texts.ts';
import { isReadableAddress, NOT_FOUND_SLUG, pageAddress } from '#server/core/addresses';
import type { EntryDocument, EntryType, SiteSettings } from '#server/core/site/content';

/** What the head of a page depends on. */
export interface SiteHeadInput {
  readonly settings: Pick<SiteSettings, 'siteName' | 'tagline'>;
  /** The page; null if none exists at the path. */
  readonly page:
    | {
        readonly kind: 'entry';
        readonly entry: {
          readonly type: EntryType;
          readonly document: EntryDocument;
          /** Epoch milliseconds. */
          readonly publishedAt?: number | null;
        };
      }
    | { readonly kind: 'post-index' }
    | { readonly kind: 'redirect' }
    | { readonly kind: 'gone' }
    | null;
  /** Path on the site: `/about/team`. */
  readonly path: string;
  /** Address of the site's start page without a trailing slash: `https://example.org`; null if unknown. */
  readonly address: string | null;
}

/** Content of a page's head, for search engines and link previews. */
export interface SiteHead {
  readonly title: string;
  readonly description: string | null;
  /** Absolute address of the page; null if unknown, or if no page exists. */
  readonly canonical: string | null;
  /** Search engines may show the page. */
  readonly isListed: boolean;
  /** Shown in link previews of the page; null if no page exists. */
  readonly shared: { readonly title: string; readonly picture: string | null; readonly isArticle: boolean } | null;
}

/** The first usable picture of a page: the one for previews, its cover, or the first one of its sections. */
function pictureOf({ image, seo, sections }: EntryDocument): string | undefined {
  const inSections = sections.flatMap((section) => {
    const { display, fields } = displayOf(section);
    return display.pictures?.(fields) ?? [];
  });
  return [seo?.image, image, ...inSections].find((picture) => picture !== undefined && isReadableAddress(picture));
}

/** Absolute address of a picture, as link previews require; null if unknown. */
function absolutePicture(picture: string | undefined, address: string | null): string | null {
  if (picture === undefined || (address === null && !/^https?:/i.test(picture))) return null;
  return URL.parse(picture, address ?? undefined)?.href ?? null;
}

/** Computes the content of a page's head. */
export function siteHead({ settings, page, path, address }: SiteHeadInput): SiteHead {
  const { siteName, tagline } = settings;
  if (page === null || page.kind === 'redirect' || page.kind === 'gone') {
    const title = `${siteStrings.notFound.title} · ${siteName}`;
    return { title, description: null, canonical: null, isListed: false, shared: null };
  }
  const canonical = address === null ? null : pageAddress(address, path);
  if (page.kind === 'post-index') {
    const title = `${siteStrings.allPosts} · ${siteName}`;
    return { title, description: tagline, canonical, isListed: true, shared: null };
  }
  const { document, type } = page.entry;
  const { title, excerpt, seo = {} } = document;
  const home = tagline === '' ? siteName : `${siteName} · ${tagline}`;
  return {
    title: seo.title ?? (path === '/' ? home : `${title} · ${siteName}`),
    description: seo.description ?? excerpt ?? tagline,
    canonical,
    isListed: seo.noIndex !== true && document.slug !== NOT_FOUND_SLUG,
    shared: {
      title: seo.title ?? (path === '/' ? siteName : title),
      picture: absolutePicture(pictureOf(document), address),
      isArticle: type === 'post',
    },
  };
}

/** The head of a page as Next metadata. */
export function siteMetadata(input: SiteHeadInput): Metadata {
  const { title, description, canonical, isListed, shared } = siteHead(input);
  return {
    title: { absolute: title },
    ...(description !== null && { description }),
    ...(canonical !== null && { alternates: { canonical } }),
    ...(!isListed && { robots: { index: false } }),
    ...(shared && {
      openGraph: {
        title: shared.title,
        ...(description !== null && { description }),
        siteName: input.settings.siteName,
        type: shared.isArticle ? ('article' as const) : ('website' as const),
        ...(canonical !== null && { url: canonical }),
        ...(shared.picture !== null && { images: [shared.picture] }),
      },
    }),
  };
}
