import type { Element, Nodes } from 'hast';
import { type Delimiter, delimitersOf } from '#server/blocks/block-scan';
import { decodeCharacterReference } from '#server/markup/parse-html';

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
  /** Undefined: it is void, or is never closed. */
  readonly closing?: Position | undefined;
  readonly properties?: Readonly<Record<string, Position | undefined>>;
}

/** Places of the tags of an element of a closely parsed source. */
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

/** One character of a text as it is written: `&amp;` is one. */
export interface SourceCharacter extends Range {
  readonly text: string;
}

const REFERENCE = /^&(?:#x[\da-f]{1,8}|#\d{1,8}|[a-z][a-z\d]{1,31});?/i;

/** The characters of a text node; null where they are not what the parser made of them. */
export function charactersOf(raw: string, { start, end }: Range, value: string): SourceCharacter[] | null {
  const characters: SourceCharacter[] = [];
  for (let at = start; at < end;) {
    const reference = raw[at] === '&' ? REFERENCE.exec(raw.slice(at, Math.min(end, at + 40)))?.[0] : undefined;
    const decoded = reference === undefined ? null : decodeCharacterReference(reference);
    const length = decoded === null ? (raw.startsWith('\r\n', at) ? 2 : 1) : reference!.length;
    const text = decoded ?? (raw[at] === '\r' ? '\n' : raw[at]!);
    characters.push({ text, start: at, end: at + length });
    at += length;
  }
  return characters.map(({ text }) => text).join('') === value ? characters : null;
}

/** A block in a source: with its delimiters, and what is between them. */
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

/** The block that consists of this part of its source, white space aside. */
export function blockOf(raw: string, blocks: readonly SourceBlock[], { start, end }: Range): SourceBlock | undefined {
  return blocks.find(
    ({ inside }) =>
      inside.start <= start &&
      inside.end >= end &&
      (raw.slice(inside.start, start) + raw.slice(end, inside.end)).trim() === '',
  );
}
