import { plainContext } from '#server/wordpress/blocks/block-context';
import { type BlockMenu, readBlockMenu } from '#server/wordpress/blocks/menu/block-menu';
import { ImportLog } from '#server/import-export/plan/import-log';
import { menuSize, type SourceMenuItem } from '#server/import-export/plan/import-plan';
import { keyOf } from '#server/import-export/plan/plan-wxr-entry';
import { MAX_NAVIGATION_ITEMS, MAX_NAVIGATION_LEVELS } from '#server/core/limits';
import { serverText } from '#server/core/messages/server-text';
import type { WxrItem } from '#server/import-export/plan/read-wxr';
import { plainLine } from '#server/import-export/plan/plain-text';

/** Maximum characters of a label: the same as `MAX_LINK_LABEL` in server/site/site-settings.ts. */
const MAX_LABEL_CHARS = 80;
/** Maximum number of menu levels to read, because the reader is recursive. A choice, not measured. */
const MAX_LEVELS = 50;
const KIND = 'menu';

/** Names of main menus; the file does not contain which menu a site shows at its top. */
const MAIN = /\b(main|primary|header|top|haupt|principal)/i;

/** An entry of the file to which a menu may link. */
export interface MenuTarget {
  readonly title: string;
  /** Path of this site that takes the place of the entry, which is not imported. */
  readonly href?: string;
}

/** By entry id. */
type Titles = ReadonlyMap<string, MenuTarget>;

function targetOfEntry(id: string, titles: Titles): SourceMenuItem['target'] | null {
  const found = titles.get(id);
  if (found === undefined) return null;
  return found.href === undefined ? { entry: keyOf(id) } : { place: found.href };
}

interface RawMenu {
  readonly name: string;
  readonly items: WxrItem[];
}

type PlannedMenu = { readonly name: string; readonly items: readonly SourceMenuItem[] };

/**
 * The classic menu to import, made from items of type `nav_menu_item`; null if the file has none. A file may have
 * several, of which one is imported: the others are logged as skipped.
 */
export function planMenu(items: readonly WxrItem[], titles: Titles, log: ImportLog): PlannedMenu | null {
  const menus = menusOf(items, log);
  const chosen = menus.find(({ name }) => MAIN.test(name)) ?? menus[0];
  if (chosen === undefined) return null;
  for (const { name, items: others } of menus.filter((menu) => menu !== chosen))
    log.addSkipped(KIND, name, serverText('import-one-menu', { name: chosen.name }), others.length);
  return { name: chosen.name, items: planItems(chosen, titles, log) };
}

/**
 * The menu of a block theme, made from items of type `wp_navigation`, if one has links: such a site shows it instead of
 * its classic menus. Otherwise `classic`. Menus that are not imported are logged as skipped.
 */
export function planBlockMenu(
  items: readonly WxrItem[],
  titles: Titles,
  log: ImportLog,
  classic: PlannedMenu | null,
): PlannedMenu | null {
  const planned = items
    .filter(({ status }) => status === 'publish')
    .map(({ title, content }) => ({ name: title, menu: readBlockMenu(content, plainContext) }));
  const menus = planned.filter(({ menu }) => menu.nodes.length > 0);
  const chosen = menus.find(({ name }) => MAIN.test(name)) ?? menus.at(-1);
  for (const { title } of items.filter((item) => item.title !== chosen?.name))
    log.addSkipped(
      KIND,
      title,
      chosen === undefined ? serverText('import-no-items') : serverText('import-one-menu', { name: chosen.name }),
    );
  if (chosen === undefined) return classic;
  if (chosen.menu.hasOthers) log.addAltered(KIND, chosen.name, serverText('import-menu-other-blocks'));
  if (classic !== null)
    log.addSkipped(KIND, classic.name, serverText('import-one-menu', { name: chosen.name }), menuSize(classic.items));
  return { name: chosen.name, items: withinLevels(blockItems(chosen.menu.nodes, titles), 1, log) };
}

function blockItems(nodes: BlockMenu['nodes'], titles: Titles): SourceMenuItem[] {
  return nodes.map(({ label, href, source: { attributes }, children }) => {
    const id = typeof attributes['id'] === 'number' ? String(attributes['id']) : '';
    const entry = attributes['kind'] === 'taxonomy' ? null : targetOfEntry(id, titles);
    return {
      label,
      target: entry ?? { href },
      children: blockItems(children, titles),
    };
  });
}

function menusOf(items: readonly WxrItem[], log: ImportLog): RawMenu[] {
  const menus = new Map<string, RawMenu>();
  for (const item of items) {
    const term = item.terms.find(({ domain }) => domain === 'nav_menu');
    if (term === undefined) {
      log.addSkipped(KIND, item.title, serverText('import-in-no-menu'));
      continue;
    }
    const menu = menus.get(term.slug) ?? { name: term.name || term.slug, items: [] };
    menu.items.push(item);
    menus.set(term.slug, menu);
  }
  return [...menus.values()];
}

function planItems({ items }: RawMenu, titles: Titles, log: ImportLog): SourceMenuItem[] {
  const ids = new Set(items.map(({ id }) => id));
  const parentOf = (item: WxrItem) => {
    const parent = item.meta.get('_menu_item_menu_item_parent') ?? '0';
    return ids.has(parent) && parent !== item.id ? parent : '0';
  };
  const byParent = Map.groupBy(
    items.toSorted((a, b) => a.order - b.order),
    parentOf,
  );
  const seen = new Set<WxrItem>();
  const below = (parent: string, level: number): SourceMenuItem[] =>
    (byParent.get(parent) ?? [])
      .filter((item) => level < MAX_LEVELS && !seen.has(item))
      .flatMap((item) => {
        seen.add(item);
        const children = below(item.id, level + 1);
        const target = targetOf(item, titles);
        if (target === null) {
          log.addSkipped(KIND, nameOf(item, titles), serverText('import-link-not-imported'));
          return children;
        }
        const label = plainLine(nameOf(item, titles), MAX_LABEL_CHARS) || '…';
        return [{ label, target, children }];
      });
  const top = below('0', 0);
  for (const item of items.filter((each) => !seen.has(each)))
    log.addSkipped(KIND, nameOf(item, titles), serverText('import-menu-loop'));
  return withinLevels(top, 1, log);
}

function withinLevels(items: readonly SourceMenuItem[], level: number, log: ImportLog): SourceMenuItem[] {
  const isLast = level === MAX_NAVIGATION_LEVELS;
  const below = ({ children }: SourceMenuItem) => withinLevels(children, level + 1, log);
  return limited(isLast ? flat(items, log) : items.map((item) => ({ ...item, children: below(item) })), log);
}

/** Moves items below the last level up to it. */
function flat(items: readonly SourceMenuItem[], log: ImportLog): SourceMenuItem[] {
  return items.flatMap((item) => {
    if (item.children.length > 0)
      log.addAltered(
        KIND,
        item.label,
        serverText('import-menu-levels', { count: MAX_NAVIGATION_LEVELS }),
        item.children.length,
      );
    return [{ ...item, children: [] }, ...flat(item.children, log)];
  });
}

function limited(items: readonly SourceMenuItem[], log: ImportLog): SourceMenuItem[] {
  const over = items.slice(MAX_NAVIGATION_ITEMS);
  for (const item of over)
    log.addSkipped(KIND, item.label, serverText('import-menu-size', { count: MAX_NAVIGATION_ITEMS }), menuSize([item]));
  return items.slice(0, MAX_NAVIGATION_ITEMS);
}

function nameOf(item: WxrItem, titles: Titles): string {
  return item.title || (titles.get(item.meta.get('_menu_item_object_id') ?? '')?.title ?? item.slug);
}

function targetOf({ meta }: WxrItem, titles: Titles): SourceMenuItem['target'] | null {
  const id = meta.get('_menu_item_object_id') ?? '';
  if (meta.get('_menu_item_type') === 'post_type') return targetOfEntry(id, titles);
  const href = meta.get('_menu_item_url') ?? '';
  return meta.get('_menu_item_type') === 'custom' && href !== '' ? { href } : null;
}
