import { matchMenu, type MenuNode, type WantedNode } from '#server/wordpress/blocks/menu/menu-tree';
import { type Attributes, block, voidBlock } from '#server/wordpress/blocks/block-markup';
import { cutBlocks, splitBlock } from '#server/wordpress/blocks/source/block-scan';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { MAX_LINK_LABEL, navigationSchema } from '#server/site/site-settings';
import type { EntryType, NavigationItem } from '#server/core/site/content';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '#server/core/json';
import { MAX_NAVIGATION_ITEMS, MAX_NAVIGATION_LEVELS } from '#server/core/limits';
import { htmlFromText, textFromHtml } from '#server/markup/html-text';

/** A block that is an item, in its written parts: joined they are its markup. */
interface ItemBlock {
  readonly name: 'core/home-link' | 'core/navigation-link' | 'core/navigation-submenu';
  readonly attributes: JsonObject;
  /** The comment that opens the block (`<!-- wp:… -->`); for a block without content, the whole block. */
  readonly open: string;
  /** The comment that closes the block; empty for a block without content. */
  readonly close: string;
  readonly inner: BlockList;
}

/** The items of a list, and all markup before, between and after them. */
interface BlockList {
  readonly before: string;
  /** Markup after each item up to the next. */
  readonly after: readonly string[];
  readonly nodes: readonly MenuNode<ItemBlock>[];
}

/** A menu of block themes (`wp_navigation`). */
export interface BlockMenu extends BlockList {
  /** True if it contains blocks that are not items for us: a list of all pages, a search. */
  readonly hasOthers: boolean;
}

/** Target in WordPress of one of our addresses. */
export interface MenuTarget {
  readonly url: string;
  readonly entry?: { readonly type: EntryType; readonly remoteId: number } | undefined;
}

const NAMES = new Set(['core/home-link', 'core/navigation-link', 'core/navigation-submenu']);
const NOTHING: BlockList = { before: '', after: [], nodes: [] };

/** Reads the content of a `wp_navigation`. Never throws. */
export function readBlockMenu(content: string, context: BlockContext): BlockMenu {
  const list = readList(content, context, 1);
  return { ...list, hasOthers: [list.before, ...list.after].some((text) => text.trim() !== '') };
}

function readList(content: string, context: BlockContext, level: number): BlockList {
  if (level > MAX_NAVIGATION_LEVELS) return { ...NOTHING, before: content };
  let before = '';
  const nodes: MenuNode<ItemBlock>[] = [];
  const after: string[] = [];
  for (const { raw, name, isBroken } of cutBlocks(content)) {
    const isItem = name !== null && NAMES.has(name) && !isBroken && nodes.length < MAX_NAVIGATION_ITEMS;
    const node = isItem ? readItem(raw, name as ItemBlock['name'], context, level) : null;
    if (node !== null) {
      nodes.push(node);
      after.push('');
    } else if (nodes.length === 0) before += raw;
    else after[nodes.length - 1] += raw;
  }
  return { before, after, nodes };
}

/** Null if our rules do not allow it as an item. */
function readItem(
  raw: string,
  name: ItemBlock['name'],
  context: BlockContext,
  level: number,
): MenuNode<ItemBlock> | null {
  const parts = splitBlock(raw);
  if (parts === null) return null;
  const attributes = attributesOf(parts.open);
  const { label, url } = attributes;
  const isHome = name === 'core/home-link';
  const href = isHome ? '/' : typeof url === 'string' ? context.toLocal(url) : '';
  const text = typeof label === 'string' ? textFromHtml(label).slice(0, MAX_LINK_LABEL).trim() : '';
  const [item] = navigationSchema.safeParse([{ label: text || (isHome ? 'Home' : href), href }]).data ?? [];
  if (item === undefined) return null;
  const inner = parts.close === '' ? NOTHING : readList(parts.inner, context, level + 1);
  const source = { name, attributes, open: parts.open, close: parts.close, inner };
  return { ...item, source, children: inner.nodes };
}

function attributesOf(open: string): JsonObject {
  const value = parseJson(open.slice(open.indexOf('{'), open.lastIndexOf('}') + 1)) as JsonValue | undefined;
  return isJsonObject(value) ? value : {};
}

/**
 * The content of a `wp_navigation` with these items. Unchanged items keep their markup; in changed ones, only the
 * attributes that differ are rewritten.
 * @param targetOf finds the WordPress target of an address
 */
export function writeBlockMenu(
  menu: BlockList,
  items: readonly NavigationItem[],
  targetOf: (href: string) => MenuTarget,
): string {
  /**
   * An item becomes a void block if nothing is below it, else a block with content. What is unchanged is copied from
   * the source, so that WordPress sees no difference there.
   */
  const writeItem = (wanted: WantedNode<ItemBlock>, isTop: boolean): string => {
    const { node } = wanted;
    const isSame = node?.label === wanted.label && node.href === wanted.href;
    const isHome = node?.source.name === 'core/home-link' && node.href === wanted.href && wanted.children.length === 0;
    // A home link has no address of its own; with another address or with items below, it becomes an ordinary link.
    const attributes = attributesFor(wanted, isHome ? null : targetOf, isTop);
    const former = node?.source.name ?? 'core/navigation-link';
    const name = former === 'core/home-link' && !isHome ? 'core/navigation-link' : former;
    const inner = node?.source.inner ?? NOTHING;
    // Blocks that are not items for us (a search, a list of pages) must not be lost.
    const hasMore = [inner.before, ...inner.after].some((text) => text.trim() !== '');
    if (wanted.children.length === 0 && !hasMore) {
      // A submenu that has lost its items is written anew, as a link.
      if (isSame && (node.source.close === '' || node.children.length === 0)) return markupOf(node.source);
      return voidBlock(node === null || node.children.length > 0 ? 'navigation-link' : shortName(name), attributes);
    }
    const text = writeList(inner, wanted.children, false);
    // A new item, or a link that gets its first items, becomes a submenu.
    if (node === null || node.source.close === '') return block('navigation-submenu', text.trim(), attributes);
    const open = isSame ? node.source.open : openerOf(name, attributes);
    return open + text + node.source.close;
  };

  function writeList(list: BlockList, wanted: readonly WantedNode<ItemBlock>[], isTop: boolean): string {
    const isInOrder =
      wanted.length === list.nodes.length && wanted.every(({ node }, index) => node === list.nodes[index]);
    if (isInOrder) {
      return list.before + wanted.map((each, n) => writeItem(each, isTop) + (list.after[n] ?? '')).join('');
    }
    const gap = list.after.slice(0, -1).find((text) => text.trim() === '') ?? '\n\n';
    const end = /\s*$/.exec(list.after.at(-1) ?? list.before)?.[0] ?? '';
    const stay = new Set(wanted.map(({ node }) => node));
    // Other blocks keep their position after the item that they follow or, if it is removed, after the item before that
    // one.
    const others = new Map<MenuNode<ItemBlock> | null, string[]>();
    let last: MenuNode<ItemBlock> | null = null;
    const keep = (text: string) => {
      if (text.trim() !== '') others.set(last, [...(others.get(last) ?? []), text.trim()]);
    };
    keep(list.before);
    for (const [index, node] of list.nodes.entries()) {
      if (stay.has(node)) last = node;
      keep(list.after[index] ?? '');
    }
    const pieces = [
      ...(others.get(null) ?? []),
      ...wanted.flatMap((each) => [
        writeItem(each, isTop),
        ...(each.node === null ? [] : (others.get(each.node) ?? [])),
      ]),
    ];
    return (/^\s*/.exec(list.before)?.[0] ?? '') + pieces.join(gap) + end;
  }

  return writeList(menu, matchMenu(menu.nodes, items), true);
}

function shortName(name: ItemBlock['name']): string {
  return name.slice('core/'.length);
}

function openerOf(name: ItemBlock['name'], attributes: Attributes): string {
  return voidBlock(shortName(name), attributes).replace(/\/-->$/, '-->');
}

function markupOf({ open, inner, close }: ItemBlock): string {
  const items = inner.nodes.map(({ source }, index) => markupOf(source) + (inner.after[index] ?? ''));
  return open + inner.before + items.join('') + close;
}

/**
 * Attributes of a wanted item: the former ones, except the label and the address if they are new.
 * @param targetOf null: it has no address, such as a link to the front page
 */
function attributesFor(
  { node, label, href }: WantedNode<ItemBlock>,
  targetOf: ((href: string) => MenuTarget) | null,
  isTop: boolean,
): Attributes {
  const former = node?.source.attributes ?? {};
  const name = node?.label === label && former['label'] !== undefined ? {} : { label: htmlFromText(label) };
  const top = node === null && isTop ? { isTopLevelLink: true } : {};
  if (targetOf === null || (node?.href === href && former['url'] !== undefined)) return { ...former, ...name };
  const { url, entry } = targetOf(href);
  // These three name the entry or the taxonomy term that the item leads to. They may stay only if they fit the new
  // address.
  const { id: _id, type: _type, kind: _kind, ...rest } = former;
  // Menus of older versions of WordPress have an id without a kind.
  const leadsToEntry = former['kind'] === 'post-type' || (former['kind'] === undefined && former['id'] !== undefined);
  const isSameKind = leadsToEntry ? former['id'] === entry?.remoteId : former['kind'] !== 'taxonomy';
  if (node !== null && isSameKind) return { ...former, ...name, url };
  return entry === undefined
    ? { ...rest, ...name, url, kind: 'custom', ...top }
    : { ...former, ...name, type: entry.type, id: entry.remoteId, url, kind: 'post-type', ...top };
}
