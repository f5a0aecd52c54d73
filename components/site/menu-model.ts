import { shorten } from '#server/core/text/short-text';
import type { NavigationItem } from '#server/core/site/content';
import { MAX_NAVIGATION_ITEMS } from '#server/core/limits';
import type { EntryItem } from '#server/core/site/site-lists';

/** The items of a menu or of a submenu. */
export type Menu = readonly NavigationItem[];

/** Indices of the items above a list, from the top; empty for the menu itself. */
export type MenuPath = readonly number[];

/** The item with other subitems; without the property `children` if there are none. */
function withChildren({ label, href }: NavigationItem, children: Menu): NavigationItem {
  return children.length === 0 ? { label, href } : { label, href, children };
}

/** The menu with the list at a path changed. */
export function withList(menu: Menu, [first, ...rest]: MenuPath, change: (list: Menu) => Menu): Menu {
  if (first === undefined) return change(menu);
  return menu.map((item, index) =>
    index === first ? withChildren(item, withList(item.children ?? [], rest, change)) : item,
  );
}

/** The list with one of its items moved. */
export function withMoved(list: Menu, from: number, to: number): Menu {
  return list.toSpliced(from, 1).toSpliced(to, 0, ...list.slice(from, from + 1));
}

/** Longest proposed label; characters. */
const MAX_LABEL = 80;
/** Addresses of the site that are not entries: the list of posts, pictures, and files such as the feed. */
const OTHER_ADDRESSES = /^\/(?:blog|media\/.+|[^/]+\.[a-z]+)$/;

/**
 * Problem of an item's target; null if none is known.
 * @param others redirected paths, in addition to those of entries
 */
export function targetProblem(
  href: string,
  entries: readonly Pick<EntryItem, 'path' | 'status'>[],
  others: ReadonlySet<string>,
): 'nowhere' | 'draft' | null {
  if (!href.startsWith('/')) return null;
  const path = href.replace(/[?#].*$/, '').replace(/(?<=.)\/+$/, '');
  const entry = entries.find((each) => each.path === path);
  if (entry !== undefined) return entry.status === 'draft' ? 'draft' : null;
  return others.has(path) || OTHER_ADDRESSES.test(path) ? null : 'nowhere';
}

interface MenuPage {
  readonly id: string;
  readonly type: EntryItem['type'];
  readonly title: string;
  readonly path: string;
  readonly status: EntryItem['status'];
  readonly parent?: EntryItem['parent'];
}

/** A menu of all published pages: the home page first, with one level of subpages. */
export function menuOfPages(entries: readonly MenuPage[]): Menu {
  const pages = entries
    .filter(({ type, status, path }) => type === 'page' && status !== 'draft' && path !== '/404')
    .toSorted((a, b) => Number(b.path === '/') - Number(a.path === '/') || a.title.localeCompare(b.title));
  const topOf = (page: MenuPage, seen: readonly MenuPage[] = []): MenuPage => {
    const above = pages.find(({ id }) => id === page.parent);
    return above === undefined || seen.includes(above) ? page : topOf(above, [...seen, page]);
  };
  const itemOf = ({ title, path }: MenuPage) => ({ label: shorten(title, MAX_LABEL), href: path });
  return pages
    .filter((page) => topOf(page) === page)
    .slice(0, MAX_NAVIGATION_ITEMS)
    .map((top) => {
      const below = pages.filter((page) => page !== top && topOf(page) === top).slice(0, MAX_NAVIGATION_ITEMS);
      return withChildren(itemOf(top), below.map(itemOf));
    });
}

/** Label of an item whose target was chosen: the title of the page, unless the user has entered another label. */
export function labelFor(
  { label, href }: Pick<NavigationItem, 'label' | 'href'>,
  next: string,
  entries: readonly Pick<EntryItem, 'path' | 'title'>[],
): string {
  const titleAt = (path: string) => entries.find((each) => each.path === path)?.title;
  const isOwn = label.trim() !== '' && label !== shorten(titleAt(href) ?? '', MAX_LABEL);
  return isOwn ? label : shorten(titleAt(next) ?? label, MAX_LABEL);
}
