import type { Element, Root } from 'hast';
import type { BlockContext } from '#server/blocks/block-context';
import { parseBlock, type RawPiece, withoutDelimiters } from '#server/blocks/block-scan';
import { isSilentBlock } from '#server/blocks/invisible-content';
import { type ClassicContext, cutClassic, readShortcode } from '#server/blocks/classic-pieces';
import { cleanHtml } from '#server/blocks/clean-html';
import { classesOf, elementsOf, elementsWithin, findElement, onOneLine, wordsOf } from '#server/markup/html-tree';
import { type Flow, htmlToMarkdown } from '#server/blocks/from-markdown';
import { readFigure, readGallery, readQuote } from '#server/blocks/block-reader';
import { readCover, readGroup } from '#server/blocks/section-blocks';
import { checkSectionFields } from '#server/content/section-types';
import { type Section, type SectionType, sectionTypes } from '#server/core/content';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** A block of a content by its role in sections. */
export type Piece = { readonly raw: string } & (
  | { /** Shows nothing: it belongs to what stands before. */ readonly kind: 'silent' }
  | { /** Opens a text section. */ readonly kind: 'heading'; readonly words: string }
  | { /** Running text. */ readonly kind: 'flow'; readonly flow: Flow }
  | {
      /** Running text among such, else a quote section. */ readonly kind: 'quote';
      readonly flow: Flow | null;
      readonly fields: Section['fields'] | null;
    }
  | { readonly kind: 'section'; readonly type: SectionType; readonly fields: Section['fields'] }
);

/** Fields as they would be stored; null where they break a limit or are not whole. */
export function fittingFields(type: SectionType, fields: Section['fields'] | null): Section['fields'] | null {
  if (fields === null) return null;
  try {
    return checkSectionFields(type, fields);
  } catch {
    return null;
  }
}

/** Longest name of a block that is kept, see server/core/section-fields. */
const MAX_BLOCK_NAME = 120;

/** A piece that no other section type can hold. */
export function htmlPiece(raw: string, name: string | null, context: BlockContext): Piece {
  const html = cleanHtml(withoutDelimiters(raw), context);
  // An HTML block is what we write such a section as.
  const block = name !== null && name !== 'core/html' && name.length <= MAX_BLOCK_NAME ? name : undefined;
  return { raw, kind: 'section', type: 'html', fields: { html, ...(block !== undefined && { block }) } };
}

/** Characters of HTML pieces that are put together in one section. */
const TOGETHER = 100_000;

/** Pieces that are not read closely, joined into as few as possible; nothing is lost. */
export function htmlPieces(raws: readonly string[], context: BlockContext): Piece[] {
  const joined: string[] = [];
  for (const raw of raws) {
    const last = joined.at(-1);
    if (last === undefined || last.length + raw.length > TOGETHER) joined.push(raw);
    else joined[joined.length - 1] = last + raw;
  }
  return joined.map((raw) => htmlPiece(raw, null, context));
}

/**
 * Budget for reading one content closely: a piece costs as much as five elements, and 4,000 take half a second. That is
 * an article of 500 paragraphs with links and marks; what comes after it is HTML.
 */
export class Reading {
  #left = 4_000;

  get isOver(): boolean {
    return this.#left < 6;
  }

  /** The HTML of a piece; null where it is beyond the parser's limits, or more than is left to be read. */
  parse(html: string): Root | null {
    const tree = parseHtmlWithinLimits(html);
    const cost = 5 + (tree === null ? 0 : elementsWithin(tree).length);
    const isRead = cost <= this.#left;
    // What is only cleaned takes a tenth.
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

/** The one element of a piece; undefined where there are several, or words beside it. */
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

/** Reads a heading: one line without a link is the name of a section, unless its level is above 2: then it is text. */
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

/** Our mark on an element. */
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
    case 'core/image':
      return section(source, 'image', asFields(readFigure(element, context)));
    case 'core/gallery':
      return section(source, 'gallery', galleryFields(element, context));
    case 'core/quote':
      return readQuotePiece(source, element);
    case 'core/pullquote':
      return section(source, 'quote', readQuote(element));
    case 'core/cover':
      return section(source, 'hero', readCover(element, context));
    default:
      return htmlPiece(raw, name, context);
  }
}

function asFields(picture: ReturnType<typeof readFigure>): Section['fields'] | null {
  return picture === null ? null : { ...picture };
}

function galleryFields(element: Element, context: BlockContext): Section['fields'] | null {
  const images = readGallery(element, context)?.map((picture) => ({ ...picture }));
  return images === undefined ? null : { images };
}

interface NamedPiece {
  readonly raw: string;
  readonly name: string;
}

function readBlock({ raw, name }: NamedPiece, context: ClassicContext, reading: Reading): Piece {
  if (isSilentBlock(name)) return { raw, kind: 'silent' };
  const tree = reading.parse(withoutDelimiters(raw));
  if (tree === null || parseBlock(raw, name) === null) return htmlPiece(raw, name, context);
  const source = { raw, name, tree, context };
  if (name === 'core/latest-posts') return readLatestPosts(source);
  if (FLOW_BLOCKS.has(name)) return readFlow(source);
  const element = onlyElement(source);
  return element === undefined ? htmlPiece(raw, name, context) : readElementBlock(source, element);
}

/** A picture alone in its paragraph, with a link to its file at most. */
function lonePicture(element: Element, context: BlockContext): Section['fields'] | null {
  if (!['p', 'a', 'img', 'figure', 'div'].includes(element.tagName)) return null;
  const figure =
    element.tagName === 'figure' || element.tagName === 'p' || element.tagName === 'div' ? element : undefined;
  return asFields(readFigure(figure ?? { ...element, tagName: 'figure', children: [element] }, context));
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

function readFreeform(raw: string, context: ClassicContext, reading: Reading): Piece[] {
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

/** Reads a piece of content: a block is one piece, and text outside of blocks has one for each paragraph. */
export function readPiece(
  { raw, name, isBroken }: Omit<RawPiece, 'isOpen'>,
  context: ClassicContext,
  reading: Reading,
): Piece[] {
  if (isBroken) return [htmlPiece(raw, name, context)];
  return name === null ? readFreeform(raw, context, reading) : [readBlock({ raw, name }, context, reading)];
}

const ALSO_TEXT = new Set<SectionType>(['image', 'quote', 'gallery']);

/** A heading, picture or quote as running text, for content that would have too many sections; all else as it is. */
export function asFlow(piece: Piece, context: BlockContext): Piece {
  const { raw } = piece;
  if (piece.kind !== 'heading' && !(piece.kind === 'section' && ALSO_TEXT.has(piece.type))) return piece;
  const tree = parseHtmlWithinLimits(withoutDelimiters(raw));
  const flow = tree === null ? null : htmlToMarkdown(tree, context);
  return flow === null || flow.markdown === '' ? piece : { raw, kind: 'flow', flow };
}
