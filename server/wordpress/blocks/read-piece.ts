import type { Element, Root } from 'hast';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { parseBlock, type RawPiece, withoutDelimiters } from '#server/wordpress/blocks/source/block-scan';
import { isSilentBlock } from '#server/wordpress/blocks/invisible-content';
import { type ClassicContext, cutClassic, readShortcode } from '#server/wordpress/blocks/classic-pieces';
import { classesOf, elementsOf, elementsWithin, findElement, onOneLine, wordsOf } from '#server/markup/html-tree';
import { htmlToMarkdown } from '#server/wordpress/blocks/from-markdown';
import { galleryFields, pictureFields, readQuote } from '#server/wordpress/blocks/block-reader';
import { readForeign, readGroup } from '#server/wordpress/blocks/section-blocks';
import { fittingFields, htmlPiece, htmlPieces, type Piece } from '#server/wordpress/blocks/piece';
import { type Section, type SectionType, sectionTypes } from '#server/core/site/content';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/**
 * Limits the time for parsing one content. A piece costs 5, plus 1 for each of its elements. 4,000 take about half a
 * second: an article of 500 paragraphs with links and formatting. When they are used up, the remaining pieces become
 * `html` sections.
 */
export class ParseBudget {
  #left = 4_000;

  /** True if not even a piece with one element fits any more. */
  get isOver(): boolean {
    return this.#left < 6;
  }

  /** The HTML of a piece; null if it exceeds the parser's limits or the remaining budget. */
  parse(html: string): Root | null {
    const tree = parseHtmlWithinLimits(html);
    const cost = 5 + (tree === null ? 0 : elementsWithin(tree).length);
    const isRead = cost <= this.#left;
    // A piece that does not fit becomes HTML that is only cleaned, at a tenth of the cost.
    this.#left -= isRead ? cost : 5 + cost / 10;
    return isRead ? tree : null;
  }
}

/** A piece and its HTML. */
interface Source {
  readonly raw: string;
  /** Null: outside of all blocks. */
  readonly name: string | null;
  readonly tree: Root;
  readonly context: ClassicContext;
}

function section({ raw, name, context }: Source, type: SectionType, fields: Section['fields'] | null): Piece {
  const fitting = fittingFields(type, fields);
  return fitting === null ? htmlPiece(raw, name, context) : { raw, kind: 'section', type, fields: fitting };
}

/** The only element of a piece; undefined if it has several elements, or text next to the element. */
function onlyElement({ tree }: Source): Element | undefined {
  const elements = elementsOf(tree.children);
  return elements?.length === 1 ? elements[0] : undefined;
}

function readFlow(source: Source): Piece {
  const { raw, name, tree, context } = source;
  const flow = htmlToMarkdown(tree, context);
  if (flow === null) return htmlPiece(raw, name, context);
  return flow.markdown === '' ? { raw, kind: 'silent' } : { raw, kind: 'flow', flow };
}

/** Reads a heading: one line without a link at level 1 or 2 is the name of a section; any other heading is text. */
function readHeading(source: Source, heading: Element): Piece {
  const isLinked = findElement(heading, ({ tagName }) => tagName === 'a' || tagName === 'img') !== undefined;
  const words = onOneLine(wordsOf(heading));
  if (words === '' && !isLinked) return { raw: source.raw, kind: 'silent' };
  const isName =
    /^h[12]$/.test(heading.tagName) && !isLinked && fittingFields('text', { heading: words, body: '' }) !== null;
  return isName ? { raw: source.raw, kind: 'heading', words } : readFlow(source);
}

function readQuotePiece(source: Source, quote: Element): Piece {
  const fields = fittingFields('quote', readQuote(quote));
  const flow = htmlToMarkdown(source.tree, source.context);
  if (flow === null && fields === null) return htmlPiece(source.raw, source.name, source.context);
  return { raw: source.raw, kind: 'quote', flow, fields };
}

/** The section type that our own class on a group names: `throughline-<type>`. */
function markedType(element: Element): SectionType | undefined {
  const classes = classesOf(element);
  if (!classes.includes('wp-block-group')) return undefined;
  return sectionTypes.find((type) => classes.includes(`throughline-${type}`));
}

function readMarked(source: Source, element: Element, type: SectionType): Piece {
  const { raw, name, context } = source;
  const block = name === null ? null : parseBlock(raw.trim(), name);
  return section(source, type, readGroup(type, { nodes: element.children, block, context }, classesOf(element)));
}

function readLatestPosts({ raw, context }: Source): Piece {
  const attributes = parseBlock(raw.trim(), 'core/latest-posts')?.attrs ?? {};
  const isPlain = Object.keys(attributes).every((name) => name === 'postsToShow');
  const count: unknown = attributes['postsToShow'] ?? 5; // WordPress's default
  const fields = isPlain && typeof count === 'number' ? fittingFields('posts-list', { count }) : null;
  const piece = htmlPiece(raw, 'core/latest-posts', context);
  return fields === null ? piece : { raw, kind: 'section', type: 'posts-list', fields };
}

const FLOW_BLOCKS = new Set([
  'core/paragraph',
  'core/list',
  'core/list-item',
  'core/separator',
  'core/code',
  'core/preformatted',
  'core/table',
  'core/verse',
  'core/freeform',
]);

function readElementBlock(source: Source, element: Element): Piece {
  const { raw, name, context } = source;
  const marked = name === 'core/group' ? markedType(element) : undefined;
  if (marked !== undefined) return readMarked(source, element, marked);
  switch (name) {
    case 'core/heading':
      return readHeading(source, element);
    case 'core/quote':
      return readQuotePiece(source, element);
    default: {
      const foreign = name === null ? undefined : readForeign(name, element, context);
      return foreign === undefined ? htmlPiece(raw, name, context) : section(source, foreign.type, foreign.fields);
    }
  }
}

interface NamedPiece {
  readonly raw: string;
  readonly name: string;
}

function readBlock({ raw, name }: NamedPiece, context: ClassicContext, reading: ParseBudget): Piece {
  if (isSilentBlock(name)) return { raw, kind: 'silent' };
  const tree = reading.parse(withoutDelimiters(raw));
  if (tree === null || parseBlock(raw, name) === null) return htmlPiece(raw, name, context);
  const source = { raw, name, tree, context };
  if (name === 'core/latest-posts') return readLatestPosts(source);
  if (FLOW_BLOCKS.has(name)) return readFlow(source);
  const element = onlyElement(source);
  return element === undefined ? htmlPiece(raw, name, context) : readElementBlock(source, element);
}

/** A picture alone in its paragraph, with at most a link to its file. */
function lonePicture(element: Element, context: BlockContext): Section['fields'] | null {
  if (!['p', 'a', 'img', 'figure', 'div'].includes(element.tagName)) return null;
  const figure =
    element.tagName === 'figure' || element.tagName === 'p' || element.tagName === 'div' ? element : undefined;
  return pictureFields(figure ?? { ...element, tagName: 'figure', children: [element] }, context);
}

function readClassic(source: Source): Piece {
  const { raw, context } = source;
  const shortcode = readShortcode(raw, context);
  const fields = shortcode === null ? null : fittingFields(shortcode.type, shortcode.fields);
  if (shortcode !== null && fields !== null) return { raw, kind: 'section', type: shortcode.type, fields };
  const element = onlyElement(source);
  if (element === undefined) return readFlow(source);
  const marked = markedType(element);
  if (marked !== undefined) return readMarked(source, element, marked);
  if (/^h[1-6]$/.test(element.tagName)) return readHeading(source, element);
  if (element.tagName === 'blockquote') return readQuotePiece(source, element);
  if (classesOf(element).includes('wp-block-gallery'))
    return section(source, 'gallery', galleryFields(element, context));
  const picture = fittingFields('image', lonePicture(element, context));
  return picture === null ? readFlow(source) : { raw, kind: 'section', type: 'image', fields: picture };
}

function readFreeform(raw: string, context: ClassicContext, reading: ParseBudget): Piece[] {
  if (raw.trim() === '') return [{ raw, kind: 'silent' }];
  const cut = cutClassic(raw);
  if (cut === null) return [htmlPiece(raw, null, context)];
  const pieces: Piece[] = [];
  for (const { raw: piece, html } of cut) {
    if (reading.isOver) break;
    const tree = reading.parse(html);
    pieces.push(
      tree === null ? htmlPiece(piece, null, context) : readClassic({ raw: piece, name: null, tree, context }),
    );
  }
  const rest = cut.slice(pieces.length).map((piece) => piece.raw);
  return [...pieces, ...htmlPieces(rest, context)];
}

/** Reads a piece of content: a block is one piece, and text outside of blocks is one piece per paragraph. */
export function readPiece({ raw, name, isBroken }: RawPiece, context: ClassicContext, reading: ParseBudget): Piece[] {
  if (isBroken) return [htmlPiece(raw, name, context)];
  return name === null ? readFreeform(raw, context, reading) : [readBlock({ raw, name }, context, reading)];
}

const ALSO_TEXT = new Set<SectionType>(['image', 'quote', 'gallery']);

/**
 * A heading, picture or quote as running text, for content that would have too many sections; other pieces do not
 * change.
 */
export function asFlow(piece: Piece, context: BlockContext): Piece {
  const { raw } = piece;
  if (piece.kind !== 'heading' && !(piece.kind === 'section' && ALSO_TEXT.has(piece.type))) return piece;
  const tree = parseHtmlWithinLimits(withoutDelimiters(raw));
  const flow = tree === null ? null : htmlToMarkdown(tree, context);
  return flow === null || flow.markdown === '' ? piece : { raw, kind: 'flow', flow };
}
