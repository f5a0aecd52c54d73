import { cutBlocks, hasBlocks, type RawPiece } from '#server/blocks/block-scan';

/* Blocks that show nothing: white space, spacers, the end of a teaser or of a page. They stay where they are. */

/** Blocks that show nothing, or split a text in ways that only its theme knows. */
const SILENT_BLOCKS = new Set(['core/spacer', 'core/more', 'core/nextpage']);

export function isSilentBlock(name: string): boolean {
  return SILENT_BLOCKS.has(name);
}

function isShown({ name, raw }: RawPiece): boolean {
  return name === null ? raw.trim() !== '' : !isSilentBlock(name);
}

/** Marks of classic content that show nothing: the end of a teaser, or of a page. */
const SILENT_MARKS = /<!--(?:more|nextpage)[^<>]*-->/g;
const SILENT_MARK = new RegExp(`^${SILENT_MARKS.source}$`);

function classicCore(raw: string): string {
  const core = raw.trim();
  const first = core.startsWith('<!--') ? core.slice(0, core.indexOf('-->') + 3) : '';
  if (SILENT_MARK.test(first)) return classicCore(core.slice(first.length));
  const last = core.endsWith('-->') ? core.slice(Math.max(0, core.lastIndexOf('<!--'))) : '';
  return SILENT_MARK.test(last) ? classicCore(core.slice(0, -last.length)) : core;
}

/** Markup of a section without what shows nothing at its ends. */
export function coreOf(raw: string): string {
  if (!hasBlocks(raw)) return classicCore(raw);
  const pieces = cutBlocks(raw);
  const [from, to] = [pieces.findIndex(isShown), pieces.findLastIndex(isShown) + 1];
  return pieces
    .slice(Math.max(from, 0), to)
    .map((piece) => piece.raw)
    .join('')
    .trim();
}

/** All of a content that shows nothing, without the white space. */
export function silenceIn(raw: string): string {
  if (!hasBlocks(raw)) return (raw.match(SILENT_MARKS) ?? []).join('\n');
  const silent = cutBlocks(raw).filter((piece) => !isShown(piece));
  return silent.flatMap((piece) => piece.raw.trim() || []).join('\n');
}
