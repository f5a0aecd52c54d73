import type { NavigationItem } from '#server/core/site/content';

/** An item of a WordPress menu, with its representation there. */
export interface MenuNode<Source> {
  readonly label: string;
  /** Address in the form of our site. */
  readonly href: string;
  readonly source: Source;
  readonly children: readonly MenuNode<Source>[];
}

/** An item that the menu will have, and its existing WordPress item; null: it is new. */
export interface WantedNode<Source> {
  readonly label: string;
  readonly href: string;
  readonly node: MenuNode<Source> | null;
  readonly children: readonly WantedNode<Source>[];
}

/** The items of a WordPress menu in our form. */
export function itemsOf(nodes: readonly MenuNode<unknown>[]): NavigationItem[] {
  return nodes.map(({ label, href, children }) => ({
    label,
    href,
    ...(children.length > 0 && { children: itemsOf(children) }),
  }));
}

/** All items of a menu, parents before their children. */
export function allNodes<Node extends { readonly children?: readonly Node[] | undefined }>(
  nodes: readonly Node[],
): Node[] {
  return nodes.flatMap((node) => [node, ...allNodes(node.children ?? [])]);
}

/** Criteria by which an item is recognized, the most reliable first. */
const SAME: readonly ((a: NavigationItem, b: MenuNode<unknown>) => boolean)[] = [
  (a, b) => a.label === b.label && a.href === b.href,
  (a, b) => a.href === b.href,
  (a, b) => a.label === b.label,
];

/**
 * Matches the items of a menu with those of its new version, so that each keeps the data that only WordPress has: first
 * within the same list, then, for moved items, anywhere. An item with a new label and a new address counts as new.
 */
export function matchMenu<Source>(
  present: readonly MenuNode<Source>[],
  wanted: readonly NavigationItem[],
): WantedNode<Source>[] {
  const free = new Set(allNodes(present));
  const found = new Map<NavigationItem, MenuNode<Source>>();
  const claim = (item: NavigationItem, candidates: Iterable<MenuNode<Source>>, isSame: (typeof SAME)[number]) => {
    if (found.has(item)) return;
    for (const node of candidates) {
      if (!free.has(node) || !isSame(item, node)) continue;
      free.delete(node);
      found.set(item, node);
      return;
    }
  };

  function within(items: readonly NavigationItem[], nodes: readonly MenuNode<Source>[]): void {
    for (const isSame of SAME) for (const item of items) claim(item, nodes, isSame);
    for (const item of items) within(item.children ?? [], found.get(item)?.children ?? []);
  }

  function anywhere(items: readonly NavigationItem[]): void {
    for (const item of items) {
      const isMoved = !found.has(item);
      claim(item, free, SAME[0]!);
      if (isMoved) within(item.children ?? [], found.get(item)?.children ?? []);
      anywhere(item.children ?? []);
    }
  }

  const asWanted = (items: readonly NavigationItem[]): WantedNode<Source>[] =>
    items.map((item) => ({
      label: item.label,
      href: item.href,
      node: found.get(item) ?? null,
      children: asWanted(item.children ?? []),
    }));

  within(wanted, present);
  anywhere(wanted);
  return asWanted(wanted);
}
