/* The look of a page in its own CMS, with its theme. */

/** Beginnings of our addresses of pages as their CMS shows them, and of their style sheets, pictures and fonts. */
export interface LookRoots {
  readonly pages: string;
  readonly files: string;
}

/** Paths of one site's pages and files as its CMS shows them. */
export function lookRootsOf(siteId: string): LookRoots {
  return { pages: `/look/page/~${siteId}`, files: `/look/file/~${siteId}` };
}

/**
 * Reasons why a draft is not shown as the CMS would: it lacks our plugin or has an old one, visitors see no such page, it
 * did not answer.
 */
export const lookGaps = ['no-companion', 'old-companion', 'no-page', 'failed'] as const;
export type LookGap = (typeof lookGaps)[number];

/** A whole document that is safe to show, and says of its root what it is (`data-look`); or why there is none. */
export type CmsLook = { readonly html: string } | { readonly html: null; readonly gap: LookGap };

/** A style sheet, picture or font of such a page. */
export interface LookFile {
  readonly mediaType: string;
  readonly data: Uint8Array;
}
