import { MAX_NAVIGATION_ITEMS } from '#server/content/site-navigation';
import type { ImportLog } from '#server/import/import-log';
import { lineOf } from '#server/import/plain-text';
import { menuSize, type PlannedMenuItem } from '#server/import/plan';
import { keyOf } from '#server/import/wxr/plan-entry';
import type { WxrItem } from '#server/import/wxr/wxr-item';

const MAX_LABEL_CHARS = 80;
/** Levels that are read of a menu. */
const MAX_LEVELS = 50;
const KIND = 'menu';

/** Names of menus that stand at the top of a site; the file does not say which one did. */
const MAIN = /\b(main|primary|header|top|haupt|principal)/i;

/** What a menu's items need of the rest of the file. */
export interface MenuSite {
  /** Titles of taken entries by their id. */
  readonly titles: ReadonlyMap<string, string>;
}

interface RawMenu {
  readonly name: string;
  readonly items: WxrItem[];
}

type PlannedMenu = { readonly name: string; readonly items: readonly PlannedMenuItem[] };

/** The one menu that a site has here, of all that a file has; what is left of them is written into the log. */
export function planMenu(items: readonly WxrItem[], site: MenuSite, log: ImportLog): PlannedMenu | null {
  const menus = menusOf(items, log);
  const chosen = menus.find(({ name }) => MAIN.test(name)) ?? menus[0];
  if (chosen === undefined) return null;
  for (const { name, items: others } of menus.filter((menu) => menu !== chosen))
    log.left(KIND, name, `A site has one menu here: "${chosen.name}" is taken.`, others.length);
  return { name: chosen.name, items: planItems(chosen, site, log) };
}

function menusOf(items: readonly WxrItem[], log: ImportLog): RawMenu[] {
  const menus = new Map<string, RawMenu>();
  for (const item of items) {
    const term = item.terms.find(({ domain }) => domain === 'nav_menu');
    if (term === undefined) {
      log.left(KIND, item.title, 'It is in no menu.');
      continue;
    }
    const menu = menus.get(term.slug) ?? { name: term.name || term.slug, items: [] };
    menu.items.push(item);
    menus.set(term.slug, menu);
  }
  return [...menus.values()];
}

function planItems({ items }: RawMenu, site: MenuSite, log: ImportLog): PlannedMenuItem[] {
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
  const below = (parent: string, level: number): PlannedMenuItem[] =>
    (byParent.get(parent) ?? [])
      .filter((item) => level < MAX_LEVELS && !seen.has(item))
      .flatMap((item) => {
        seen.add(item);
        const children = below(item.id, level + 1);
        const target = targetOf(item, site);
        if (target === null) {
          log.left(KIND, nameOf(item, site), 'It leads to something that is not taken.');
          return children;
        }
        const label = lineOf(nameOf(item, site), MAX_LABEL_CHARS) || '…';
        return [{ label, target, children }];
      });
  const top = below('0', 0);
  for (const item of items.filter((each) => !seen.has(each)))
    log.left(KIND, nameOf(item, site), 'It stands below itself, or too deep.');
  return limited(
    top.map((item) => ({ ...item, children: limited(flat(item.children, log), log) })),
    log,
  );
}

/** A third level and what is deeper comes up to the second. */
function flat(items: readonly PlannedMenuItem[], log: ImportLog): PlannedMenuItem[] {
  return items.flatMap((item) => {
    if (item.children.length > 0)
      log.altered(
        KIND,
        item.label,
        'A menu has two levels here: what was deeper stands on the second.',
        item.children.length,
      );
    return [{ ...item, children: [] }, ...flat(item.children, log)];
  });
}

function limited(items: readonly PlannedMenuItem[], log: ImportLog): PlannedMenuItem[] {
  const over = items.slice(MAX_NAVIGATION_ITEMS);
  for (const item of over)
    log.left(KIND, item.label, `A menu has at most ${MAX_NAVIGATION_ITEMS} items on a level here.`, menuSize([item]));
  return items.slice(0, MAX_NAVIGATION_ITEMS);
}

function nameOf(item: WxrItem, { titles }: MenuSite): string {
  return item.title || (titles.get(item.meta.get('_menu_item_object_id') ?? '') ?? item.slug);
}

function targetOf({ meta }: WxrItem, { titles }: MenuSite): PlannedMenuItem['target'] | null {
  const id = meta.get('_menu_item_object_id') ?? '';
  if (meta.get('_menu_item_type') === 'post_type') return titles.has(id) ? { entry: keyOf(id) } : null;
  const href = meta.get('_menu_item_url') ?? '';
  return meta.get('_menu_item_type') === 'custom' && href !== '' ? { href } : null;
}
