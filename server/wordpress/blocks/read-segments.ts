import type { RootContent as MarkdownNode } from 'mdast';
import { cutBlocks } from '#server/wordpress/blocks/source/block-scan';
import type { ClassicContext } from '#server/wordpress/blocks/classic-pieces';
import { asFlow, ParseBudget, readPiece } from '#server/wordpress/blocks/read-piece';
import { fittingFields, htmlPiece, htmlPieces, type Piece } from '#server/wordpress/blocks/piece';
import { MAX_SECTIONS } from '#server/site/entry-document';
import { writeMarkdown } from '#server/wordpress/blocks/from-markdown';
import type { Section, SectionType } from '#server/core/site/content';

/** A piece of block markup and its section. The `raw` of all segments, joined, is the content byte for byte. */
export interface Segment {
  readonly raw: string;
  readonly type: SectionType;
  readonly fields: Section['fields'];
}

/** The content of joined pieces of block markup, byte for byte. */
export function contentOf(pieces: readonly { readonly raw: string }[]): string {
  return pieces.map(({ raw }) => raw).join('');
}

/** A segment, and the id of our section for it. */
export interface KnownSegment extends Segment {
  readonly sectionId: string;
}

/** Invisible markup (white space, a spacer, the end of a teaser) around visible markup: it keeps its place. */
export interface Silence {
  readonly lead: string;
  readonly tail: string;
}

/** Invisible markup that is kept when the markup inside it is removed: everything except white space. */
export function residueOf({ lead, tail }: Silence): string[] {
  return [lead.trim(), tail.trim()].filter((silence) => silence !== '');
}

/** A block of a text section. */
export interface TextPart extends Silence {
  /** Without the invisible markup around it. */
  readonly raw: string;
  /** True for the section's heading; false for a part of its body. */
  readonly isHeading: boolean;
  /** Its Markdown blocks in the body. */
  readonly nodes: readonly MarkdownNode[];
}

export interface ReadSegment extends Segment, Silence {
  /** Blocks of a text section, unless they are in a group. */
  readonly parts?: readonly TextPart[];
}

/**
 * Longest body into which blocks are gathered; the text then continues in another section. Less than the 50,000
 * characters of the field, because the Markdown of several blocks can be longer than the sum of them.
 */
const MAX_GATHERED_LENGTH = 45_000;
/** Gathers pieces into sections. */
class Gathering {
  readonly segments: ReadSegment[] = [];
  readonly #context: ClassicContext;
  #heading: string | undefined;
  #parts: TextPart[] = [];
  #length = 0;
  /** Invisible markup before any other piece. */
  #lead = '';

  constructor(context: ClassicContext) {
    this.#context = context;
  }

  get isInText(): boolean {
    return this.#parts.length > 0;
  }

  #takeLead(): Silence {
    const lead = this.#lead;
    this.#lead = '';
    return { lead, tail: '' };
  }

  silent(raw: string): void {
    const part = this.#parts.pop();
    const segment = part === undefined ? this.segments.pop() : undefined;
    if (part !== undefined) this.#parts.push({ ...part, tail: part.tail + raw });
    else if (segment !== undefined) this.segments.push(withTail(segment, raw));
    else this.#lead += raw;
  }

  heading(raw: string, words: string): void {
    this.endText();
    this.#heading = words;
    this.#parts.push({ ...this.#takeLead(), raw, isHeading: true, nodes: [] });
  }

  flow(raw: string, nodes: readonly MarkdownNode[], length: number): void {
    if (this.#length + length > MAX_GATHERED_LENGTH) this.endText();
    this.#length += length + 2;
    this.#parts.push({ ...this.#takeLead(), raw, isHeading: false, nodes });
  }

  section(segment: Segment): void {
    this.endText();
    const silence = this.#takeLead();
    this.segments.push({ ...segment, ...silence, raw: silence.lead + segment.raw });
  }

  endText(): void {
    const parts = this.#parts;
    if (parts.length === 0) return;
    const raw = parts.map((part) => part.lead + part.raw + part.tail).join('');
    const silence = { lead: parts[0]?.lead ?? '', tail: parts.at(-1)?.tail ?? '' };
    const body = writeMarkdown(parts.flatMap(({ nodes }) => nodes));
    const heading = this.#heading;
    const fields = fittingFields('text', { ...(heading !== undefined && { heading }), body });
    const piece = fields === null ? htmlPiece(raw, null, this.#context) : null;
    if (fields !== null) this.segments.push({ ...silence, raw, type: 'text', fields, parts });
    else if (piece?.kind === 'section') this.segments.push({ ...silence, raw, type: piece.type, fields: piece.fields });
    this.#parts = [];
    this.#heading = undefined;
    this.#length = 0;
  }

  /** All sections; content that shows nothing becomes one empty text. */
  end(): ReadSegment[] {
    this.endText();
    if (this.#lead !== '') {
      const silence = this.#takeLead();
      this.segments.push({ ...silence, raw: silence.lead, type: 'text', fields: { body: '' } });
    }
    return this.segments;
  }
}

function withTail(segment: ReadSegment, raw: string): ReadSegment {
  const { parts } = segment;
  const last = parts?.at(-1);
  const more = { ...segment, raw: segment.raw + raw, tail: segment.tail + raw };
  if (parts === undefined || last === undefined) return more;
  return { ...more, parts: [...parts.slice(0, -1), { ...last, tail: last.tail + raw }] };
}

/** True if the next visible piece is running text. */
function goesOnAsText(pieces: readonly Piece[], index: number): boolean {
  return pieces.slice(index + 1).find(({ kind }) => kind !== 'silent')?.kind === 'flow';
}

function piecesOf(raw: string, context: ClassicContext, reading: ParseBudget): Piece[] {
  const pieces: Piece[] = [];
  const rest: string[] = [];
  for (const cut of cutBlocks(raw)) {
    if (reading.isOver || rest.length > 0) rest.push(cut.raw);
    else pieces.push(...readPiece(cut, context, reading));
  }
  return [...pieces, ...htmlPieces(rest, context)];
}

function gathered(pieces: readonly Piece[], context: ClassicContext): ReadSegment[] {
  const gathering = new Gathering(context);
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'silent') gathering.silent(piece.raw);
    else if (piece.kind === 'heading') gathering.heading(piece.raw, piece.words);
    else if (piece.kind === 'section') gathering.section(piece);
    else if (piece.kind === 'flow') gathering.flow(piece.raw, piece.flow.nodes, piece.flow.markdown.length);
    else {
      const { flow, fields } = piece;
      const isInText = gathering.isInText || goesOnAsText(pieces, index);
      if (flow !== null && (fields === null || isInText)) gathering.flow(piece.raw, flow.nodes, flow.markdown.length);
      else if (fields !== null) gathering.section({ raw: piece.raw, type: 'quote', fields });
    }
  }
  return gathering.end();
}

/** The segments within the limit of an entry; the last one includes the excess. */
function withinLimit(segments: readonly ReadSegment[], context: ClassicContext): ReadSegment[] {
  if (segments.length <= MAX_SECTIONS) return [...segments];
  const raw = segments
    .slice(MAX_SECTIONS - 1)
    .map((segment) => segment.raw)
    .join('');
  const rest = htmlPiece(raw, null, context);
  const last = rest.kind === 'section' ? [rest] : [];
  const silence = { lead: '', tail: segments.at(-1)?.tail ?? '' };
  return [
    ...segments.slice(0, MAX_SECTIONS - 1),
    ...last.map(({ type, fields }) => ({ ...silence, raw, type, fields })),
  ];
}

/** Like `readBlocks`, with the blocks of each text section. @param reading remaining budget for full parsing */
export function readSegments(raw: string, context: ClassicContext, reading = new ParseBudget()): ReadSegment[] {
  const pieces = piecesOf(raw, context, reading);
  const segments = gathered(pieces, context);
  if (segments.length <= MAX_SECTIONS) return segments;
  const coarse = pieces.map((piece) => asFlow(piece, context));
  return withinLimit(gathered(coarse, context), context);
}

/**
 * Content of WordPress (`content.raw`) as sections; their `raw`, joined, is the content byte for byte. A heading of
 * level 1 or 2 begins a text section, and the running text after it belongs to that section; content that no type can
 * represent is an `html` section. Never throws, for any markup.
 */
export function readBlocks(raw: string, context: ClassicContext): Segment[] {
  return readSegments(raw, context).map(({ raw: piece, type, fields }) => ({ raw: piece, type, fields }));
}
