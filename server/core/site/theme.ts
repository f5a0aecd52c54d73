/* Pages of a connected site as its own CMS shows them, with the theme of the site. */

/** Prefixes of our addresses for pages in their CMS theme, and for their style sheets, pictures and fonts. */
export interface ThemeRoots {
  readonly pages: string;
  readonly files: string;
}

/** Path prefixes for one site's pages and files in its CMS theme. */
export function themeRootsOf(siteId: string): ThemeRoots {
  return { pages: `/look/page/~${siteId}`, files: `/look/file/~${siteId}` };
}

/**
 * Reasons why a draft cannot be shown in the CMS theme: our plugin is missing or outdated, visitors see no such page,
 * or the CMS did not answer.
 */
export const themeGaps = ['no-companion', 'old-companion', 'no-page', 'failed'] as const;
export type ThemeGap = (typeof themeGaps)[number];

/**
 * A page in its theme: a complete HTML document that is safe to show, whose root is marked with `data-look`. Or the reason why
 * there is none.
 */
export type CmsTheme = { readonly html: string } | { readonly html: null; readonly gap: ThemeGap };

/** A style sheet, picture or font of a page in its theme. */
export interface ThemeFile {
  readonly mediaType: string;
  readonly data: Uint8Array;
}
