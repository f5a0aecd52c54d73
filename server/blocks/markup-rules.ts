import type { Element, RootContent } from 'hast';
import { type BlockContext, plainContext } from '#server/blocks/block-context';
import { isVerse } from '#server/blocks/block-reader';
import { attributeText, headingBlock, paragraphBlock } from '#server/blocks/block-markup';
import { sanitized, withAddresses } from '#server/blocks/clean-html';
import { withoutDelimiters } from '#server/blocks/block-scan';
import type { MarkupRules } from '#server/blocks/patch-markup';
import type { SourceEdits } from '#server/blocks/source-edits';
import { blocksIn, type Range, rangeOf, tagsOf } from '#server/blocks/source-places';
import { decodeEntities } from '#server/markup/html-text';
import { attribute, elementsWithin, escapeText, htmlOf, isElement } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** Elements of running text. */
const INLINE = new Set(
  (
    'a strong b em i u mark small ins del s strike code kbd samp var tt cite q abbr sub sup br img font time dfn span ' +
    'big label wbr bdi bdo data'
  ).split(' '),
);

/** Their names in markdown. */
const MARKDOWN_MARKS: Readonly<Record<string, string>> = {
  a: 'a',
  ...Object.fromEntries(['strong', 'b'].map((name) => [name, 'strong'])),
  ...Object.fromEntries(['em', 'i', 'u', 'mark'].map((name) => [name, 'em'])),
  ...Object.fromEntries(['del', 's', 'strike'].map((name) => [name, 'del'])),
  ...Object.fromEntries(['code', 'kbd', 'samp', 'tt', 'var'].map((name) => [name, 'code'])),
};
/** Only what is inside of them is in markdown, whose tables always have a head. */
const WRAPPERS = new Set('figure div section article center address thead tbody tfoot'.split(' '));

/** The least that a new element of running text needs. */
function bareTag(element: Element, context: BlockContext): string {
  const href = attribute(element, 'href');
  const properties = href === undefined ? element.properties : { ...element.properties, href: context.toRemote(href) };
  return htmlOf([{ ...element, properties, children: [] }]).replace(/<\/[\w-]+>$/, '');
}

/** The address of a picture as its tag has it. */
function sourceOf(raw: string, image: Element): string {
  const range = tagsOf(image)?.attribute('src') ?? null;
  return range === null
    ? ''
    : decodeEntities(raw.slice(range.start, range.end).replace(/^src\s*=\s*["']?|["']$/gi, ''));
}

/**
 * Changes an attribute of the block around a picture that says what its tag says, as a cover has them: where the two
 * differ, WordPress's editor takes the block for broken, and offers the old picture.
 */
export function followInBlock(edits: SourceEdits, image: Element, name: 'url' | 'alt', from: string, to: string): void {
  const range = rangeOf(image);
  const block = blocksIn(edits.raw).find(
    ({ inside }) => range && inside.start <= range.start && inside.end >= range.end,
  );
  // Of several pictures it is not known which one the block means.
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

/** A text of a source with its place, and what it says then; white space between texts is none. */
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

/** One word in the attributes of a block may be a setting of it: `center`, an address, a colour, an id. */
const ONE_WORD = /^\S*$/;
/** One in small letters is none that anybody misses there. */
const SETTING = /^[a-z\d_-]*$/;

/**
 * Changes the attributes of plugins' blocks that repeat a text as a whole where that text changes, as those of questions
 * and answers do: where the two differ, WordPress's editor takes the block for broken.
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
    // Of several texts it is not known which one the attributes mean.
    if (same[0] !== texts[index] || same.some((text) => text.is !== is)) continue;
    const opener = edits.raw.slice(block.start, block.inside.start);
    for (const { written, at, value } of valuesIn(opener)) {
      const text = value === was ? is : value === escapeText(was) ? escapeText(is) : undefined;
      const start = block.start + at;
      // What an editor has named a block in the list of its page is no text of it.
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

/** Fewer characters are found in the middle of anything. */
const MIN_WORDS = 4;

/** Names of plugins' blocks whose attributes still have texts that an edit took from what the blocks show. */
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

/** Puts another picture into its place, with the id that the site's library gives it. */
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

/** Tells whether a part of a source holds nothing but what people see of it, and blocks of WordPress's own. */
function isWhollyShown(raw: string): boolean {
  const tree = parseHtmlWithinLimits(withoutDelimiters(raw));
  if (tree === null) return false;
  const isForeign = blocksIn(raw).some(({ name }) => !name.startsWith('core/'));
  return !isForeign && elementsWithin(sanitized(tree)).length === elementsWithin(tree).length;
}

/** Rules for markup whose cleaned HTML people see: all that the cleaning leaves counts. */
export function htmlMarkupRules(context: BlockContext): MarkupRules {
  return {
    ...common(context, '<br>'),
    markOf(element) {
      const { tagName, properties } = element;
      // Cleaning leaves an empty list of classes where all are a theme's or a plugin's own.
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

/** Rules for running text that people see as markdown, which knows few marks: others stay around their words. */
export function textMarkupRules(context: BlockContext, lineBreak: MarkupRules['lineBreak'] = '<br>'): MarkupRules {
  return {
    ...common(context, lineBreak),
    // A link whose address is not shown (`sms:`) is none in markdown: it stays around its words.
    markOf: (element) =>
      element.tagName === 'a' && attribute(element, 'href') === undefined
        ? null
        : (MARKDOWN_MARKS[element.tagName] ?? null),
    isWrapper: ({ tagName }) => WRAPPERS.has(tagName),
    kindOfRun: 'p',
    kindOf(element) {
      const { tagName } = element;
      // Levels 1 to 3 are one in markdown.
      if (/^h[1-6]$/.test(tagName)) return `h${Math.max(3, Number(tagName[1]))}`;
      return tagName === 'figcaption' || isVerse(element) ? 'p' : tagName === 'th' ? 'td' : tagName;
    },
  };
}

/** Rules for fields of plain words: no mark counts. */
export function plainMarkupRules(context: BlockContext, lineBreak: MarkupRules['lineBreak']): MarkupRules {
  return { ...textMarkupRules(context, lineBreak), markOf: () => null };
}

/** Visible nodes of a part of a source, with their places there and our addresses; null: nobody can parse it. */
export function shownNodes(raw: string, context: BlockContext): readonly RootContent[] | null {
  const tree = parseHtmlWithinLimits(raw, true);
  return tree === null ? null : withAddresses(sanitized(tree), (href) => context.toLocal(href)).children;
}

/** An HTML field as it is shown. */
export function fieldNodes(html: string): readonly RootContent[] | null {
  const tree = parseHtmlWithinLimits(html);
  return tree === null ? null : sanitized(tree).children;
}

/** Nodes as text to compare: white space counts once, and in preformatted text as it is. */
export function comparable(nodes: readonly RootContent[]): string {
  return htmlOf(nodes)
    .split(/(<pre\b[^<>]*>[^]*?<\/pre>)/)
    .map((part, n) => (n % 2 === 1 ? part : withSingleSpaces(part)))
    .join('');
}

function withSingleSpaces(html: string): string {
  return html.replace(/\s+/g, ' ').replace(/\s*(<\/?[a-z][^<>]*>)\s*/g, '$1');
}
