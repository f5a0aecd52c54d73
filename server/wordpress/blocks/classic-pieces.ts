import type { RootContent } from 'hast';
import type { SectionContent } from '#server/core/site/content';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { attribute, childrenOf, findElement, onOneLine, wordsOf } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** A piece of content without blocks, in its source and in the form that WordPress shows. */
export interface ClassicPiece {
  readonly raw: string;
  readonly html: string;
}

/**
 * Elements that are separate pieces; text around them becomes paragraphs (WordPress's wpautop has the same list, and
 * more).
 */
const OWN_BLOCKS = new Set(
  (
    'address article aside audio blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr ' +
    'iframe main nav ol p pre script section style table ul video'
  ).split(' '),
);

function isOwnBlock(node: RootContent): boolean {
  return node.type === 'comment' || (node.type === 'element' && OWN_BLOCKS.has(node.tagName));
}

/** Gaps between paragraphs: empty lines, and line breaks before and after a picture with a caption. */
const GAPS = /\n[ \t\r]*\n\s*|\n[ \t\r]*(?=\[caption\b)|(?<=\[\/caption\])[ \t\r]*\n\s*/g;

/** Offsets in `raw` at which pieces begin; null if the parser moved elements, which makes offsets meaningless. */
function startsOf(raw: string, nodes: readonly RootContent[]): { at: number; isBlock: boolean }[] | null {
  const starts: { at: number; isBlock: boolean }[] = [];
  let last = -1;
  let isNew = true;
  for (const [index, node] of nodes.entries()) {
    const at = node.position?.start.offset;
    if (at === undefined || at <= last || at > raw.length) return null;
    last = at;
    const isBlock = isOwnBlock(node);
    if (isBlock || isNew) starts.push({ at: starts.length === 0 ? 0 : at, isBlock });
    isNew = isBlock;
    if (node.type !== 'text') continue;
    const end = nodes[index + 1]?.position?.start.offset ?? raw.length;
    for (const gap of raw.slice(at, end).matchAll(GAPS)) {
      const next = at + gap.index + gap[0].length;
      if (next < end) starts.push({ at: next, isBlock: false });
      else isNew = true;
    }
  }
  return starts;
}

/** Text with its line breaks as WordPress shows them. */
function paragraph(words: string): string {
  const text = words.trim();
  return text === '' ? '' : `<p>${text.replace(/\r?\n/g, '<br>')}</p>`;
}

/**
 * Cuts content without blocks into paragraphs (separated by empty lines) and block elements; the pieces joined are the
 * content. Null if its HTML cannot be parsed.
 */
export function cutClassic(raw: string): ClassicPiece[] | null {
  const tree = parseHtmlWithinLimits(raw);
  if (tree === null) return null;
  const starts = startsOf(raw, tree.children);
  if (starts === null || starts.length === 0) return [{ raw, html: raw }];
  return starts.map(({ at, isBlock }, index) => {
    const piece = raw.slice(at, starts[index + 1]?.at);
    return { raw: piece, html: isBlock ? piece : paragraph(piece) };
  });
}

/** A picture of the site's library, referred to by `[gallery ids]`. */
export interface ClassicPicture {
  /** Local address. */
  readonly src: string;
  readonly alt: string;
  readonly caption?: string | undefined;
}

/** A context for content without blocks, which may refer to library pictures by id. */
export interface ClassicContext extends BlockContext {
  /** A picture by its id in the site's library; undefined if it is unknown. Omitted: galleries remain text. */
  readonly picture?: ((id: number) => ClassicPicture | undefined) | undefined;
}

type Found = SectionContent;

const CAPTION = /^\[caption\b([^\]]*)\]([^]*)\[\/caption\]$/;
const GALLERY = /^\[gallery\b([^\]]*)\]$/;

function captioned(words: string, context: BlockContext): Found | null {
  const [, attributes = '', inside] = CAPTION.exec(words) ?? [];
  const tree = inside === undefined ? null : parseHtmlWithinLimits(inside);
  const image = tree === null ? undefined : findElement(tree, ({ tagName }) => tagName === 'img');
  if (tree === null || image === undefined) return null;
  // Before WordPress 3.4 the caption was an attribute.
  const old = /\bcaption="([^"]*)"/.exec(attributes)?.[1] ?? '';
  const caption = onOneLine(childrenOf(tree).map(wordsOf).join('')) || old;
  const src = context.toLocal(attribute(image, 'src') ?? '');
  const alt = onOneLine(attribute(image, 'alt') ?? '');
  return { type: 'image', fields: { src, alt, ...(caption !== '' && { caption }) } };
}

function gallery(words: string, { picture }: ClassicContext): Found | null {
  const attributes = GALLERY.exec(words)?.[1];
  const ids =
    /\bids=["']?([\d,\s]+)/
      .exec(attributes ?? '')?.[1]
      ?.split(',')
      .map(Number) ?? [];
  if (picture === undefined || ids.length === 0) return null;
  const pictures = ids.map((id) => picture(id)).filter((found) => found !== undefined);
  const images = pictures.map(({ src, alt, caption }) => ({ src, alt, ...(caption !== undefined && { caption }) }));
  return images.length === 0 ? null : { type: 'gallery', fields: { images } };
}

/** Section for a shortcode; null for shortcodes of plugins. */
export function readShortcode(raw: string, context: ClassicContext): Found | null {
  const words = raw.trim();
  return captioned(words, context) ?? gallery(words, context);
}
