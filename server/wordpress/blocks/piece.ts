import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { withoutDelimiters } from '#server/wordpress/blocks/source/block-scan';
import { cleanHtml } from '#server/wordpress/blocks/clean-html';
import type { Flow } from '#server/wordpress/blocks/from-markdown';
import { checkSectionFields } from '#server/site/section-types';
import type { Section, SectionType } from '#server/core/site/content';

/** A piece of WordPress content (a block, or a paragraph outside of blocks), by its role in a section. */
export type Piece = { readonly raw: string } & (
  | { /** Shows nothing and belongs to the piece before it. */ readonly kind: 'silent' }
  | { /** Begins a text section. */ readonly kind: 'heading'; readonly words: string }
  | { /** Running text. */ readonly kind: 'flow'; readonly flow: Flow }
  | {
      /** Part of a text section if running text is next to it, otherwise a quote section. */ readonly kind: 'quote';
      readonly flow: Flow | null;
      readonly fields: Section['fields'] | null;
    }
  | { readonly kind: 'section'; readonly type: SectionType; readonly fields: Section['fields'] }
);

/** Fields in their stored form; null if they exceed a limit or are incomplete. */
export function fittingFields(type: SectionType, fields: Section['fields'] | null): Section['fields'] | null {
  if (fields === null) return null;
  try {
    return checkSectionFields(type, fields);
  } catch {
    return null;
  }
}

/** Longest block name that is stored, see sections/html/fields. */
const MAX_BLOCK_NAME = 120;

/** Makes an `html` section of a piece that no other section type can represent. */
export function htmlPiece(raw: string, name: string | null, context: BlockContext): Piece {
  const html = cleanHtml(withoutDelimiters(raw), context);
  // `core/html` need not be stored: an `html` section without a block name is written as that block.
  const block = name !== null && name !== 'core/html' && name.length <= MAX_BLOCK_NAME ? name : undefined;
  return { raw, kind: 'section', type: 'html', fields: { html, ...(block !== undefined && { block }) } };
}

/** Largest number of characters of HTML pieces that are combined into one section. */
const MAX_JOINED_CHARS = 100_000;

/** Pieces that are not fully parsed, joined into as few as possible; nothing is lost. */
export function htmlPieces(raws: readonly string[], context: BlockContext): Piece[] {
  const joined: string[] = [];
  for (const raw of raws) {
    const last = joined.at(-1);
    if (last === undefined || last.length + raw.length > MAX_JOINED_CHARS) joined.push(raw);
    else joined[joined.length - 1] = last + raw;
  }
  return joined.map((raw) => htmlPiece(raw, null, context));
}
