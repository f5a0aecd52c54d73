/* How a page looks in the CMS that it is in, with its theme. */

/** Address of pages as their CMS shows them. */
export const LOOK_ROOT = '/look/page';
/** Address of the style sheets, pictures and fonts of such pages. */
export const LOOK_FILES = '/look/file';

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
