import type { Element, RootContent } from 'hast';
import { type BlockContext, plainContext } from '#server/wordpress/blocks/block-context';
import { isVerse } from '#server/wordpress/blocks/block-reader';
import { attributeText, headingBlock, paragraphBlock } from '#server/wordpress/blocks/block-markup';
import { sanitized, withAddresses } from '#server/wordpress/blocks/clean-html';
import { withoutDelimiters } from '#server/wordpress/blocks/source/block-scan';
import type { MarkupRules } from '#server/wordpress/blocks/patch-markup';
import type { SourceEdits } from '#server/wordpress/blocks/source/source-edits';
import { blocksIn, type Range, rangeOf, tagsOf } from '#server/wordpress/blocks/source/source-places';
import { decodeEntities } from '#server/markup/html-text';
import { attribute, elementsWithin, isElement } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { escapeText, htmlOf } from '#server/markup/write-html';

/** Inline elements. */
const INLINE = new Set(
  (
    'a strong b em i u mark small ins del s strike code kbd samp var tt cite q abbr sub sup br img font time dfn span ' +
    'big label wbr bdi bdo data'
  ).split(' '),
);

/** Their names in Markdown. */
const MARKDOWN_MARKS: Readonly<Record<string, string>> = {
  a: 'a',
  ...Object.fromEntries(['strong', 'b'].map((name) => [name, 'strong'])),
  ...Object.fromEntries(['em', 'i', 'u', 'mark'].map((name) => [name, 'em'])),
  ...Object.fromEntries(['del', 's', 'strike'].map((name) => [name, 'del'])),
  ...Object.fromEntries(['code', 'kbd', 'samp', 'tt', 'var'].map((name) => [name, 'code'])),
};
/** Only the content of these elements is in Markdown, whose tables always have a head. */
const WRAPPERS = new Set('figure div section article center address thead tbody tfoot'.split(' '));

/** The minimal tag of a new inline element. */
function bareTag(element: Element, context: BlockContext): string {
  const href = attribute(element, 'href');
  const properties = href === undefined ? element.properties : { ...element.properties, href: context.toRemote(href) };
  return htmlOf([{ ...element, properties, children: [] }]).replace(/<\/[\w-]+>$/, '');
}

/** The address of a picture in its tag. */
function sourceOf(raw: string, image: Element): string {
  const range = tagsOf(image)?.attribute('src') ?? null;
  return range === null
    ? ''
    : decodeEntities(raw.slice(range.start, range.end).replace(/^src\s*=\s*["']?|["']$/gi, ''));
}

/**
 * Changes the attribute of the enclosing block that repeats an attribute of a picture's tag, as in a cover: if the two
 * differ, WordPress's editor considers the block broken, and offers the old picture.
 */
export function followInBlock(edits: SourceEdits, image: Element, name: 'url' | 'alt', from: string, to: string): void {
  const range = rangeOf(image);
  const block = blocksIn(edits.raw).find(
    ({ inside }) => range && inside.start <= range.start && inside.end >= range.end,
  );
  // With several pictures, it is unknown to which one the block refers.
  if (
    block === undefined ||
    from === '' ||
    edits.raw.slice(block.inside.start, block.inside.end).split('<img').length > 2
  )
    return;
  const opener = edits.raw.slice(block.start, block.inside.start);
  const text = attributeText(from);
  // PHP escapes the slashes.
  for (const written of [text, text.replaceAll('/', String.raw`\/`)].map((each) => `"${name}":${each}`)) {
    const at = block.start + opener.indexOf(written);
    if (at < block.start) continue;
    edits.replace({ start: at, end: at + written.length }, `"${name}":${attributeText(to)}`);
    return;
  }
}

/** A text of a source with its position and its new text; white space between texts does not count as a text. */
interface ChangedText {
  readonly range: Range;
  readonly was: string;
  readonly is: string;
}

function textsIn(nodes: readonly RootContent[]): Extract<RootContent, { type: 'text' }>[] {
  return nodes.flatMap((node) =>
    node.type === 'text' ? (node.value.trim() === '' ? [] : [node]) : textsIn(isElement(node) ? node.children : []),
  );
}

/** A single word in the attributes of a block may be a setting: `center`, an address, a colour, an id. */
const ONE_WORD = /^\S*$/;
/** A lower-case word is not reported if it is left in the attributes. */
const SETTING = /^[a-z\d_-]*$/;

/**
 * Updates attributes of plugins' blocks that repeat a whole text when that text changes, as those of
 * question-and-answer blocks do: if the two differ, WordPress's editor considers the block broken.
 */
export function followWords(edits: SourceEdits, from: readonly RootContent[], to: readonly RootContent[]): void {
  const [old, latter] = [textsIn(from), textsIn(to)];
  if (old.length !== latter.length) return;
  const texts = old.flatMap((node, n): ChangedText[] => {
    const range = rangeOf(node);
    return range === null ? [] : [{ range, was: node.value.trim(), is: latter[n]!.value.trim() }];
  });
  const blocks = blocksIn(edits.raw);
  const around = (range: Range) => blocks.find(({ inside }) => inside.start <= range.start && inside.end >= range.end);
  for (const [index, { range, was, is }] of texts.entries()) {
    const block = around(range);
    if (was === is || ONE_WORD.test(was) || block === undefined || block.name.startsWith('core/')) continue;
    const same = texts.filter((text) => text.was === was && around(text.range) === block);
    // With several equal texts, it is unknown to which one the attributes refer.
    if (same[0] !== texts[index] || same.some((text) => text.is !== is)) continue;
    const opener = edits.raw.slice(block.start, block.inside.start);
    for (const { written, at, value } of valuesIn(opener)) {
      const text = value === was ? is : value === escapeText(was) ? escapeText(is) : undefined;
      const start = block.start + at;
      // The name that an editor gave a block in the block list is not part of its text.
      const isItsName = opener.slice(0, at).endsWith('"metadata":{"name":');
      if (text === undefined || isItsName) continue;
      const json = attributeText(text);
      const slashed = written.includes(String.raw`\/`) ? json.replaceAll('/', String.raw`\/`) : json;
      edits.replace({ start, end: start + written.length }, slashed);
    }
  }
}

/** The string values in the opener of a block. */
function valuesIn(opener: string): { readonly written: string; readonly at: number; readonly value: string }[] {
  return [...opener.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)].flatMap(({ 1: written = '', 2: colon, index: at }) => {
    const value = colon === undefined ? stringOf(written) : undefined;
    return value === undefined ? [] : [{ written, at, value }];
  });
}

/** Shorter texts occur by chance within other text. */
const MIN_WORDS = 4;

/** Names of plugins' blocks whose attributes still contain texts that an edit removed from the visible content. */
export function blocksLeftBehind(was: string, is: string): string[] {
  const plugins = blocksIn(is).filter(({ name }) => !name.startsWith('core/'));
  if (plugins.length === 0) return [];
  const textsOf = (raw: string) => textsIn(shownNodes(raw, plainContext) ?? []).map(({ value }) => value.trim());
  const present = new Set(textsOf(is));
  const gone = textsOf(was).filter((text) => text.length >= MIN_WORDS && !SETTING.test(text) && !present.has(text));
  const left = plugins.filter(({ start, inside }) =>
    valuesIn(is.slice(start, inside.start)).some(({ value }) =>
      gone.some((text) => value.includes(text) || value.includes(escapeText(text))),
    ),
  );
  return [...new Set(left.map(({ name }) => name))];
}

function stringOf(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}

/** Replaces a picture, including its id in the site's library. */
function replacePicture(former: Element, latter: Element, edits: SourceEdits, context: BlockContext): boolean {
  const [was, is] = [former, latter].map((image) => attribute(image, 'src') ?? '');
  const [oldId, newId] = [context.mediaId(was ?? ''), context.mediaId(is ?? '')];
  const range = rangeOf(former);
  const address = context.toRemote(is ?? '');
  if (range === null || !edits.setAttribute(former, 'src', 'src', address)) return false;
  followInBlock(edits, former, 'url', sourceOf(edits.raw, former), address);
  const classes = attribute(former, 'className');
  if (oldId === undefined || classes?.includes(`wp-image-${oldId}`) !== true) return true;
  const named = classes.replace(`wp-image-${oldId}`, newId === undefined ? '' : `wp-image-${newId}`).trim();
  if (!edits.setAttribute(former, 'className', 'class', named)) return false;
  const mark = new RegExp(String.raw`"((?:media)?[iI]d)":${oldId}\b,?`);
  for (const { start, inside } of blocksIn(edits.raw)) {
    if (inside.start > range.start || inside.end < range.end) continue;
    const opener = edits.raw.slice(start, inside.start);
    const found = mark.exec(opener);
    if (found === null) continue;
    const text = newId === undefined ? '' : found[0].replace(`:${oldId}`, `:${newId}`);
    edits.replace({ start: start + found.index, end: start + found.index + found[0].length }, text);
    return true;
  }
  return true;
}

function common(context: BlockContext, lineBreak: MarkupRules['lineBreak']) {
  return {
    lineBreak,
    addressOf: (element) => context.toRemote(attribute(element, element.tagName === 'img' ? 'src' : 'href') ?? ''),
    openingOf: (element) => bareTag(element, context),
    replacePicture: (former, latter, edits) => replacePicture(former, latter, edits, context),
    isInline: ({ tagName }) => INLINE.has(tagName),
    written(element, beside) {
      if (beside === undefined) return null;
      const html = htmlOf(
        withAddresses({ type: 'root', children: element.children }, (href) => context.toRemote(href)).children,
      );
      if (element.tagName === 'p') return paragraphBlock(html);
      return /^h[1-6]$/.test(element.tagName) ? headingBlock(html, Number(element.tagName[1])) : null;
    },
    mayGo: (raw, { tagName }, block) => (block !== undefined || /^(?:li|tr)$/.test(tagName)) && isWhollyShown(raw),
  } satisfies Partial<MarkupRules>;
}

/** True if a part of a source contains only visible content, and WordPress's own blocks. */
function isWhollyShown(raw: string): boolean {
  const tree = parseHtmlWithinLimits(withoutDelimiters(raw));
  if (tree === null) return false;
  const isForeign = blocksIn(raw).some(({ name }) => !name.startsWith('core/'));
  return !isForeign && elementsWithin(sanitized(tree)).length === elementsWithin(tree).length;
}

/** Rules for markup whose cleaned HTML is shown: everything that the cleaning keeps counts. */
export function htmlMarkupRules(context: BlockContext): MarkupRules {
  return {
    ...common(context, '<br>'),
    markOf(element) {
      const { tagName, properties } = element;
      // Cleaning leaves an empty list of classes if all belong to a theme or a plugin.
      const attributes = Object.keys(properties).flatMap((name) => {
        const value = name === 'href' ? undefined : attribute(element, name);
        return value === undefined || (name === 'className' && value === '') ? [] : [`${name}=${value}`];
      });
      return [tagName, ...attributes.toSorted()].join(' ');
    },
    isWrapper: () => false,
    kindOfRun: 'words',
    kindOf: ({ tagName }) => tagName,
  };
}

/**
 * Rules for running text that is shown as Markdown, which supports few marks: other marks remain around their words.
 */
export function textMarkupRules(context: BlockContext, lineBreak: MarkupRules['lineBreak'] = '<br>'): MarkupRules {
  return {
    ...common(context, lineBreak),
    // A link whose address is not shown (`sms:`) is not a link in Markdown: it remains around its words.
    markOf: (element) =>
      element.tagName === 'a' && attribute(element, 'href') === undefined
        ? null
        : (MARKDOWN_MARKS[element.tagName] ?? null),
    isWrapper: ({ tagName }) => WRAPPERS.has(tagName),
    kindOfRun: 'p',
    kindOf(element) {
      const { tagName } = element;
      // Levels 1 to 3 are the same level in Markdown.
      if (/^h[1-6]$/.test(tagName)) return `h${Math.max(3, Number(tagName[1]))}`;
      return tagName === 'figcaption' || isVerse(element) ? 'p' : tagName === 'th' ? 'td' : tagName;
    },
  };
}

/** Rules for fields of plain text: marks do not count. */
export function plainMarkupRules(context: BlockContext, lineBreak: MarkupRules['lineBreak']): MarkupRules {
  return { ...textMarkupRules(context, lineBreak), markOf: () => null };
}

/** Visible nodes of a part of a source, with their positions there and our addresses; null: it cannot be parsed. */
export function shownNodes(raw: string, context: BlockContext): readonly RootContent[] | null {
  const tree = parseHtmlWithinLimits(raw, true);
  return tree === null ? null : withAddresses(sanitized(tree), (href) => context.toLocal(href)).children;
}

/** The nodes of an HTML field as shown. */
export function fieldNodes(html: string): readonly RootContent[] | null {
  const tree = parseHtmlWithinLimits(html);
  return tree === null ? null : sanitized(tree).children;
}

/** Nodes as text for comparison: runs of white space count as one space, except in preformatted text. */
export function comparable(nodes: readonly RootContent[]): string {
  return htmlOf(nodes)
    .split(/(<pre\b[^<>]*>[^]*?<\/pre>)/)
    .map((part, n) => (n % 2 === 1 ? part : withSingleSpaces(part)))
    .join('');
}

function withSingleSpaces(html: string): string {
  return html.replace(/\s+/g, ' ').replace(/\s*(<\/?[a-z][^<>]*>)\s*/g, '$1');
}
