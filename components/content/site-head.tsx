import type { Metadata } from 'next';
import { siteStrings } from '#components/content/text/words';
import { NOT_FOUND_SLUG, pageAddress } from '#server/core/addresses';
import type { EntryDocument, EntryType, SiteSettings } from '#server/core/content';
import type { TypedSection } from '#server/core/section-fields';

export interface SiteHeadInput {
  readonly settings: Pick<SiteSettings, 'siteName' | 'tagline'>;
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
  /** Address of the site's start page, without a slash at its end: `https://example.org`; null if unknown. */
  readonly address: string | null;
}

/** Content of a page's head, for search engines and link previews. */
interface SiteHead {
  readonly title: string;
  readonly description: string | null;
  /** Whole address of the page; null if unknown, or if there is no page. */
  readonly canonical: string | null;
  /** Search engines may show the page. */
  readonly isListed: boolean;
  /** Shown where a link to the page is shared; null where there is no page of its own. */
  readonly shared: { readonly title: string; readonly picture: string | null; readonly isArticle: boolean } | null;
}

/** The first picture of a page: its cover, or the first one that its sections show. */
function pictureOf({ image, seo, sections }: EntryDocument): string | undefined {
  if (seo?.image !== undefined) return seo.image;
  if (image !== undefined) return image;
  for (const section of sections as readonly TypedSection[]) {
    if (section.type === 'hero' && section.fields.image !== undefined) return section.fields.image;
    if (section.type === 'image') return section.fields.src;
    if (section.type === 'gallery' && section.fields.images[0] !== undefined) return section.fields.images[0].src;
  }
  return undefined;
}

/** Whole address of a picture: those of link previews are whole or none. */
function wholePicture(picture: string | undefined, address: string | null): string | null {
  if (picture === undefined || (address === null && !/^https?:/i.test(picture))) return null;
  return new URL(picture, address ?? undefined).href;
}

/** Works out what the head of a page says. */
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
      picture: wholePicture(pictureOf(document), address),
      isArticle: type === 'post',
    },
  };
}

/** The head of a page as Next takes it. */
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
