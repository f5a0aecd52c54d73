import { parse } from '@wordpress/block-serialization-default-parser';

/** A delimiter of a block: `<!-- wp:name {...} -->`, `<!-- /wp:name -->` or `<!-- wp:name /-->`. */
export interface Delimiter {
  readonly start: number;
  readonly end: number;
  readonly kind: 'opener' | 'closer' | 'void';
  /** With its namespace: `core/paragraph`. */
  readonly name: string;
}

interface Scan {
  readonly delimiters: readonly Delimiter[];
  /** Number of openers whose attributes never end. */
  readonly unended: number;
}

/** The head of a delimiter, by the grammar of WordPress's parser (packages/block-serialization-default-parser). */
const HEAD = /<!--\s+(\/)?wp:([a-z][a-z0-9_-]*\/)?([a-z][a-z0-9_-]*)\s+/g;
const ATTRIBUTES_END = /\}\s+(\/)?-->/g;
const END = /(\/)?-->/y;

/**
 * All delimiters in one pass. WordPress's own regular expression searches for the end of unended attributes from each
 * opener to the end of the document, which takes minutes for a megabyte of them.
 */
function scan(raw: string): Scan {
  const ends = [...raw.matchAll(ATTRIBUTES_END)];
  const delimiters: Delimiter[] = [];
  let unended = 0;
  let nextEnd = 0;
  HEAD.lastIndex = 0;
  for (let head = HEAD.exec(raw); head !== null; head = HEAD.exec(raw)) {
    const start = head.index;
    const from = HEAD.lastIndex;
    const hasAttributes = raw[from] === '{';
    if (hasAttributes) while (nextEnd < ends.length && (ends[nextEnd]?.index ?? 0) <= from) nextEnd += 1;
    END.lastIndex = from;
    const end = hasAttributes ? ends[nextEnd] : END.exec(raw);
    if (end === null || end === undefined) {
      if (hasAttributes) unended += 1;
      HEAD.lastIndex = start + 4;
      continue;
    }
    const kind = end[1] !== undefined ? 'void' : head[1] !== undefined ? 'closer' : 'opener';
    HEAD.lastIndex = end.index + end[0].length;
    delimiters.push({ start, end: HEAD.lastIndex, kind, name: `${head[2] ?? 'core/'}${head[3]}` });
  }
  return { delimiters, unended };
}

/** All delimiters of a text, in order. */
export function delimitersOf(raw: string): readonly Delimiter[] {
  return scan(raw).delimiters;
}

/** A top-level block of a content, or the markup between two blocks. */
export interface RawPiece {
  readonly raw: string;
  /** Null: HTML outside of all blocks. */
  readonly name: string | null;
  /** Its delimiters do not match, or nest too deeply to be read. */
  readonly isBroken: boolean;
  /** True if it includes everything after it: a block that never closes, or an extra closer. */
  readonly isOpen: boolean;
}

/** Deepest nesting of blocks that is read; real designs nest about ten levels. */
const MAX_BLOCK_DEPTH = 60;
/**
 * Largest number of unended attributes in one content: for each, WordPress's parser scans to the end of the content.
 */
const MAX_UNENDED = 8;

/**
 * Cuts content into its top-level blocks and the markup between them; the pieces joined are the content. The rules are
 * those of WordPress's parser: any closer closes the innermost block, regardless of its name. If WordPress has to guess
 * (an extra closer, a block that never closes), the rest is one broken piece.
 */
export function cutBlocks(raw: string): RawPiece[] {
  const { delimiters, unended } = scan(raw);
  if (unended > MAX_UNENDED) return [{ raw, name: null, isBroken: true, isOpen: true }];
  const pieces: RawPiece[] = [];
  let done = 0;
  let depth = 0;
  let deepest = 0;
  let top: Delimiter | undefined;
  const cut = (to: number, name: string | null, isBroken = false, isOpen = false) => {
    if (to > done) pieces.push({ raw: raw.slice(done, to), name, isBroken, isOpen });
    done = to;
  };
  for (const delimiter of delimiters) {
    const { kind, start, end, name } = delimiter;
    if (depth === 0) {
      cut(start, null);
      if (kind === 'closer') break;
      if (kind === 'void') cut(end, name);
      else {
        top = delimiter;
        depth = deepest = 1;
      }
      continue;
    }
    if (kind === 'opener') depth += 1;
    if (kind === 'closer') depth -= 1;
    deepest = Math.max(deepest, depth);
    if (depth === 0) cut(end, top?.name ?? null, deepest > MAX_BLOCK_DEPTH);
  }
  const isInOrder = depth === 0 && !delimiters.some(({ start }) => start >= done);
  cut(raw.length, depth === 0 ? null : (top?.name ?? null), !isInOrder, !isInOrder);
  return pieces;
}

/** One block in its written parts: joined they are its markup. A block without content consists of an opener only. */
interface BlockParts {
  readonly open: string;
  readonly inner: string;
  readonly close: string;
}

/** Takes one whole block apart; null if it does not begin and end with delimiters. */
export function splitBlock(raw: string): BlockParts | null {
  const { delimiters } = scan(raw);
  const [first, last] = [delimiters[0], delimiters.at(-1)];
  if (first === undefined || last === undefined || first.start !== 0 || last.end !== raw.length) return null;
  if (first.kind === 'void' && first === last) return { open: raw, inner: '', close: '' };
  if (first.kind !== 'opener' || last.kind !== 'closer') return null;
  return { open: raw.slice(0, first.end), inner: raw.slice(first.end, last.start), close: raw.slice(last.start) };
}

/** Markup of a block without its delimiters. */
export function withoutDelimiters(raw: string): string {
  let html = '';
  let done = 0;
  for (const { start, end } of scan(raw).delimiters) {
    html += raw.slice(done, start);
    done = end;
  }
  return html + raw.slice(done);
}

/** Blocks that we wrote, as content without blocks: the line breaks at their delimiters are removed, too. */
export function asClassic(raw: string): string {
  return withoutDelimiters(raw.replaceAll(' -->\n', ' -->').replaceAll('\n<!-- /wp:', '<!-- /wp:'));
}

/** True if content that is appended would become a part of this content. */
export function isOpenAtEnd(raw: string): boolean {
  return cutBlocks(raw).at(-1)?.isOpen === true;
}

/** True if content has blocks: WordPress then does not turn blank lines in it into paragraphs. */
export function hasBlocks(raw: string): boolean {
  return raw.includes('<!-- wp:');
}

export type ParsedBlock = ReturnType<typeof parse>[number];

/** One whole block as WordPress's parser reads it; null if the parser does not read it as exactly that block. */
export function parseBlock(raw: string, name: string): ParsedBlock | null {
  try {
    const [block, ...others] = parse(raw);
    return block?.blockName === name && others.length === 0 ? block : null;
  } catch {
    // The parser's regular expression can overflow the stack on megabytes of attributes.
    return null;
  }
}
