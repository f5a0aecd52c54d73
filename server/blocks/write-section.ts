import type { BlockContext } from '#server/blocks/block-context';
import {
  block,
  buttonBlock,
  classOfTag,
  galleryBlock,
  group,
  headingBlock,
  imageBlock,
  inRow,
  paragraphBlock,
  proseBlocks,
  voidBlock,
} from '#server/blocks/block-markup';
import { htmlForSite } from '#server/blocks/clean-html';
import { escapeText } from '#server/markup/html-tree';
import { markdownToBlocks } from '#server/blocks/markdown-to-blocks';
import type { Section } from '#server/core/content';
import type { SectionFields, TypedSection } from '#server/core/section-fields';

type Text = string | undefined;

function headings(heading: Text, level = 2): string[] {
  return heading === undefined ? [] : [headingBlock(escapeText(heading), level)];
}

function prose(text: Text): string[] {
  return text === undefined ? [] : proseBlocks(text);
}

function hero(fields: SectionFields<'hero'>, context: BlockContext): string[] {
  const { heading, subheading, image, imageAlt, ctaLabel, ctaHref } = fields;
  return [
    ...(image === undefined ? [] : [imageBlock({ src: image, alt: imageAlt ?? '' }, context)]),
    ...headings(heading),
    ...prose(subheading),
    ...(ctaLabel === undefined ? [] : [buttonBlock(ctaLabel, ctaHref, context)]),
  ];
}

/** Whose words they are stands on the first line of `cite`, who that is on the second. */
function quote({ quote: words, author, role }: SectionFields<'quote'>): string {
  const lines = [author ?? '', ...(role === undefined ? [] : [role])].map(escapeText).join('<br>');
  const cite = lines === '' ? '' : `<cite>${lines}</cite>`;
  return block('quote', `<blockquote class="wp-block-quote">${inRow(proseBlocks(words))}${cite}</blockquote>`);
}

/** WordPress has no block for forms: what would be asked, as a list. */
function form({ heading, intro, fields, submitLabel }: SectionFields<'form'>): string[] {
  const items = fields.map(({ label, kind, required }) => {
    const className = `throughline-${kind}${required ? ' throughline-required' : ''}`;
    return block('list-item', `<li class="${className}">${escapeText(label)}</li>`, { className });
  });
  return [
    ...headings(heading),
    ...prose(intro),
    block('list', `<ul>${inRow(items)}</ul>`),
    paragraphBlock(`<strong>${escapeText(submitLabel)}</strong>`),
  ];
}

function postsList({ heading, count, tag }: SectionFields<'posts-list'>): string[] {
  const className = tag === undefined ? undefined : classOfTag(tag);
  return [...headings(heading), voidBlock('latest-posts', { postsToShow: count, className })];
}

function titled(items: readonly (readonly [string, string])[]): string[] {
  return items.flatMap(([title, text]) => [...headings(title, 3), ...prose(text)]);
}

/** The blocks of a text: its heading, and its body. */
export function textBlocks({ heading, body }: SectionFields<'text'>, context: BlockContext): string[] {
  return [...headings(heading), ...markdownToBlocks(body, context).map(({ raw }) => raw)];
}

/**
 * A section as block markup of WordPress's own blocks, without a line break at its end; every theme shows all its
 * words. A text is blocks on their own, a picture an image block, HTML an HTML block; all else is a group with the
 * class `throughline-<type>`, by which `readBlocks` knows it again.
 */
export function writeSection(section: Section, context: BlockContext): string {
  // Every write of ours checks the fields against the type, see server/content/section-types.
  const { type, fields } = section as TypedSection;
  const mark = `throughline-${type}`;
  switch (type) {
    case 'text':
      return inRow(textBlocks(fields, context));
    case 'image':
      return imageBlock(fields, context);
    case 'html':
      return block('html', htmlForSite(fields.html, context));
    case 'hero':
      return group(mark, hero(fields, context));
    case 'gallery':
      return group(mark, [...headings(fields.heading), galleryBlock(fields.images, context)]);
    case 'features': {
      const items = fields.items.map(({ title, body }) => [title, body] as const);
      return group(mark, [...headings(fields.heading), ...prose(fields.intro), ...titled(items)]);
    }
    case 'faq': {
      const items = fields.items.map(({ question, answer }) => [question, answer] as const);
      return group(mark, [...headings(fields.heading), ...titled(items)]);
    }
    case 'quote':
      return group(mark, [quote(fields)]);
    case 'call-to-action':
      return group(mark, [
        ...headings(fields.heading),
        ...prose(fields.body),
        buttonBlock(fields.buttonLabel, fields.buttonHref, context),
      ]);
    case 'form':
      return group(mark, form(fields));
    case 'posts-list':
      return group(mark, postsList(fields));
  }
}
