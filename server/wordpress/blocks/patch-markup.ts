import type { Element, RootContent } from 'hast';
import { isPreformatted } from '#server/wordpress/blocks/block-reader';
import { type Pair, pairedLists } from '#server/wordpress/blocks/paired-lists';
import { patchWords, tokensOf, type Wording } from '#server/wordpress/blocks/patch-words';
import { SourceEdits } from '#server/wordpress/blocks/source/source-edits';
import {
  blockOf,
  blocksIn,
  type Range,
  rangeOf,
  type SourceBlock,
  tagsOf,
} from '#server/wordpress/blocks/source/source-places';
import { changedParts } from '#server/markup/changed-parts';
import { isElement } from '#server/markup/html-tree';
import { wordSimilarity } from '#server/markup/word-similarity';

/** Rules to compare and write markup; see `htmlRules` and `textRules`. */
export interface MarkupRules extends Wording {
  /** True if an element is inline. */
  isInline(element: Element): boolean;
  /** True if only the content of an element counts. */
  isWrapper(element: Element): boolean;
  /** Name that is equal for blocks of the same kind. */
  kindOf(element: Element): string;
  /** Kind of running text between blocks. */
  readonly kindOfRun: string;
  /**
   * Markup of a new block next to an existing one, which is passed if it is a WordPress block; null: none can be added.
   */
  written(element: Element, beside: SourceBlock | undefined): string | null;
  /** True if a part of the source may be removed with everything in it. */
  mayGo(raw: string, element: Element, block: SourceBlock | undefined): boolean;
}

/** A block, or running text between blocks. */
interface Item {
  readonly kind: string;
  readonly nodes: readonly RootContent[];
  /** Undefined: running text. */
  readonly element?: Element;
}

/** Items below an element; white space between blocks is not an item. */
function itemsOf(nodes: readonly RootContent[], rules: MarkupRules): Item[] {
  const items: Item[] = [];
  let run: RootContent[] = [];
  const endRun = () => {
    if (run.some((node) => node.type !== 'text' || node.value.trim() !== ''))
      items.push({ kind: rules.kindOfRun, nodes: run });
    run = [];
  };
  for (const node of nodes) {
    if (node.type === 'text' || (isElement(node) && rules.isInline(node))) run.push(node);
    if (!isElement(node) || rules.isInline(node)) continue;
    endRun();
    if (rules.isWrapper(node)) items.push(...itemsOf(node.children, rules));
    else items.push({ kind: rules.kindOf(node), nodes: [node], element: node });
  }
  endRun();
  return items;
}

/** Position of an item among those of the source. */
interface Place {
  readonly last: Item | null;
  readonly next: Item | null;
  readonly inside: Range;
}

/** Items that were moved, each with its former item. */
type Moved = ReadonlyMap<Item, Item>;

function isHeading({ kind }: Item): boolean {
  return /^h[1-6]$/.test(kind);
}

/** Edits the source of some content so that it represents another version; what is the same in both stays as it is. */
export class MarkupPatch {
  readonly #edits: SourceEdits;
  readonly #rules: MarkupRules;
  readonly #blocks: readonly SourceBlock[];

  constructor(edits: SourceEdits, rules: MarkupRules) {
    this.#edits = edits;
    this.#rules = rules;
    this.#blocks = blocksIn(edits.raw);
  }

  /**
   * Edits the source so that the nodes `from` become the nodes `to`.
   * @param inside the part of the source that contains `from`
   * @returns false if this is impossible, or would remove what `mayGo` protects; some edits may have been made by then
   */
  patch(from: readonly RootContent[], to: readonly RootContent[], inside: Range): boolean {
    const { pairs, moved } = this.#pairs(itemsOf(from, this.#rules), itemsOf(to, this.#rules));
    let last: Item | null = null;
    for (const [index, [old, latter]] of pairs.entries()) {
      const next = pairs.slice(index).find(([item]) => item !== null)?.[0] ?? null;
      if (!this.#patchPair(old, latter, { last, next, inside, moved })) return false;
      // If the first item is removed, the white space after it is removed, too: nothing can be inserted after it.
      if (last !== null || latter !== null) last = old ?? last;
    }
    return true;
  }

  #patchPair(old: Item | null, latter: Item | null, { moved, ...place }: Place & { readonly moved: Moved }): boolean {
    if (old === null) return latter === null || this.#add(latter, moved.get(latter), place);
    if (latter === null) return this.#remove(old, place.last, [...moved.values()].includes(old));
    const range = this.#rangeOf(old);
    if (range === null) return false;
    if (old.kind !== latter.kind && !this.#setLevel(old, latter)) return false;
    const within = (old.element && insideOf(old.element)) ?? range;
    if (old.element && latter.element && isPreformatted(old.element) && isPreformatted(latter.element))
      return patchWords([old.element], [latter.element], within, this.#edits, this.#rules);
    const [from, to] = [old, latter].map(({ element, nodes }) => element?.children ?? nodes);
    const isRun = old.element === undefined || latter.element === undefined;
    if (isRun) return patchWords(from!, to!, within, this.#edits, this.#rules);
    return this.patch(from!, to!, within);
  }

  /** Changes the level of a heading: in its tags, and in the attributes of its block. */
  #setLevel({ element }: Item, { kind }: Item): boolean {
    const [tags, range] = element === undefined ? [] : [tagsOf(element), rangeOf(element)];
    if (!element || !tags?.closing || !range) return false;
    const { raw } = this.#edits;
    const block = blockOf(raw, this.#blocks, range);
    const level = Number(kind[1]);
    if (block?.name === 'core/heading') {
      const opener = raw.slice(block.start, block.inside.start);
      const attributes = opener.indexOf('{');
      const [present, ...others] = opener.matchAll(/"level":\s*(\d)/g);
      if (others.length > 0) return false;
      if (present !== undefined) {
        const end = block.start + present.index + present[0].length;
        this.#edits.replace({ start: end - 1, end }, String(level));
      } else if (attributes >= 0) {
        const isEmpty = /^\{\s*\}/.test(opener.slice(attributes));
        this.#edits.insert(block.start + attributes + 1, `"level":${level}${isEmpty ? '' : ','}`);
      } else this.#edits.insert(block.inside.start - '-->'.length, `{"level":${level}} `);
    } else if (block !== undefined && block.name !== 'core/html') return false;
    const { opening, closing } = tags;
    for (const start of [opening.start + '<'.length, closing.start + '</'.length]) {
      this.#edits.replace({ start, end: start + element.tagName.length }, kind);
    }
    return true;
  }

  #pairs(from: readonly Item[], to: readonly Item[]): { readonly pairs: Pair<Item>[]; readonly moved: Moved } {
    const keys = new Map([...from, ...to].map((item) => [item, this.#keyOf(item)]));
    const isSame = (one: Item, other: Item) => keys.get(one) === keys.get(other);
    const parts = changedParts(from, to, isSame);
    const keysOf = (wanted: 'added' | 'removed') =>
      parts
        .filter(({ kind }) => kind === wanted)
        .flatMap(({ items }) => items.filter(({ element }) => element !== undefined))
        .map((item) => keys.get(item));
    const come = new Set(keysOf('added'));
    const movedKeys = new Set(keysOf('removed').filter((key) => come.has(key)));
    const isMoved = (item: Item) => movedKeys.has(keys.get(item));
    const pairs = pairedLists(from, to, {
      isSame,
      // An item that is only moved is not paired with another one.
      mayPair: (one, other) =>
        (one.kind === other.kind || (isHeading(one) && isHeading(other))) && !isMoved(one) && !isMoved(other),
      similarity: (one, other) => wordSimilarity(keys.get(one) ?? '', keys.get(other) ?? ''),
    });
    const gone = pairs.flatMap(([old, latter]) => (old !== null && latter === null ? [old] : []));
    const moved = new Map<Item, Item>();
    for (const [old, latter] of pairs) {
      if (old !== null || latter?.element === undefined) continue;
      const at = gone.findIndex((item) => isSame(item, latter));
      for (const item of at < 0 ? [] : gone.splice(at, 1)) moved.set(latter, item);
    }
    return { pairs, moved };
  }

  /** The text by which items are compared: kind, words, formatting and addresses. */
  #keyOf({ kind, element, nodes }: Item): string {
    const children = element === undefined || isPreformatted(element) ? null : itemsOf(element.children, this.#rules);
    if (children !== null) return JSON.stringify([kind, ...children.map((item) => this.#keyOf(item))]);
    const words = tokensOf(nodes, this.#rules, null).map(({ key, marks, node, chain }) => {
      const places = [...chain, ...(isElement(node) ? [node] : [])].map((one) => this.#rules.addressOf(one));
      return [key, ...marks, ...places.filter((place) => place !== '')];
    });
    return JSON.stringify([kind, words]);
  }

  #rangeOf({ nodes }: Item): Range | null {
    const ranges = nodes.map(rangeOf).filter((range) => range !== null);
    const [first, last] = [ranges[0], ranges.at(-1)];
    return first === undefined || last === undefined || ranges.length < nodes.length
      ? null
      : { start: first.start, end: last.end };
  }

  /** An item with the delimiters of its block. */
  #outer(item: Item): { readonly range: Range; readonly block: SourceBlock | undefined } | null {
    const range = this.#rangeOf(item);
    const block = range === null ? undefined : blockOf(this.#edits.raw, this.#blocks, range);
    return range === null ? null : { range: block ?? range, block };
  }

  #remove(item: Item, last: Item | null, isMoved: boolean): boolean {
    const outer = this.#outer(item);
    if (outer === null) return false;
    const { raw } = this.#edits;
    const { range, block } = outer;
    if (item.element === undefined) return patchWords(item.nodes, [], range, this.#edits, this.#rules);
    if (!isMoved && !this.#rules.mayGo(raw.slice(range.start, range.end), item.element, block)) return false;
    // Includes the white space that separates it from the previous item or, for the first one, from the next.
    const before = last === null ? 0 : raw.slice(0, range.start).length - raw.slice(0, range.start).trimEnd().length;
    const after = last === null ? raw.length - range.end - raw.slice(range.end).trimStart().length : 0;
    this.#edits.replace({ start: range.start - before, end: range.end + after }, '');
    return true;
  }

  /** @param former its old item, if it is only moved */
  #add(item: Item, former: Item | undefined, { last, next, inside }: Place): boolean {
    const beside = last ?? next;
    if (beside === null) {
      return item.element === undefined && patchWords([], item.nodes, inside, this.#edits, this.#rules);
    }
    const outer = this.#outer(beside);
    if (outer === null || item.element === undefined || beside.element === undefined) return false;
    const { raw } = this.#edits;
    const own = former === undefined ? null : this.#outer(former);
    const written =
      own !== null
        ? raw.slice(own.range.start, own.range.end)
        : beside.kind === item.kind && /^(?:li|tr)$/.test(item.kind)
          ? this.#likeSibling(item.element, beside.element, outer.range)
          : this.#rules.written(item.element, outer.block);
    if (written === null) return false;
    const gap = outer.block === undefined ? (/^\n[ \t]*/.exec(raw.slice(outer.range.end))?.[0] ?? '') : '\n\n';
    if (last === null) this.#edits.insert(outer.range.start, `${written}${gap}`);
    else this.#edits.insert(outer.range.end, `${gap}${written}`);
    return true;
  }

  /** A list item or row that copies the classes and delimiters of its sibling. */
  #likeSibling(element: Element, sibling: Element, range: Range): string | null {
    const raw = this.#edits.raw.slice(range.start, range.end);
    const copy = shifted(sibling, -range.start);
    const edits = new SourceEdits(raw);
    const inside = insideOf(copy);
    const patch = new MarkupPatch(edits, { ...this.#rules, mayGo: () => true });
    const written = inside !== null && patch.patch(copy.children, element.children, inside) ? edits.applied() : null;
    return written === null ? null : written.replaceAll(/(<[^<>]*?)\s+id="[^"]*"/g, '$1');
  }
}

/** Range between the tags of an element. */
export function insideOf(element: Element): Range | null {
  const tags = tagsOf(element);
  const end = tags?.closing?.start ?? rangeOf(element)?.end;
  return tags === null || end === undefined ? null : { start: tags.opening.end, end };
}

/** A copy of an element with its positions shifted by an offset. */
function shifted(element: Element, by: number): Element {
  return JSON.parse(
    JSON.stringify(element, (key, value: unknown) =>
      key === 'offset' && typeof value === 'number' ? value + by : value,
    ),
  ) as Element;
}
