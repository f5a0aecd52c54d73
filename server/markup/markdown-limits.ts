import type { Root } from 'mdast';
import type { Options } from 'micromark';
import type { Plugin } from 'unified';
import { TextCost } from '#server/markup/text-cost';

type Extension = NonNullable<Options['extensions']>[number];
type Constructs = NonNullable<Extension['document']>;
type Construct = Extract<NonNullable<Constructs[string]>, { tokenize: unknown }>;
type ParseContext = ThisParameterType<Construct['tokenize']>['parser'];

/* Limits the time that parsing untrusted markdown takes (docs/decisions/037-parsers-with-limits.md): micromark needs quadratic time for some
   texts. The cost is estimated in steps before and while the parser runs. One step is about 25 ns of micromark's time.
   `tests/integration/hurtful-texts.test.ts` checks the limits: run it when a weight or micromark's version changes. */

/**
 * Maximum steps for the blocks of one text. An article of 50,000 characters takes a quarter of them.
 */
export const MAX_BLOCK_STEPS = 12_000_000;
/** Maximum steps for the running text inside the blocks. An article of 50,000 characters takes less than a quarter. */
export const MAX_TEXT_STEPS = 8_000_000;

const STEPS_PER_CHARACTER = 20;
const STEPS_PER_LINE = 4_000;
const STEPS_PER_EMPTY_LINE = 1_000;
/** Start of a list item or quotation, with a block inside it. */
const STEPS_PER_BLOCK_MARK = 4_000;
/** Each line is compared with every open list and quotation. */
const STEPS_PER_LINE_AND_LEVEL = 300;
/** A row of a table gets as many cells as the table's head. */
const STEPS_PER_CELL = 200;

/**
 * Maximum nesting of lists and quotations, and maximum emphasis marks in one paragraph: the functions that walk the
 * tree are recursive.
 */
const MAX_DEPTH = 50;
const MAX_EMPHASIS = 1_500;

/** A text that would cost too much to parse. Only `withinLimits` sees it. */
class TooCostlyError extends Error {}

const BLOCK_MARK = /([ \t]*)(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))[ \t]?/y;

/** Number of lists and quotations that a line starts, and its maximum depth. */
function blockMarks(line: string): { readonly marks: number; readonly depth: number } {
  let [marks, indent] = [0, 0];
  BLOCK_MARK.lastIndex = 0;
  for (let mark = BLOCK_MARK.exec(line); mark !== null; mark = BLOCK_MARK.exec(line)) {
    marks += 1;
    for (const space of mark[1] ?? '') indent += space === '\t' ? 4 : 1;
  }
  // Each level of a list is indented by at least two.
  return { marks, depth: marks === 0 ? 0 : marks + Math.floor(indent / 2) };
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

/**
 * Checks the maximum cost of the blocks of a markdown text: lines, levels, table cells, and definitions that are
 * expanded at each reference.
 * @returns steps
 * @throws TooCostlyError if the cost is too high
 */
export function checkMarkdownBlocks(markdown: string): number {
  let [lines, emptyLines, blocks, deepest, cells, longestDefinition] = [0, 0, 0, 0, 0, 0];
  // Lines without an empty one between them: no paragraph, table or definition extends beyond.
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
  if (deepest > MAX_DEPTH) throw new TooCostlyError('nested lists and quotations');
  const steps =
    markdown.length * STEPS_PER_CHARACTER +
    lines * STEPS_PER_LINE +
    emptyLines * STEPS_PER_EMPTY_LINE +
    blocks * STEPS_PER_BLOCK_MARK +
    (lines + emptyLines) * deepest * STEPS_PER_LINE_AND_LEVEL +
    cells * STEPS_PER_CELL +
    (longestDefinition === 0 ? 0 : longestDefinition * count(markdown, ']'));
  if (steps > MAX_BLOCK_STEPS) throw new TooCostlyError('too many lines, levels, cells or references');
  return steps;
}

const limited = new WeakSet<ParseContext>();

/**
 * Measures each piece of running text (a paragraph, a heading, a cell) before the parser reads it. Emphasis is limited in
 * each piece, the steps in the whole text.
 * @param meter receives the steps of the whole text
 */
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
        if (cost.emphasis > MAX_EMPHASIS) throw new TooCostlyError('too many marks of emphasis in one paragraph');
        spent += cost.steps - own;
        own = cost.steps;
        meter.textSteps = spent;
        if (spent > MAX_TEXT_STEPS) throw new TooCostlyError('too many marks (brackets, stars, backticks)');
        return write(chunks);
      };
      return tokenizer;
    };
  }
}

/** Syntax extension that limits the running text of a document; the parser itself finds where each piece ends. */
export function textLimits(meter: { textSteps: number }): Extension {
  const onParser: Construct = {
    name: 'limits',
    tokenize(_effects, _ok, nok) {
      limitText(this.parser, meter);
      return nok;
    },
  };
  return { document: { null: onParser } };
}

/** Result of `read` within the limits; null for a text beyond them, which callers show unformatted. */
export function withinLimits<T>(markdown: string, read: () => T): T | null {
  try {
    checkMarkdownBlocks(markdown);
    return read();
  } catch (error) {
    if (error instanceof TooCostlyError) return null;
    throw error;
  }
}

function plainParagraph(markdown: string): Root {
  const start = { line: 1, column: 1, offset: 0 };
  const position = { start, end: { line: 1, column: 1, offset: markdown.length } };
  return { type: 'root', children: [{ type: 'paragraph', children: [{ type: 'text', value: markdown }], position }] };
}

/**
 * Plugin of unified, after remark-parse: a text that would cost too much to parse becomes one paragraph of plain text.
 */
export const limitedMarkdown: Plugin = function () {
  const { parser } = this;
  if (parser === undefined) return;
  const data: { micromarkExtensions?: Extension[] } = this.data();
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), textLimits({ textSteps: 0 })];
  this.parser = (markdown, file) => withinLimits(markdown, () => parser(markdown, file)) ?? plainParagraph(markdown);
};

/** True if a markdown text has too many blocks to render; it is then shown unformatted. */
export function hasTooManyBlocks(markdown: string): boolean {
  return withinLimits(markdown, () => true) === null;
}
