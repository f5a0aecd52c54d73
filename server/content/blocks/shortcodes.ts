import type { BlockContext } from '#server/content/blocks/block-context';
import { attribute, childrenOf, findElement, oneLine, wordsOf } from '#server/content/blocks/html-tree';
import type { Section } from '#server/core/content';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** A picture of the site's library, as `[gallery ids]` names it. */
export interface ClassicPicture {
  /** Our address of it. */
  readonly src: string;
  readonly alt: string;
  readonly caption?: string | undefined;
}

export interface ClassicContext extends BlockContext {
  /** A picture by its id in the site's library; undefined where it is not known. Left out: galleries stay text. */
  readonly picture?: ((id: number) => ClassicPicture | undefined) | undefined;
}

type Found = Pick<Section, 'type' | 'fields'>;

const CAPTION = /^\[caption\b([^\]]*)\]([^]*)\[\/caption\]$/;
const GALLERY = /^\[gallery\b([^\]]*)\]$/;

function captioned(words: string, context: BlockContext): Found | null {
  const [, attributes = '', inside] = CAPTION.exec(words) ?? [];
  const tree = inside === undefined ? null : parseHtmlWithinLimits(inside);
  const image = tree === null ? undefined : findElement(tree, ({ tagName }) => tagName === 'img');
  if (tree === null || image === undefined) return null;
  // Before WordPress 3.4 the caption was an attribute.
  const old = /\bcaption="([^"]*)"/.exec(attributes)?.[1] ?? '';
  const caption = oneLine(childrenOf(tree).map(wordsOf).join('')) || old;
  const src = context.toLocal(attribute(image, 'src') ?? '');
  const alt = oneLine(attribute(image, 'alt') ?? '');
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

/** The section that a shortcode on its own stands for; null for those that only a plugin knows. */
export function readShortcode(raw: string, context: ClassicContext): Found | null {
  const words = raw.trim();
  return captioned(words, context) ?? gallery(words, context);
}
