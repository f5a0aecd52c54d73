import type { NavigationItem, SiteSettings } from '#server/core/content';
import type { FormState } from '#server/core/site-forms';
import type { Site, SitePage, SitePost } from '#server/public-site/site-page';

/** An entry or the post index. */
export type ShownPage = Extract<SitePage, { kind: 'entry' | 'post-index' }>;

/** Renders a page as a whole document; see components/content/site-document. */
type RenderSiteDocument = (input: {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  readonly posts: readonly SitePost[];
  readonly pictures: Site['pictures'];
  /** Data for sending forms; null: no server. */
  readonly forms: { readonly origin: string; readonly opened: string; readonly state?: FormState | undefined } | null;
  /** Null: there is nothing, and no page of the editors that says so. */
  readonly page: ShownPage | null;
  /** True if there was something once. */
  readonly isGone: boolean;
  readonly path: string;
  readonly address: string;
  readonly above: readonly { readonly path: string; readonly title: string | null }[];
  readonly stylesheet: string;
  readonly fonts: readonly string[];
}) => string;

/** A file that belongs to the look of the site. Its name changes with its bytes. */
export interface SiteAsset {
  /** `/assets/site-1a2b3c.css`. */
  readonly path: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
}

/** Renderer and files of the site. */
export interface SiteLook {
  readonly render: RenderSiteDocument;
  readonly stylesheet: string;
  readonly fonts: readonly string[];
  readonly assets: readonly SiteAsset[];
  /** Reads a picture that came with this program (`/images/kiln.svg`); null: there is none. */
  readonly readImage: (path: string) => Promise<{ readonly data: Uint8Array; readonly mediaType: string } | null>;
}

/**
 * The global object, on which the started server puts the function that loads the look. Next builds its own copy of
 * every module and leaves the look out, so the two share nothing else.
 */
export type SiteLookGlobals = typeof globalThis & { throughlineSiteLook?: () => Promise<SiteLook> };
