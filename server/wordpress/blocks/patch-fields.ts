import type { Element, RootContent } from 'hast';
import { type BlockContext, plainContext } from '#server/wordpress/blocks/block-context';
import { isPictureFile, originalOf } from '#server/wordpress/blocks/block-reader';
import { followInBlock, plainMarkupRules, shownNodes } from '#server/wordpress/blocks/markup-rules';
import { insideOf, MarkupPatch, type MarkupRules } from '#server/wordpress/blocks/patch-markup';
import { patchWords } from '#server/wordpress/blocks/patch-words';
import { SourceEdits } from '#server/wordpress/blocks/source/source-edits';
import { rangeOf } from '#server/wordpress/blocks/source/source-places';
import type { Section } from '#server/core/site/content';
import { isJsonObject, type JsonValue, sameJson } from '#server/core/json';
import { attribute, childrenOf, elementsWithin, isElement, onOneLine, wordsOf } from '#server/markup/html-tree';

type Fields = Section['fields'];

/** A text in the fields of a section. */
interface Leaf {
  /** `items.0.title` */
  readonly path: string;
  readonly name: string;
  readonly value: JsonValue;
}

function leavesOf(value: JsonValue, path: string): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, `${path}.${index}`));
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, item]) => leavesOf(item, `${path}.${name}`));
  return [{ path, name: path.split('.').at(-1) ?? '', value }];
}

/** True if the fields contain the same texts in another order. */
export function hasSameTexts(one: Fields, other: Fields): boolean {
  const [from, to] = [one, other].map((fields) =>
    leavesOf(fields, '')
      .map(({ name, value }) => JSON.stringify([name, value]))
      .toSorted(),
  );
  return sameJson(from, to);
}

const ALT = new Set(['alt', 'imageAlt']);
const SOURCE = new Set(['src', 'image']);
const HREF = new Set(['ctaHref', 'buttonHref', 'href']);

/** Lines of plain text as nodes. */
function textNodes(text: string): RootContent[] {
  return text
    .split('\n')
    .flatMap((value, index): RootContent[] => [
      ...(index === 0 ? [] : [{ type: 'element' as const, tagName: 'br', properties: {}, children: [] }]),
      { type: 'text', value },
    ]);
}

function paragraph(text: string): Element {
  return { type: 'element', tagName: 'p', properties: {}, children: textNodes(text) as Element['children'] };
}

function isSameWords(element: Element, words: string): boolean {
  const said = wordsOf(element);
  return said.trim() === words.trim() || onOneLine(said) === onOneLine(words);
}

/** The original file of a picture, for an address of any of its sizes. */
function fileOf(address: string): string {
  return originalOf(address.split(/[?#]/, 1)[0] ?? '');
}

class FieldsPatch {
  readonly #edits: SourceEdits;
  readonly #rules: MarkupRules;
  readonly #context: BlockContext;
  readonly #nodes: readonly RootContent[];
  readonly #elements: readonly Element[];

  constructor(raw: string, nodes: readonly RootContent[], context: BlockContext) {
    this.#edits = new SourceEdits(raw);
    this.#rules = plainMarkupRules(context, '<br>');
    this.#context = context;
    this.#nodes = nodes;
    this.#elements = elementsWithin({ type: 'root', children: [...nodes] });
  }

  patched(from: readonly Leaf[], to: readonly Leaf[]): string | null {
    if (from.map(({ path }) => path).join() !== to.map(({ path }) => path).join()) return null;
    const seen = new Map<string, number>();
    for (const [index, leaf] of from.entries()) {
      const key = JSON.stringify([kindOf(leaf), leaf.value]);
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      const value = to[index]?.value;
      if (leaf.value === value) continue;
      if (typeof leaf.value !== 'string' || typeof value !== 'string') return null;
      if (!this.#patchLeaf(leaf.name, leaf.value, value, nth)) return null;
    }
    return this.#edits.applied();
  }

  #patchLeaf(name: string, from: string, to: string, nth: number): boolean {
    if (ALT.has(name)) {
      const image = this.#nth('img', nth, (element) => onOneLine(attribute(element, 'alt') ?? '') === from);
      if (image === undefined || !this.#edits.setAttribute(image, 'alt', 'alt', to)) return false;
      followInBlock(this.#edits, image, 'alt', from, to);
      return true;
    }
    if (SOURCE.has(name)) {
      const image = this.#nth('img', nth, (element) => attribute(element, 'src') === from);
      const latter = image && { ...image, properties: { ...image.properties, src: to } };
      return (
        latter !== undefined && this.#rules.replacePicture(image!, latter, this.#edits) && this.#followLink(image!, to)
      );
    }
    if (HREF.has(name)) {
      const link = this.#nth('a', nth, (element) => attribute(element, 'href') === from);
      return link !== undefined && this.#edits.setAttribute(link, 'href', 'href', this.#context.toRemote(to));
    }
    if (name === 'author' || name === 'role') return this.#patchCite(from, to) ?? this.#patchText(from, to, nth);
    return this.#patchText(from, to, nth);
  }

  /** A link around a picture that opens its file then opens the new file. */
  #followLink(image: Element, to: string): boolean {
    const link = this.#elements.find((element) => element.tagName === 'a' && element.children.includes(image));
    const [href, src] = [attribute(link ?? image, 'href') ?? '', attribute(image, 'src') ?? ''];
    if (link === undefined || !isPictureFile(href) || fileOf(href) !== fileOf(src)) return true;
    return this.#edits.setAttribute(link, 'href', 'href', this.#context.toRemote(to));
  }

  #nth(tagName: string, nth: number, isWanted: (element: Element) => boolean): Element | undefined {
    return this.#elements.filter((element) => element.tagName === tagName && isWanted(element))[nth];
  }

  /** Undefined if there is no `cite`. */
  #patchCite(from: string, to: string): boolean | undefined {
    const cite = this.#elements.find(({ tagName }) => tagName === 'cite');
    if (cite === undefined) return undefined;
    const lines = wordsOf(cite).split('\n');
    const at = lines.findIndex((line) => onOneLine(line) === from);
    return at >= 0 && this.#rewrite(cite, lines.with(at, to).join('\n'));
  }

  #rewrite(element: Element, words: string): boolean {
    const inside = insideOf(element);
    const rules = words.includes('\n') ? this.#rules : plainMarkupRules(this.#context, ' ');
    return inside !== null && patchWords(element.children, textNodes(words), inside, this.#edits, rules);
  }

  #patchText(from: string, to: string, nth: number): boolean {
    const places = this.#placesOf(from, this.#nodes);
    const place = places[nth];
    if (place === undefined) return false;
    const [first] = place;
    if (place.length === 1 && !to.includes('\n\n')) return this.#rewrite(first!, to);
    // These paragraphs are compared on their own; their neighbours do not change.
    return new MarkupPatch(this.#edits, this.#rules).patch(place, to.split('\n\n').map(paragraph), {
      start: 0,
      end: 0,
    });
  }

  /** Elements, or consecutive paragraphs, with this text. */
  #placesOf(words: string, nodes: readonly RootContent[]): (readonly Element[])[] {
    const places: (readonly Element[])[] = [];
    const elements = nodes.filter((node) => isElement(node));
    for (let at = 0; at < elements.length; at += 1) {
      const element = elements[at]!;
      const isRun = element.children.every(
        (node) => node.type === 'text' || (isElement(node) && this.#rules.isInline(node)),
      );
      if (isRun && isSameWords(element, words)) places.push([element]);
      else if (isRun && element.tagName === 'p' && words.includes('\n\n')) {
        const run = paragraphsFrom(elements, at, words);
        if (run !== null) places.push(run);
      }
      if (!isRun || !isSameWords(element, words)) places.push(...this.#placesOf(words, childrenOf(element)));
    }
    return places;
  }
}

/** Consecutive paragraphs with this text. */
function paragraphsFrom(elements: readonly Element[], at: number, words: string): readonly Element[] | null {
  const parts = words.split('\n\n');
  const run = elements.slice(at, at + parts.length);
  const isThis =
    run.length === parts.length &&
    run.every((element, n) => element.tagName === 'p' && isSameWords(element, parts[n]!));
  return isThis ? run : null;
}

function kindOf({ name }: Leaf): string {
  return ALT.has(name) ? 'alt' : SOURCE.has(name) ? 'src' : HREF.has(name) ? 'href' : 'words';
}

/**
 * A section's source with other texts, descriptions, pictures and links in its fields; null if the change is more
 * complex.
 */
export function patchFields(raw: string, from: Fields, to: Fields, context: BlockContext): string | null {
  const nodes = shownNodes(raw, context);
  if (nodes === null) return null;
  return new FieldsPatch(raw, nodes, context).patched(leavesOf(from, ''), leavesOf(to, ''));
}

/** A line of HTML with other text, in its existing tags; null if they cannot represent it. */
export function patchedLine(html: string, words: string): string | null {
  const nodes = shownNodes(html, plainContext);
  const edits = new SourceEdits(html);
  const run = { start: 0, end: html.length };
  if (nodes === null) return null;
  return patchWords(nodes, textNodes(words), run, edits, plainMarkupRules(plainContext, ' ')) ? edits.applied() : null;
}

/** `[caption ...]<img/> words[/caption]`, the form of a picture with a caption in content without blocks. */
const CAPTIONED = /^(\s*\[caption\b[^\]]*\])([^]*)(\[\/caption\]\s*)$/;

/**
 * A picture in content without blocks with another address, description or caption; null if the change is more complex.
 */
export function patchCaptioned(raw: string, from: Fields, to: Fields, context: BlockContext): string | null {
  const [, open, inner, close] = CAPTIONED.exec(raw) ?? [];
  const { caption: _was, ...before } = from;
  const { caption: words, ...after } = to;
  const picture = inner === undefined ? null : patchFields(inner, before, after, context);
  const nodes = picture === null ? null : shownNodes(picture, context);
  const at = nodes?.findIndex((node) => isElement(node)) ?? -1;
  const range = nodes?.[at] === undefined ? null : rangeOf(nodes[at]);
  if (picture === null || nodes === null || range === null || typeof words !== 'string') return null;
  const edits = new SourceEdits(picture);
  const run = { start: range.end, end: picture.length };
  const isPatched = patchWords(nodes.slice(at + 1), textNodes(words), run, edits, plainMarkupRules(context, ' '));
  const patched = isPatched ? edits.applied() : null;
  return patched === null ? null : `${open}${patched}${close}`;
}
