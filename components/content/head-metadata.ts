import type { Metadata } from 'next';
import { displayOf } from '#components/content/section-display.ts';
import type { SiteTexts } from '#server/core/messages/site-texts';
import { isReadableAddress, NOT_FOUND_SLUG, pageAddress } from '#server/core/addresses';
import type { EntryDocument, EntryType, SiteSettings } from '#server/core/site/content';

/** A page or post, as far as its head depends on it. */
interface HeadEntry {
  readonly type: EntryType;
  readonly document: EntryDocument;
  /** Epoch milliseconds. */
  readonly publishedAt?: number | null;
}

/** What the head of every page depends on. */
interface HeadInput {
  readonly settings: Pick<SiteSettings, 'siteName' | 'tagline'>;
  /** Path on the site: `/about/team`. */
  readonly path: string;
  /** Address of the site's start page without a trailing slash: `https://example.org`; null if unknown. */
  readonly address: string | null;
}

interface EntryHeadInput extends HeadInput {
  readonly entry: HeadEntry;
}

/** What the head of a page depends on. */
export interface SiteHeadInput extends HeadInput {
  /** Texts of the site in its language. */
  readonly texts: SiteTexts;
  /** The page; null if none exists at the path. */
  readonly page:
    | { readonly kind: 'entry'; readonly entry: HeadEntry }
    | { readonly kind: 'post-index' }
    | { readonly kind: 'redirect' }
    | { readonly kind: 'gone' }
    | null;
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

/** Computes the head of a page. */
export function siteHead({ texts, page, ...input }: SiteHeadInput): SiteHead {
  const { settings, path, address } = input;
  const { siteName, tagline } = settings;
  if (page === null || page.kind === 'redirect' || page.kind === 'gone') {
    const title = `${texts.notFound.title} · ${siteName}`;
    return { title, description: null, canonical: null, isListed: false, shared: null };
  }
  if (page.kind === 'entry') return entryHead({ ...input, entry: page.entry });
  const title = `${texts.allPosts} · ${siteName}`;
  const canonical = address === null ? null : pageAddress(address, path);
  return { title, description: tagline, canonical, isListed: true, shared: null };
}

/** Computes the head of an entry's page. */
export function entryHead({ settings, entry, path, address }: EntryHeadInput): SiteHead {
  const { siteName, tagline } = settings;
  const { document, type } = entry;
  const { title, excerpt, seo = {} } = document;
  const home = tagline === '' ? siteName : `${siteName} · ${tagline}`;
  return {
    title: seo.title ?? (path === '/' ? home : `${title} · ${siteName}`),
    description: seo.description ?? excerpt ?? tagline,
    canonical: address === null ? null : pageAddress(address, path),
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
