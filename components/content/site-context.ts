import type { EntryHead } from '#server/core/site/content';
import type { FormState } from '#server/core/site/site-forms';
import type { PictureFacts } from '#server/core/site/pictures';
import type { SiteRoot } from '#components/content/text/site-href.ts';
import type { SiteTexts } from '#server/core/messages/site-texts';

/** A post in lists. */
export interface SitePost {
  readonly id: string;
  readonly document: EntryHead;
  /** Epoch milliseconds; null if it was never published. */
  readonly publishedAt: number | null;
}

/** Addresses of the site's pages and pictures. */
export interface SiteAddresses {
  readonly root: SiteRoot;
  /** Pictures of the library on the page, by id. */
  readonly pictures: Readonly<Record<string, PictureFacts>>;
}

/** Facts about the site and the displayed page that sections need. */
export interface SiteContext extends SiteAddresses {
  /** Language tag of the site (BCP 47), for dates. */
  readonly language: string;
  /** Texts around the content, in the language of the site. */
  readonly texts: SiteTexts;
  /** All posts, newest first. */
  readonly posts: readonly SitePost[];
  /** Data for sending forms; null if visitors' own mail programs send them to `contactEmail`. */
  readonly forms: SiteForms | null;
  /**
   * True if videos play on the page: its policy permits their players. False for drafts and pages below the app, where
   * they are links.
   */
  readonly hasPlayers: boolean;
  /** Id of the displayed page. */
  readonly entryId: string;
  /** Contact address of the site; empty if none is set. */
  readonly contactEmail: string;
}

/** Data for sending a page's forms. */
export interface SiteForms {
  /** Origin of the server that accepts the forms; empty if it serves the page itself. */
  readonly origin: string;
  /** Time the page was created, in epoch milliseconds, or a placeholder that is replaced when the page is sent. */
  readonly opened: string;
  /** Result of a submitted form. */
  readonly state?: FormState | undefined;
}
