import { saysTheSame } from '#server/wordpress/blocks/markup-meaning';
import { cutBlocks, hasBlocks, type RawPiece } from '#server/wordpress/blocks/source/block-scan';

/* Blocks that show nothing: white space, spacers, the end of a teaser or of a page. They keep their places. */

/** Blocks that show nothing, or that split a text in a way that depends on the theme. */
const SILENT_BLOCKS = new Set(['core/spacer', 'core/more', 'core/nextpage']);

export function isSilentBlock(name: string): boolean {
  return SILENT_BLOCKS.has(name);
}

function isShown({ name, raw }: RawPiece): boolean {
  return name === null ? raw.trim() !== '' : !isSilentBlock(name);
}

/** Marks in classic content that show nothing: the end of a teaser, or of a page. */
const SILENT_MARKS = /<!--(?:more|nextpage)[^<>]*-->/g;
const SILENT_MARK = new RegExp(`^${SILENT_MARKS.source}$`);

function classicCore(raw: string): string {
  const core = raw.trim();
  const first = core.startsWith('<!--') ? core.slice(0, core.indexOf('-->') + 3) : '';
  if (SILENT_MARK.test(first)) return classicCore(core.slice(first.length));
  const last = core.endsWith('-->') ? core.slice(Math.max(0, core.lastIndexOf('<!--'))) : '';
  return SILENT_MARK.test(last) ? classicCore(core.slice(0, -last.length)) : core;
}

/** A section's markup in three parts that, joined, are the markup byte for byte. */
interface FramedMarkup {
  /** Invisible markup before the core: white space, spacers, the end of a teaser. */
  readonly lead: string;
  readonly core: string;
  /** Invisible markup after the core. */
  readonly tail: string;
}

/** Separates a section's markup from the invisible markup at its ends. */
export function framedMarkup(raw: string): FramedMarkup {
  const core = coreOf(raw);
  const at = raw.indexOf(core);
  return { lead: raw.slice(0, at), core, tail: raw.slice(at + core.length) };
}

/** Markup of a section without the invisible markup at its ends. */
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

/** The invisible markup in a content, in order, without the white space. */
function silencesIn(raw: string): string[] {
  if (!hasBlocks(raw)) return raw.match(SILENT_MARKS) ?? [];
  const silent = cutBlocks(raw).filter((piece) => !isShown(piece));
  return silent.flatMap((piece) => piece.raw.trim() || []);
}

/** `silencesIn` as one text, for comparisons. */
export function silenceIn(raw: string): string {
  return silencesIn(raw).join('\n');
}

/** The items of a list without those of another; each of those removes one item. */
function without(list: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return list.filter((item) => {
    const at = left.findIndex((other) => saysTheSame(item, other));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Markup without one invisible block. */
function withoutSilence(raw: string, silence: string): string {
  const there = silencesIn(raw).find((other) => saysTheSame(other, silence));
  return there === undefined ? raw : raw.replace(there, () => '');
}

/** The markup `raw` with the surrounding white space of `present`. */
function spacedAs(present: string, raw: string): string {
  const [start, end] = [present.length - present.trimStart().length, present.trimEnd().length];
  return present.trim() === '' ? raw.trim() + present : present.slice(0, start) + raw.trim() + present.slice(end);
}

/**
 * Former markup of a section that replaces its current one. The current invisible markup around it is kept: it may have
 * changed since, or have come from a neighbour that was removed.
 */
export function withFormerMarkup(present: string, former: string): string {
  const { lead, core, tail } = framedMarkup(present);
  if (saysTheSame(silenceIn(present), silenceIn(former))) return spacedAs(present, former);
  const formerCore = coreOf(former);
  const [inside, formerInside] = [silencesIn(core), silencesIn(formerCore)];
  // Invisible markup that an edit has moved from within the section to its end would be duplicated; in the opposite
  // case it would be lost.
  const restored = without(formerInside, inside);
  const framing = (raw: string) => restored.reduce(withoutSilence, raw);
  const gone = without(inside, formerInside).map((silence) => `\n\n${silence}`);
  return framing(lead) + formerCore + gone.join('') + framing(tail);
}
