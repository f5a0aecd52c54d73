import type { NewEntry } from '#server/site/content-backend';
import type { EntryType, Seo, SiteSettings } from '#server/core/site/content';
import type { Design } from '#server/core/site/design/design';
import type { StandingInstructions } from '#server/core/site/standing-instructions';
import type { ImportFormat, KeptComment } from '#server/core/site/imports';
import type { ImportLog } from '#server/import-export/plan/import-log';

/* What an import file contains, in the terms of the built-in site. Readers of files create an `ImportPlan`;
   `import-site` applies it. */

/** Content of an entry: WordPress markup, or sections of the built-in site. */
export type SourceContent =
  | { readonly kind: 'markup'; readonly markup: string }
  | { readonly kind: 'sections'; readonly sections: NonNullable<NewEntry['sections']> };

/** One state of an entry, with the addresses of its source. */
export interface SourceDocument {
  readonly title: string;
  /** The preferred slug; replaced if it is in use. */
  readonly slug: string;
  readonly excerpt?: string | undefined;
  readonly author?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly image?: string | undefined;
  /** `SourceEntry.key` of the parent page. */
  readonly parent?: string | undefined;
  readonly seo?: Seo | undefined;
  readonly content: SourceContent;
}

/** A page or post to be imported. */
export interface SourceEntry {
  /** Permanent key of the entry in its source: `post:123`. */
  readonly key: string;
  readonly type: EntryType;
  readonly draft: SourceDocument;
  /** Published version; null if not published. */
  readonly published: SourceDocument | null;
  /** Epoch milliseconds; null if unknown or not published. */
  readonly publishedAt: number | null;
  /** Time of a scheduled publication; epoch milliseconds. Null if not scheduled. */
  readonly publishAt: number | null;
  /** Version that the schedule publishes; null if not scheduled or if it is the draft. */
  readonly scheduled: SourceDocument | null;
  /** Addresses of the entry in its source: absolute URLs or paths. */
  readonly addresses: readonly string[];
  /** Paths at which visitors found it; they become redirects. */
  readonly formerPaths: readonly string[];
  /** Visitors' comments, oldest first: stored with the entry for an export. */
  readonly comments?: readonly KeptComment[] | undefined;
  /**
   * Id and creation time in the site from which the file was exported. If the target site has this very entry, the import
   * does not change it.
   */
  readonly here?: { readonly id: string; /** Epoch milliseconds. */ readonly createdAt: number } | undefined;
}

/** A picture of the source's library. */
export interface SourcePicture {
  readonly key: string;
  /** Address of its bytes; null if we cannot reach it. */
  readonly address: string | null;
  /** Base64, if the file contains the bytes. */
  readonly bytes?: string | undefined;
  /** Addresses with which the content refers to it: its own, and that of its attachment page. */
  readonly addresses: readonly string[];
  readonly filename: string;
  readonly alt: string;
  readonly tags: readonly string[];
  /** Its number in the source, which `[gallery ids]` uses. */
  readonly number?: number | undefined;
  readonly caption?: string | undefined;
  /**
   * Id and version of the bytes in the site from which the file was exported. If the target site has this very picture, it
   * is not imported.
   */
  readonly here?: { readonly id: string; readonly version: string } | undefined;
}

/** An item of the menu; `entry` is a key, `href` an address of the source, `place` a path of this site. */
export interface SourceMenuItem {
  readonly label: string;
  readonly target: { readonly entry: string } | { readonly href: string } | { readonly place: string };
  readonly children: readonly SourceMenuItem[];
}

/** Content of an import file: read once, then applied to a site. */
export interface ImportPlan {
  readonly format: ImportFormat;
  /** Identity of the source, by which a later import recognises what was imported: `wxr:https://example.org`. */
  readonly source: string;
  /** Base of addresses without a host; null: this site. */
  readonly base: string | null;
  /** Every page comes after its parent. */
  readonly entries: readonly SourceEntry[];
  readonly pictures: readonly SourcePicture[];
  /**
   * Addresses of the source that are not entries: its home page, its list of posts. An entry at the same address has
   * priority.
   */
  readonly places: readonly { readonly addresses: readonly string[]; readonly path: string }[];
  readonly menu: { readonly name: string; readonly items: readonly SourceMenuItem[] } | null;
  readonly settings: Partial<SiteSettings>;
  /** Standing instructions; null if the file has none. */
  readonly standing: StandingInstructions | null;
  /** The design: its draft, and what visitors see of it (null if none was published); null if the file has none. */
  readonly design: { readonly draft: Design; readonly published: Design | null } | null;
  /** Remarks on everything left out or changed so far. */
  readonly log: ImportLog;
}

/** Number of items in a menu, on all levels. */
export function menuSize(items: readonly SourceMenuItem[]): number {
  return items.reduce((sum, { children }) => sum + 1 + menuSize(children), 0);
}

/** Number of items in a plan, including those already skipped. Must be read before the plan is applied. */
export function sizeOfPlan({ log, entries, pictures, menu, settings, standing, design }: ImportPlan): number {
  const items = menu === null ? 0 : menuSize(menu.items);
  return (
    log.outcomeCount +
    entries.length +
    pictures.length +
    items +
    Object.keys(settings).length +
    (standing === null ? 0 : 1) +
    (design === null ? 0 : 1)
  );
}
