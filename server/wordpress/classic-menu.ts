import { htmlFromText, textFromHtml } from '#server/markup/html-text';
import type { RemoteMenuItem, RemoteMenuItemFields } from '#server/wordpress/client/menus';
import type { MenuTarget } from '#server/wordpress/blocks/menu/block-menu';
import { allNodes, matchMenu, type MenuNode, type WantedNode } from '#server/wordpress/blocks/menu/menu-tree';
import { navigationSchema } from '#server/site/site-settings';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import type { NavigationItem } from '#server/core/site/content';
import { MAX_NAVIGATION_ITEMS, MAX_NAVIGATION_LEVELS } from '#server/core/limits';

type ClassicNode = MenuNode<RemoteMenuItem>;

/**
 * Reads the items of a classic menu that visitors see. An item outside these, an item whose target no longer exists,
 * and an item that is deeper than our menus allow remains unchanged in WordPress.
 */
export function readClassicMenu(items: readonly RemoteMenuItem[], context: BlockContext): ClassicNode[] {
  const shown = items.filter(({ isShown }) => isShown).toSorted((a, b) => a.order - b.order);
  const below = (parent: number, level: number): ClassicNode[] =>
    level > MAX_NAVIGATION_LEVELS
      ? []
      : shown
          .filter((item) => item.parent === parent)
          .flatMap((source) => {
            const href = context.toLocal(source.url);
            const label = textFromHtml(source.title).slice(0, 80).trim() || href;
            const [item] = navigationSchema.safeParse([{ label, href }]).data ?? [];
            return item === undefined ? [] : [{ ...item, source, children: below(source.id, level + 1) }];
          })
          .slice(0, MAX_NAVIGATION_ITEMS);
  return below(0, 1);
}

/**
 * A step towards a wanted menu. `key` and `parent` refer to WordPress items by their id, to new ones by their position.
 */
export type MenuStep =
  | {
      readonly op: 'create';
      readonly key: string;
      readonly parent: number | string;
      readonly fields: RemoteMenuItemFields;
    }
  | {
      readonly op: 'update';
      readonly id: number;
      readonly parent?: number | string;
      readonly fields: RemoteMenuItemFields;
    }
  | { readonly op: 'remove'; readonly id: number };

/**
 * The steps that turn a classic menu into one with these items. Each item keeps its id, kind, target, classes and
 * description; only its changes are written.
 * @param all every item of the menu, including those that are not ours
 * @param former earlier items, the newest first: a returning item gets its earlier data
 * @param once all items from a time when the menu had exactly these items: they get the same positions again
 */
export function planClassicMenu(
  nodes: readonly ClassicNode[],
  items: readonly NavigationItem[],
  all: readonly RemoteMenuItem[],
  { former, once = [] }: { readonly former: readonly RemoteMenuItem[]; readonly once?: readonly RemoteMenuItem[] },
  targetOf: (href: string) => MenuTarget,
): MenuStep[] {
  const wanted = matchMenu(nodes, items);
  const kept = new Set(allNodes(wanted).flatMap(({ node }) => (node === null ? [] : [node.source.id])));
  const ours = new Set(allNodes(nodes).map(({ source }) => source.id));
  const taken = new Set(all.filter(({ id }) => !ours.has(id)).map(({ order }) => order));
  const steps: MenuStep[] = [];
  let last = -1;
  let made = 0;

  /** The first of these that comes after the previous item, otherwise a new number. */
  function nextOrder(...orders: readonly (number | undefined)[]): number {
    const free = orders.find((order) => order !== undefined && order > last);
    let order = free ?? Math.max(1, last + 1);
    while (order !== free && taken.has(order)) order += 1;
    return (last = order);
  }

  function visit(list: readonly WantedNode<RemoteMenuItem>[], parent: number | string): void {
    for (const each of list) {
      const source = each.node?.source;
      if (source === undefined) {
        const key = `new ${(made += 1)}`;
        const { url } = targetOf(each.href);
        const isSame = (item: RemoteMenuItem) => textFromHtml(item.title) === each.label && item.url === url;
        const same = once.find(isSame) ?? former.find(isSame);
        const order = nextOrder(writable(same?.order));
        steps.push({ op: 'create', key, parent, fields: { ...newFields(each, same, targetOf), order } });
        visit(each.children, key);
        continue;
      }
      const changes = changedFields(each, source, targetOf);
      const moved = source.parent === parent ? {} : { parent };
      const isChanged = Object.keys({ ...changes, ...moved }).length > 0;
      const present = isChanged ? writable(source.order) : source.order;
      const was = once.find(({ id }) => id === source.id)?.order;
      const order = nextOrder(was === source.order ? present : writable(was), present);
      const fields = { ...changes, ...(order !== source.order && { order }) };
      if (isChanged || order !== source.order) steps.push({ op: 'update', id: source.id, ...moved, fields });
      visit(each.children, source.id);
    }
  }

  visit(wanted, 0);
  const gone = allNodes(nodes).filter(({ source }) => !kept.has(source.id));
  // Without this, items below a removed item that are not ours would move up to the top level.
  const goneIds = new Set(gone.map(({ source }) => source.id));
  for (const item of all) if (!ours.has(item.id) && goneIds.has(item.parent)) goneIds.add(item.id);
  return [...steps, ...[...goneIds].toReversed().map((id): MenuStep => ({ op: 'remove', id }))];
}

/** WordPress stores 1 when 0 is written. */
function writable(order: number | undefined): number | undefined {
  return order === undefined ? undefined : Math.max(order, 1);
}

/** Kind and address of an item for a target. */
function leadingTo({ url, entry }: MenuTarget): RemoteMenuItemFields {
  return entry === undefined
    ? { type: 'custom', object: 'custom', url }
    : { type: 'post_type', object: entry.type, objectId: entry.remoteId };
}

function changedFields(
  { label, href, node }: WantedNode<RemoteMenuItem>,
  source: RemoteMenuItem,
  targetOf: (href: string) => MenuTarget,
): RemoteMenuItemFields {
  const title = htmlFromText(label);
  const name = node?.label === label ? {} : { title };
  if (node?.href === href) return name;
  const target = targetOf(href);
  const isSameEntry =
    target.entry !== undefined && source.type === 'post_type' && source.objectId === target.entry.remoteId;
  if (isSameEntry) return name;
  if (source.type === 'custom') return { ...name, url: target.url };
  // Without the title, the item would take that of its target.
  return { title, ...leadingTo(target) };
}

function newFields(
  { label, href }: WantedNode<RemoteMenuItem>,
  former: RemoteMenuItem | undefined,
  targetOf: (href: string) => MenuTarget,
): RemoteMenuItemFields {
  if (former === undefined) return { title: htmlFromText(label), ...leadingTo(targetOf(href)) };
  const { id: _id, isShown: _isShown, order: _order, parent: _parent, ...fields } = former;
  return fields;
}
