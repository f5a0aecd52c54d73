import type { ContentBackend } from '#server/site/content-backend';
import type { EntryPage } from '#server/core/site/site-lists';
import type { EntryType, Section } from '#server/core/site/content';

/** A page or post as its draft is. */
export interface SiteEntry {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly slug: string;
  readonly sections: readonly Section[];
}

/** The truth that answers are held against: every page and post, those made first in front. */
export type Site = readonly SiteEntry[];

/** The current state of the site. */
export async function readSite(content: ContentBackend): Promise<Site> {
  const site: SiteEntry[] = [];
  let cursor: string | undefined;
  do {
    const page: EntryPage = await content.query({
      sort: 'created',
      order: 'asc',
      select: ['sections'],
      limit: 100,
      cursor,
    });
    for (const { id, type, title, slug, selected } of page.items)
      site.push({ id, type, title, slug, sections: selected?.sections ?? [] });
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return site;
}

/** The only entry of that title; null for none or several. */
export function entryCalled(site: Site, title: string): SiteEntry | null {
  const [found, ...more] = site.filter((entry) => entry.title === title);
  return more.length === 0 ? (found ?? null) : null;
}

/** All that a visitor reads of it, in one string. */
export function wordsOf({ title, sections }: SiteEntry): string {
  return [title, ...sections.flatMap(({ fields }) => textsIn(fields))].join('\n');
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
