import type { NavigationItem } from '#server/core/site/content';
import type { ContentBackend } from '#server/site/content-backend';
import type { SiteState } from '#server/site/site-paths';

/** The menu without the items whose page is not shown. Items below them take their place. */
export async function visibleMenu(content: ContentBackend, version: SiteState): Promise<NavigationItem[]> {
  const [items, left] = await Promise.all([content.navigation(), content.hiddenMenuItems(version)]);
  const hidden = new Set(left.map(({ href }) => href));
  const shown = (list: readonly NavigationItem[]): NavigationItem[] =>
    list.flatMap(({ children, ...item }) => {
      const below = shown(children ?? []);
      if (hidden.has(item.href)) return below;
      return [below.length > 0 ? { ...item, children: below } : item];
    });
  return hidden.size === 0 ? items : shown(items);
}
