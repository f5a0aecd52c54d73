import type { Nodes as HtmlNodes } from 'hast';
import type { Nodes as MarkdownNodes } from 'mdast';
import { decodeCharacterReference, parseHtmlWithinLimits } from '#server/markup/parse-html';
import { readMarkdown } from '#server/markup/read-markdown';

/** One character of a text, and its position in the source: `&amp;` is one character. */
export interface SourceCharacter {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A character that readers see. */
export interface VisibleCharacter extends SourceCharacter {
  /**
   * Number of the text node that contains the character: between two characters with the same number the source has no
   * tags and no marks of markdown. -1: a line break (`<br>`), which no text node contains.
   */
  readonly piece: number;
}

const REFERENCE = /^&(?:#x[\da-f]{1,8}|#\d{1,8}|[a-z][a-z\d]{1,31});?/i;

function referenceAt(source: string, at: number, end: number): SourceCharacter | null {
  const reference = source[at] === '&' ? REFERENCE.exec(source.slice(at, Math.min(end, at + 40)))?.[0] : undefined;
  const text = reference === undefined ? null : decodeCharacterReference(reference);
  return text === null ? null : { text, start: at, end: at + reference!.length };
}

interface SourceRange {
  readonly start: number;
  readonly end: number;
}

/** The characters of a text node of HTML; null if the source does not match the parser's value. */
export function charactersOf(raw: string, { start, end }: SourceRange, value: string): SourceCharacter[] | null {
  const characters: SourceCharacter[] = [];
  for (let at = start; at < end;) {
    const length = raw.startsWith('\r\n', at) ? 2 : 1;
    const plain = { text: raw[at] === '\r' ? '\n' : raw[at]!, start: at, end: at + length };
    const character = referenceAt(raw, at, end) ?? plain;
    characters.push(character);
    at = character.end;
  }
  return characters.map(({ text }) => text).join('') === value ? characters : null;
}

const ESCAPED = /^\\[!-/:-@[-`{-~]/;

/** The characters of a text node of Markdown; null if the source does not match the parser's value. */
function markdownCharacters(source: string, { start, end }: SourceRange, value: string): SourceCharacter[] | null {
  const characters: SourceCharacter[] = [];
  let read = 0;
  for (let at = start; at < end && read < value.length;) {
    // Spaces around a line break, and the list or quotation marks before the next line, are not shown.
    const isBeforeBreak = value[read] === '\n' && /[ \t\r]/.test(source[at]!);
    const isLineStart = value[read - 1] === '\n' && value[read] !== source[at] && /[ \t>]/.test(source[at]!);
    if (isBeforeBreak || isLineStart) {
      at += 1;
      continue;
    }
    const isEscaped = ESCAPED.test(source.slice(at, at + 2));
    const plain = isEscaped
      ? { text: source[at + 1]!, start: at, end: at + 2 }
      : { text: source[at]!, start: at, end: at + 1 };
    const character = referenceAt(source, at, end) ?? plain;
    if (!value.startsWith(character.text, read)) return null;
    characters.push(character);
    read += character.text.length;
    at = character.end;
  }
  return read === value.length ? characters : null;
}

/** Collects characters in runs of text. */
class Runs {
  readonly all: VisibleCharacter[][] = [[]];
  #piece = 0;

  /** Ends the run: later characters start a new one. */
  cut(): void {
    if (this.all.at(-1)!.length > 0) this.all.push([]);
  }

  add(characters: readonly SourceCharacter[] | null): void {
    if (characters === null) return this.cut();
    this.#piece += 1;
    const piece = this.#piece;
    for (const character of characters) this.all.at(-1)!.push({ ...character, piece });
  }

  addBreak(range: SourceRange): void {
    this.all.at(-1)!.push({ text: ' ', ...range, piece: -1 });
  }
}

function rangeOf({ position }: Pick<HtmlNodes, 'position'>): SourceRange | null {
  const [start, end] = [position?.start.offset, position?.end.offset];
  return start === undefined || end === undefined ? null : { start, end };
}

/** Elements within which a word may continue. Not `sub` and `sup`: "10³" does not read as "103". */
const INLINE = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong time tt u var wbr'.split(
    ' ',
  ),
);
const WORDLESS = new Set(['script', 'style', 'template', 'textarea', 'noscript']);

function walkHtml(source: string, node: HtmlNodes, runs: Runs): void {
  const range = rangeOf(node);
  if (node.type === 'text') return runs.add(range && charactersOf(source, range, node.value));
  if (node.type === 'comment' || node.type === 'doctype') return;
  if (node.type === 'element' && node.tagName === 'br' && range !== null) return runs.addBreak(range);
  const isInline = node.type === 'element' && INLINE.has(node.tagName);
  if (!isInline) runs.cut();
  const isWordless = node.type === 'element' && WORDLESS.has(node.tagName);
  if ('children' in node && !isWordless) for (const child of node.children) walkHtml(source, child, runs);
  if (!isInline) runs.cut();
}

const PHRASING = new Set<MarkdownNodes['type']>(['link', 'linkReference', 'emphasis', 'strong', 'delete']);

function walkMarkdown(source: string, node: MarkdownNodes, runs: Runs): void {
  const range = rangeOf(node);
  if (node.type === 'text') return runs.add(range && markdownCharacters(source, range, node.value));
  if (node.type === 'break' && range !== null) return runs.addBreak(range);
  if (node.type === 'inlineCode' && range !== null) {
    const at = source.slice(range.start, range.end).indexOf(node.value);
    const start = range.start + at;
    return runs.add(at < 0 ? null : charactersIn(source, start, start + node.value.length));
  }
  const isPhrasing = PHRASING.has(node.type);
  if (!isPhrasing) runs.cut();
  if ('children' in node) for (const child of node.children) walkMarkdown(source, child, runs);
  if (!isPhrasing) runs.cut();
}

function charactersIn(source: string, start: number, end: number): SourceCharacter[] {
  return Array.from(source.slice(start, end)).reduce<SourceCharacter[]>((characters, text) => {
    const at = characters.at(-1)?.end ?? start;
    characters.push({ text, start: at, end: at + text.length });
    return characters;
  }, []);
}

/**
 * The text that readers see, with its positions in the source, in runs: each paragraph, heading or cell is one. Empty for
 * HTML beyond the limits.
 */
export function visibleRuns(source: string, kind: 'plain' | 'markdown' | 'html'): readonly VisibleCharacter[][] {
  const runs = new Runs();
  if (kind === 'plain') {
    runs.add(charactersIn(source, 0, source.length));
  } else if (kind === 'markdown') {
    walkMarkdown(source, readMarkdown(source), runs);
  } else {
    const tree = parseHtmlWithinLimits(source);
    if (tree !== null) walkHtml(source, tree, runs);
  }
  return runs.all;
}
