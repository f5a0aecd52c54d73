import type { Nodes } from 'hast';
import type { NewEntry } from '#server/content/content-backend';
import type { EntryType, Seo, SiteSettings, StandingInstructions } from '#server/core/content';
import type { ImportFormat, KeptComment } from '#server/core/imports';
import { collapseSpaces, shorten } from '#server/core/short-text';
import type { ImportLog } from '#server/import/import-log';
import { storable } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** Content of an entry: markup of WordPress, or our sections. */
export type SourceContent =
  | { readonly kind: 'markup'; readonly markup: string }
  | { readonly kind: 'sections'; readonly sections: NonNullable<NewEntry['sections']> };

/** One state of an entry, with the addresses of its source. */
export interface SourceDocument {
  readonly title: string;
  /** The slug that is wished for; another one where it is taken. */
  readonly slug: string;
  readonly excerpt?: string | undefined;
  readonly author?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly image?: string | undefined;
  /** Key of the page above. */
  readonly parent?: string | undefined;
  readonly seo?: Seo | undefined;
  readonly content: SourceContent;
}

/** A page or post as it is to become. */
export interface SourceEntry {
  /** Lasting name of it in its source: `post:123`. */
  readonly key: string;
  readonly type: EntryType;
  readonly draft: SourceDocument;
  /** Version for visitors; null: not published. */
  readonly published: SourceDocument | null;
  /** Epoch milliseconds; null: not known, or not published. */
  readonly publishedAt: number | null;
  readonly publishAt: number | null;
  /** Version that the plan publishes, where that is not the draft. */
  readonly scheduled: SourceDocument | null;
  /** Addresses of it in its source: absolute ones, or paths. */
  readonly addresses: readonly string[];
  /** Paths at which visitors found it. */
  readonly formerPaths: readonly string[];
  /** Visitors' comments, oldest first: kept with it for an export. */
  readonly comments?: readonly KeptComment[] | undefined;
  /** Identity in the site that the file was made from; if the import goes into that site, the entry is left alone. */
  readonly here?: { readonly id: string; /** Epoch milliseconds. */ readonly createdAt: number } | undefined;
}

/** A picture of the source's library. */
export interface SourcePicture {
  readonly key: string;
  /** Address of its bytes; null where we cannot reach them. */
  readonly address: string | null;
  /** Base64, where the file has the bytes itself. */
  readonly bytes?: string | undefined;
  /** Addresses by which the content refers to it: its own, and that of its page. */
  readonly addresses: readonly string[];
  readonly filename: string;
  readonly alt: string;
  readonly tags: readonly string[];
  /** Its number there, as `[gallery ids]` names it. */
  readonly number?: number | undefined;
  readonly caption?: string | undefined;
  /** As for an entry; `version` identifies its bytes. */
  readonly here?: { readonly id: string; readonly version: string } | undefined;
}

/** An item of the menu; `entry` is a key. */
export interface SourceMenuItem {
  readonly label: string;
  readonly target: { readonly entry: string } | { readonly href: string };
  readonly children: readonly SourceMenuItem[];
}

/** Content of an import file in our own terms: read once, then carried out on a site. */
export interface ImportPlan {
  readonly format: ImportFormat;
  /** Identity of the source, by which a later import finds what was imported: `wxr:https://example.org`. */
  readonly source: string;
  /** Base of addresses without a host; null: this site. */
  readonly base: string | null;
  /** Every page comes after its parent. */
  readonly entries: readonly SourceEntry[];
  readonly pictures: readonly SourcePicture[];
  readonly menu: { readonly name: string; readonly items: readonly SourceMenuItem[] } | null;
  readonly settings: Partial<SiteSettings>;
  readonly standing: StandingInstructions | null;
  /** Remarks on everything left out or changed so far. */
  readonly log: ImportLog;
}

/** Number of items in a menu, on all levels. */
export function menuSize(items: readonly SourceMenuItem[]): number {
  return items.reduce((sum, { children }) => sum + 1 + menuSize(children), 0);
}

/** Number of things in a plan, with those that it leaves out already. To be read before the plan is carried out. */
export function sizeOfPlan({ log, entries, pictures, menu, settings, standing }: ImportPlan): number {
  const items = menu === null ? 0 : menuSize(menu.items);
  return (
    log.told + entries.length + pictures.length + items + Object.keys(settings).length + (standing === null ? 0 : 1)
  );
}

function textOfNode(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (!('children' in node)) return '';
  if (node.type === 'element' && (node.tagName === 'script' || node.tagName === 'style')) return '';
  return node.children.map((child) => textOfNode(child as Nodes)).join('');
}

/** The words of a piece of HTML, without its tags; entities are read. */
export function wordsOf(markup: string): string {
  if (!/[<&]/.test(markup)) return storable(markup);
  const tree = parseHtmlWithinLimits(markup);
  // What nobody can parse is read without its tags.
  return storable(tree === null ? markup.replace(/<[^<>]*>/g, ' ') : textOfNode(tree));
}

/** Writes a text as one line of at most `max` characters; what is longer ends in an ellipsis. */
export function lineOf(markup: string, max: number): string {
  return shorten(collapseSpaces(wordsOf(markup)), max);
}

/** Pages above one another; a site has four or five. */
const MAX_LEVELS = 100;

/** Sorts entries so that every page comes after its parent; a page below itself loses its parent. */
export function inOrder(entries: readonly SourceEntry[], log: ImportLog): SourceEntry[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const placed = new Map<string, SourceEntry>();
  const open = new Set<string>();

  function place(entry: SourceEntry): void {
    if (placed.has(entry.key)) return;
    open.add(entry.key);
    const above = (document: SourceDocument): SourceDocument => {
      const parent = document.parent === undefined ? undefined : byKey.get(document.parent);
      if (parent === undefined) return withoutParent(document);
      const isLoop = open.has(parent.key);
      if (isLoop || (open.size === MAX_LEVELS && !placed.has(parent.key))) {
        const reason = isLoop ? 'It was below itself' : `It was below more than ${MAX_LEVELS} pages`;
        log.altered(entry.type, document.title, `${reason}: it has no parent here.`);
        return withoutParent(document);
      }
      place(parent);
      return document;
    };
    const draft = above(entry.draft);
    const published =
      entry.published === entry.draft ? draft : entry.published === null ? null : above(entry.published);
    const scheduled = entry.scheduled === null ? null : above(entry.scheduled);
    open.delete(entry.key);
    placed.set(entry.key, { ...entry, draft, published, scheduled });
  }

  for (const entry of entries) place(entry);
  return [...placed.values()];
}

function withoutParent({ parent: _parent, ...document }: SourceDocument): SourceDocument {
  return document;
}
