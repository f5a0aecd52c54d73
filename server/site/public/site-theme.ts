import type { NavigationItem, SiteSettings } from '#server/core/site/content';
import type { FontPair } from '#server/core/site/design/design-choices';
import type { Design } from '#server/core/site/design/design';
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
  readonly design: Design | null;
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
  /** Style sheet with the fonts of the design. Default: those of `stylesheet`. */
  readonly fontStylesheet?: string;
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

/** The files of a pair of fonts. */
interface ThemeFonts {
  readonly stylesheet: string;
  /** Fonts that every page needs at once. */
  readonly fonts: readonly string[];
  /** Paths of all of its fonts, for every alphabet. */
  readonly files: readonly string[];
}

/** The theme of the public site: its renderer and its files. */
export interface SiteTheme {
  readonly render: RenderSiteDocument;
  readonly stylesheet: string;
  /** Fonts that every page of the default design needs at once. */
  readonly fonts: readonly string[];
  /** The fonts of the other designs, by the name of the pair. */
  readonly pairs: Readonly<Partial<Record<FontPair, ThemeFonts>>>;
  readonly assets: readonly SiteAsset[];
  /** Reads a picture that is part of this program (`/images/kiln.svg`); null: it does not exist. */
  readonly readImage: (path: string) => Promise<{ readonly data: Uint8Array; readonly mediaType: string } | null>;
}

/**
 * The global object with the function that loads the theme, which the starting server sets. The modules that Next.js
 * bundles are separate copies without the theme, so the global object is the only thing that both share.
 */
export type SiteThemeGlobals = typeof globalThis & { throughlineSiteTheme?: () => Promise<SiteTheme> };

/** The files of the theme that a page of a design loads. */
export function themeFiles({ stylesheet, fonts, pairs }: SiteTheme, design: Design | null) {
  const pair = design === null ? undefined : pairs[design.fonts];
  return pair === undefined
    ? { stylesheet, fonts }
    : { stylesheet, fontStylesheet: pair.stylesheet, fonts: pair.fonts };
}

/** The files of the theme without the fonts of other designs. */
export function usedAssets({ assets, pairs, stylesheet }: SiteTheme, design: Design | null): readonly SiteAsset[] {
  const sheet = Buffer.from(assets.find(({ path }) => path === stylesheet)?.data ?? []).toString('utf8');
  const own = design === null ? undefined : pairs[design.fonts];
  const others = Object.values(pairs).flatMap((pair) => (pair === own ? [] : [pair.stylesheet, ...pair.files]));
  const needed = new Set(own?.files);
  const unused = new Set(others.filter((path) => !needed.has(path) && !sheet.includes(path)));
  return assets.filter(({ path }) => !unused.has(path));
}
