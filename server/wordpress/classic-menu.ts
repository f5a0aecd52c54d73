import { htmlFromText, textFromHtml } from '#server/markup/html-text';
import type { RemoteMenuItem, RemoteMenuItemFields } from '#server/wordpress/client/menus';
import type { MenuTarget } from '#server/blocks/block-menu';
import { allNodes, matchMenu, type MenuNode, type WantedNode } from '#server/blocks/menu-tree';
import { navigationSchema } from '#server/content/site-settings';
import type { BlockContext } from '#server/blocks/block-context';
import type { NavigationItem } from '#server/core/content';
import { MAX_NAVIGATION_ITEMS, MAX_NAVIGATION_LEVELS } from '#server/core/limits';

type ClassicNode = MenuNode<RemoteMenuItem>;

/**
 * Reads the items of a classic menu that visitors see. What is below none of them, leads to what is gone, or is deeper
 * than ours may be stays in WordPress as it is.
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

/** A step towards a wanted menu. `key` and `parent` name items of WordPress by their id, new ones by their place. */
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
 * The steps that make of a classic menu one with these items: each item stays the one that it is, of its kind and with
 * its target, classes and description, and only what is new of it is written.
 * @param all every item of the menu, those included that are none of ours
 * @param former items as they once were, the newest first: one that comes back is what it was
 * @param once all items as they were when the menu had just these items: they stand there again
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

  /** The first of these that comes after the item before, else a new one. */
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
  // What is below an item that goes, and is none of ours, would come up to the top level.
  const goneIds = new Set(gone.map(({ source }) => source.id));
  for (const item of all) if (!ours.has(item.id) && goneIds.has(item.parent)) goneIds.add(item.id);
  return [...steps, ...[...goneIds].toReversed().map((id): MenuStep => ({ op: 'remove', id }))];
}

/** WordPress makes 1 of 0 when it writes. */
function writable(order: number | undefined): number | undefined {
  return order === undefined ? undefined : Math.max(order, 1);
}

/** Kind and address of an item that leads there. */
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
  // Else it would take the title of what it leads to.
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
