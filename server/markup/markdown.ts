import type { Nodes as HtmlNodes } from 'hast';
import type { Nodes, Root } from 'mdast';
import { micromark, type Options } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { Plugin } from 'unified';
import { createTextCache } from '#server/core/bounded-map';
import type { Section } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { htmlCost, parseHtmlWithinLimits } from '#server/markup/parse-html';
import { TextCost } from '#server/markup/text-cost';

type Extension = NonNullable<Options['extensions']>[number];
type Constructs = NonNullable<Extension['document']>;
type Construct = Extract<NonNullable<Constructs[string]>, { tokenize: unknown }>;
type ParseContext = ThisParameterType<Construct['tokenize']>['parser'];

/**
 * Steps that one text may cost, where one is some 25 ns of micromark's time: blocks, and running text inside them. An
 * article of 50,000 characters takes a quarter of the first and less of the second.
 */
const MAX_BLOCK_STEPS = 12_000_000;
const MAX_TEXT_STEPS = 8_000_000;

const STEPS_PER_CHARACTER = 20;
const STEPS_PER_LINE = 4_000;
const STEPS_PER_EMPTY_LINE = 1_000;
/** A list item or a quotation begins, with a block of its own in it. */
const STEPS_PER_BLOCK_MARK = 4_000;
/** Each line is compared with every list and quotation that is open. */
const STEPS_PER_LINE_AND_LEVEL = 300;
/** A row of a table gets all cells that its head has. */
const STEPS_PER_CELL = 200;

/** Lists and quotations inside one another, and marks of emphasis in one paragraph: what walks the tree is recursive. */
const MAX_DEPTH = 50;
const MAX_EMPHASIS = 1_500;

function tooMuch(what: string): InvalidInputError {
  return new InvalidInputError(
    `The markdown has ${what}. Split it into several sections, or write its marks as plain characters.`,
  );
}

const BLOCK_MARK = /([ \t]*)(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))[ \t]?/y;

/** Lists and quotations that a line begins, and the depth at which it may be. */
function blockMarks(line: string): { readonly marks: number; readonly depth: number } {
  let [marks, indent] = [0, 0];
  BLOCK_MARK.lastIndex = 0;
  for (let mark = BLOCK_MARK.exec(line); mark !== null; mark = BLOCK_MARK.exec(line)) {
    marks += 1;
    for (const space of mark[1] ?? '') indent += space === '\t' ? 4 : 1;
  }
  // Each level of a list is indented by two at least.
  return { marks, depth: marks === 0 ? 0 : marks + Math.floor(indent / 2) };
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

/**
 * Checks what the blocks of a markdown text cost at most: lines, levels, the cells of tables, and definitions that are
 * written out wherever they are named.
 * @returns steps
 * @throws InvalidInputError where that is too much
 */
function checkMarkdownBlocks(markdown: string): number {
  let [lines, emptyLines, blocks, deepest, cells, longestDefinition] = [0, 0, 0, 0, 0, 0];
  // Lines without an empty one between them: no paragraph, table or definition goes beyond.
  let [rows, columns, length, hasDefinition] = [0, 0, 0, false];
  for (const line of [...markdown.split(/\r\n?|\n/), '']) {
    if (line.trim() === '') {
      emptyLines += 1;
      cells += rows * columns;
      if (hasDefinition) longestDefinition = Math.max(longestDefinition, length);
      [rows, columns, length, hasDefinition] = [0, 0, 0, false];
      continue;
    }
    lines += 1;
    rows += 1;
    length += line.length;
    columns = Math.max(columns, count(line, '|'));
    hasDefinition ||= line.includes(']:');
    const { marks, depth } = blockMarks(line);
    blocks += marks;
    deepest = Math.max(deepest, depth);
  }
  if (deepest > MAX_DEPTH) throw tooMuch(`lists and quotations more than ${MAX_DEPTH} deep inside one another`);
  const steps =
    markdown.length * STEPS_PER_CHARACTER +
    lines * STEPS_PER_LINE +
    emptyLines * STEPS_PER_EMPTY_LINE +
    blocks * STEPS_PER_BLOCK_MARK +
    (lines + emptyLines) * deepest * STEPS_PER_LINE_AND_LEVEL +
    cells * STEPS_PER_CELL +
    (longestDefinition === 0 ? 0 : longestDefinition * count(markdown, ']'));
  if (steps > MAX_BLOCK_STEPS) throw tooMuch('too many lines, levels, cells or references');
  return steps;
}

/** The way in which Markdown is written here, for remark-stringify. */
export const markdownStyle = { bullet: '-', emphasis: '*', fences: true, rule: '-', listItemIndent: 'one' } as const;

const limited = new WeakSet<ParseContext>();

/** Looks at each piece of running text on its way into the parser. */
function limitText(parser: ParseContext, meter: { textSteps: number }): void {
  if (limited.has(parser)) return;
  limited.add(parser);
  let spent = 0;
  for (const content of ['text', 'string'] as const) {
    const create = parser[content];
    parser[content] = (from) => {
      const tokenizer = create(from);
      const write = tokenizer.write.bind(tokenizer);
      const cost = new TextCost();
      let own = 0;
      tokenizer.write = (chunks) => {
        for (const chunk of chunks) cost.add(chunk);
        if (cost.emphasis > MAX_EMPHASIS) throw tooMuch('too many marks of emphasis in one paragraph');
        spent += cost.steps - own;
        own = cost.steps;
        meter.textSteps = spent;
        if (spent > MAX_TEXT_STEPS) throw tooMuch('too many marks (brackets, stars, backticks) in one paragraph');
        return write(chunks);
      };
      return tokenizer;
    };
  }
}

/** Limits one paragraph by the parser's own idea of a paragraph, not by one that looks like it. */
function textLimits(meter: { textSteps: number }): Extension {
  const onParser: Construct = {
    name: 'limits',
    tokenize(_effects, _ok, nok) {
      limitText(this.parser, meter);
      return nok;
    },
  };
  return { document: { null: onParser } };
}

/** Result of `read` within the limits; null for a text beyond them, which callers show as it is written. */
function withinLimits<T>(markdown: string, read: () => T): T | null {
  try {
    checkMarkdownBlocks(markdown);
    return read();
  } catch (error) {
    if (error instanceof InvalidInputError) return null;
    throw error;
  }
}

function plainParagraph(markdown: string): Root {
  const start = { line: 1, column: 1, offset: 0 };
  const position = { start, end: { line: 1, column: 1, offset: markdown.length } };
  return { type: 'root', children: [{ type: 'paragraph', children: [{ type: 'text', value: markdown }], position }] };
}

/** Plugin of unified, after remark-parse: a text that would cost too much to parse is one paragraph of plain words. */
export const limitedMarkdown: Plugin = function () {
  const { parser } = this;
  if (parser === undefined) return;
  const data: { micromarkExtensions?: Extension[] } = this.data();
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), textLimits({ textSteps: 0 })];
  this.parser = (markdown, file) => withinLimits(markdown, () => parser(markdown, file)) ?? plainParagraph(markdown);
};

/** Elements that HTML within one markdown text may make where it is shown as HTML: each is drawn by a component. */
const MAX_RAW_PARTS = 2_000;

const BLOCKS = new Set<Nodes['type']>(['paragraph', 'heading', 'listItem', 'tableCell', 'blockquote']);

function hasHtml(node: Nodes): boolean {
  return node.type === 'html' || ('children' in node && node.children.some(hasHtml));
}

/** The HTML in a tree, block by block: elements that stay open begin again in each. */
function rawHtml(node: Nodes): string {
  if (node.type === 'html') return node.value;
  if (!('children' in node)) return '';
  const inner = node.children.map(rawHtml).join('');
  return BLOCKS.has(node.type) ? `<p>${inner}` : inner;
}

function withoutHtml<T extends Nodes>(node: T): T {
  if (node.type === 'html') return { ...node, type: 'text' };
  return 'children' in node ? { ...node, children: node.children.map(withoutHtml) } : node;
}

/** Plugin of unified for markdown whose HTML is read after it: where that would make too many elements, it is words. */
export function limitedRawHtml(): (tree: Root) => Root {
  return (tree) => {
    if (!hasHtml(tree)) return tree;
    const read = parseHtmlWithinLimits(rawHtml(tree));
    return read !== null && elementCount(read) <= MAX_RAW_PARTS ? tree : withoutHtml(tree);
  };
}

function elementCount(node: HtmlNodes): number {
  return 'children' in node ? node.children.reduce((sum, child) => sum + elementCount(child), 1) : 0;
}

/** Tells whether a markdown text has more blocks than are worth drawing; it is then shown as it is written. */
export function hasTooManyBlocks(markdown: string): boolean {
  return withinLimits(markdown, () => true) === null;
}

interface MarkdownPage {
  /** Null for a text that would cost too much. */
  readonly html: string | null;
  /** Share of the cost that one text may have: 1 is all of it. */
  readonly cost: number;
}

/** Characters of texts and their HTML that are kept: those of some pages, which visitors ask for again and again. */
const KEPT_CHARACTERS = 16_000_000;
const kept = createTextCache<MarkdownPage>(KEPT_CHARACTERS, ({ html }) => html?.length ?? 0);

function readMarkdown(markdown: string): MarkdownPage {
  return kept(markdown, () => {
    const meter = { textSteps: 0 };
    const options: Options = { extensions: [gfm(), textLimits(meter)], htmlExtensions: [gfmHtml()] };
    const html = withinLimits(markdown, () => micromark(markdown, options));
    if (html === null) return { html, cost: 1 };
    const cost = checkMarkdownBlocks(markdown) / MAX_BLOCK_STEPS + meter.textSteps / MAX_TEXT_STEPS;
    return { html, cost: Math.min(1, cost) };
  });
}

/**
 * Markdown as HTML that is safe by construction: HTML in it is escaped, and so are addresses other than http(s), mailto
 * and the like. Null for a text that would cost too much, which is to be shown as it is written.
 */
export function markdownHtml(markdown: string): string | null {
  return readMarkdown(markdown).html;
}

/** All sections of one entry together, where 1 is as much as one text may cost: some ten long articles cost 3. */
const MAX_ENTRY_COST = 3;

/**
 * Ids of the sections that come after all the markup that one page may cost: they are shown as plain words. None of them
 * is parsed.
 */
export function sectionsBeyondLimit(sections: readonly Section[]): ReadonlySet<string> {
  const beyond = new Set<string>();
  let spent = 0;
  for (const { id, type, fields } of sections) {
    const text = type === 'text' ? fields['body'] : type === 'html' ? fields['html'] : undefined;
    if (typeof text !== 'string') continue;
    if (spent <= MAX_ENTRY_COST) spent += type === 'text' ? readMarkdown(text).cost : htmlCost(text);
    if (spent > MAX_ENTRY_COST) beyond.add(id);
  }
  return beyond;
}

/** @throws InvalidInputError where the sections of an entry have more markup than one page may cost */
export function checkEntryMarkup(sections: readonly Section[]): void {
  if (sectionsBeyondLimit(sections).size === 0) return;
  throw new InvalidInputError(
    'The entry has more markup than one page can show. Split it into several pages, or take out markup that does nothing.',
  );
}
