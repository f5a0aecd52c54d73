import type { Element } from 'hast';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { buttonBlock, imageBlock } from '#server/wordpress/blocks/block-markup';
import { BlockReader, type Fields, present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, prose } from '#server/wordpress/blocks/text-blocks';
import { attribute, classesOf, elementsOf, findElement, isElement, onOneLine } from '#server/markup/html-tree';

function read(reader: BlockReader): Fields {
  const picture = reader.picture();
  const heading = reader.heading('h1', 'h2', 'h3');
  const subheading = reader.prose();
  const button = reader.button();
  return present({
    heading,
    subheading,
    image: picture?.src,
    imageAlt: picture?.alt === '' ? undefined : picture?.alt,
    ctaLabel: button?.label,
    ctaHref: button?.href,
  });
}

/** A cover block as a hero: its picture, and in it at most a heading, text and a button. */
function readCover(cover: Element, context: BlockContext): Fields | null {
  const image = findElement(cover, ({ tagName }) => tagName === 'img');
  const inner = cover.children.find(
    (node): node is Element => isElement(node) && classesOf(node).includes('wp-block-cover__inner-container'),
  );
  const src = image === undefined ? undefined : attribute(image, 'src');
  const elements = elementsOf(inner?.children ?? []);
  if (elements === null || src === undefined) return null;
  const reader = new BlockReader(elements, context);
  const words = read(reader);
  const alt = onOneLine(image === undefined ? '' : (attribute(image, 'alt') ?? ''));
  if (!reader.isAtEnd || words['image'] !== undefined) return null;
  return { ...words, image: context.toLocal(src), ...(alt !== '' && { imageAlt: alt }) };
}

export const heroBlocks: SectionMapping<'hero'> = {
  write: ({ heading, subheading, image, imageAlt, ctaLabel, ctaHref }, context) => [
    ...(image === undefined ? [] : [imageBlock({ src: image, alt: imageAlt ?? '' }, context)]),
    ...headings(heading),
    ...prose(subheading),
    ...(ctaLabel === undefined ? [] : [buttonBlock(ctaLabel, ctaHref, context)]),
  ],
  read,
  foreign: { 'core/cover': readCover },
};
