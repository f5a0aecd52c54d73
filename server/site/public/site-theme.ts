import type { NavigationItem, SiteSettings } from '#server/core/site/content';
import type { FormState } from '#server/core/site/site-forms';
import type { SitePage } from '#server/site/public/find-page';
import type { SitePost } from '#server/site/public/site-posts';
import type { Site } from '#server/site/public/read-site';

/** An entry or the post index. */
export type ShownPage = Extract<SitePage, { kind: 'entry' | 'post-index' }>;

/** Renders a page as a whole document; see components/content/render-site-page. */
type RenderSiteDocument = (input: {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  readonly posts: readonly SitePost[];
  readonly pictures: Site['pictures'];
  /** Data for sending forms; null: no server. */
  readonly forms: { readonly origin: string; readonly opened: string; readonly state?: FormState | undefined } | null;
  /** Null: the address has no content, and the editors have no page for this case. */
  readonly page: ShownPage | null;
  /** True if the address had content once. */
  readonly isGone: boolean;
  readonly path: string;
  readonly address: string;
  readonly above: readonly { readonly path: string; readonly title: string | null }[];
  readonly stylesheet: string;
  readonly fonts: readonly string[];
  /** Shows the draft of a preview link, or the page of links that do not work. Default: a page for visitors. */
  readonly preview?: 'draft' | 'ended';
}) => string;

/** A file of the theme of the site. Its name changes with its bytes. */
export interface SiteAsset {
  /** `/assets/site-1a2b3c.css`. */
  readonly path: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
}

/** The theme of the public site: its renderer and its files. */
export interface SiteTheme {
  readonly render: RenderSiteDocument;
  readonly stylesheet: string;
  readonly fonts: readonly string[];
  readonly assets: readonly SiteAsset[];
  /** Reads a picture that is part of this program (`/images/kiln.svg`); null: it does not exist. */
  readonly readImage: (path: string) => Promise<{ readonly data: Uint8Array; readonly mediaType: string } | null>;
}

/**
 * The global object with the function that loads the theme, which the starting server sets. The modules that Next.js
 * bundles are separate copies without the theme, so the global object is the only thing that both share.
 */
export type SiteThemeGlobals = typeof globalThis & { throughlineSiteTheme?: () => Promise<SiteTheme> };
