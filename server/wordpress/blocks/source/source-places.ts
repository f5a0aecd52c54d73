import type { Element, Nodes } from 'hast';
import { type Delimiter, delimitersOf } from '#server/wordpress/blocks/source/block-scan';

type Position = NonNullable<Nodes['position']>;

/** A part of a source, by offsets. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export function rangeOf({ position }: Pick<Nodes, 'position'>): Range | null {
  const [start, end] = [position?.start.offset, position?.end.offset];
  return start === undefined || end === undefined ? null : { start, end };
}

interface TagPositions {
  readonly opening: Position;
  /** Undefined: the element is void, or never closed. */
  readonly closing?: Position | undefined;
  readonly properties?: Readonly<Record<string, Position | undefined>>;
}

/** Positions of the tags of an element in a parsed source. */
export interface Tags {
  readonly opening: Range;
  readonly closing: Range | null;
  attribute(name: string): Range | null;
}

export function tagsOf({ data }: Element): Tags | null {
  const found = (data as { position?: TagPositions } | undefined)?.position;
  const opening = found === undefined ? null : rangeOf({ position: found.opening });
  if (found === undefined || opening === null) return null;
  const at = (position: Position | undefined) => (position === undefined ? null : rangeOf({ position }));
  return { opening, closing: at(found.closing), attribute: (name) => at(found.properties?.[name]) };
}

/** A block in a source: with its delimiters, and the content between them. */
export interface SourceBlock extends Range {
  readonly name: string;
  readonly inside: Range;
}

/** All blocks of a source, the inner ones first. */
export function blocksIn(raw: string): SourceBlock[] {
  const blocks: SourceBlock[] = [];
  const open: Delimiter[] = [];
  for (const delimiter of delimitersOf(raw)) {
    if (delimiter.kind === 'opener') open.push(delimiter);
    const opener = delimiter.kind === 'closer' ? open.pop() : undefined;
    if (opener === undefined) continue;
    const inside = { start: opener.end, end: delimiter.start };
    blocks.push({ name: opener.name, start: opener.start, end: delimiter.end, inside });
  }
  return blocks;
}

/** The block that equals this part of its source, ignoring white space. */
export function blockOf(raw: string, blocks: readonly SourceBlock[], { start, end }: Range): SourceBlock | undefined {
  return blocks.find(
    ({ inside }) =>
      inside.start <= start &&
      inside.end >= end &&
      (raw.slice(inside.start, start) + raw.slice(end, inside.end)).trim() === '',
  );
}
