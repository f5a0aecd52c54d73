import { POSTS_SEGMENT } from '#server/core/addresses';
import type { NavigationItem } from '#server/core/site/content';
import type { ContentBackend } from '#server/site/content-backend';
import { flatItems } from '#server/site/dead-links';
import { linkedPath } from '#server/site/entry-links';
import type { SiteState } from '#server/site/site-paths';

/** Largest number of entries of the trash that are compared, the newest first. A choice, not measured. */
const MAX_TRASHED = 100;

/**
 * Addresses of menu items whose page is not shown: it is in the trash or, for visitors, a draft. Unknown addresses are not
 * among them, because another program may answer there.
 */
export async function hiddenAddresses(
  content: ContentBackend,
  items: readonly NavigationItem[],
  version: SiteState,
): Promise<ReadonlySet<string>> {
  let trashed: Promise<ReadonlySet<string>> | undefined;
  const isHidden = async (href: string): Promise<boolean> => {
    const path = linkedPath(href);
    if (path === null || path === `/${POSTS_SEGMENT}`) return false;
    const shown = await content.findByPath(path, version);
    if (shown !== null) return shown.kind === 'gone';
    if (version === 'published' && (await content.findByPath(path, 'draft'))?.kind === 'entry') return true;
    trashed ??= trashedSlugs(content);
    return (await trashed).has(path.split('/').at(-1) ?? '');
  };
  const addresses = [...new Set(flatItems(items).map(({ href }) => href))];
  const hidden = await Promise.all(addresses.map(isHidden));
  return new Set(addresses.filter((_, index) => hidden[index]));
}

async function trashedSlugs(content: ContentBackend): Promise<ReadonlySet<string>> {
  const { items } = await content.query({ state: 'trashed', limit: MAX_TRASHED });
  return new Set(items.map(({ slug }) => slug));
}

/** The menu without the items whose page is not shown. Items below them take their place. */
export async function visibleMenu(content: ContentBackend, version: SiteState): Promise<NavigationItem[]> {
  const items = await content.navigation();
  const hidden = await hiddenAddresses(content, items, version);
  const shown = (list: readonly NavigationItem[]): NavigationItem[] =>
    list.flatMap(({ children, ...item }) => {
      const below = shown(children ?? []);
      if (hidden.has(item.href)) return below;
      return [below.length > 0 ? { ...item, children: below } : item];
    });
  return hidden.size === 0 ? items : shown(items);
}
