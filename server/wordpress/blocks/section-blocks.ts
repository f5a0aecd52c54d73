import { attribute, classesOf, elementsOf, findElement, isElement, onOneLine, wordsOf } from '#server/markup/html-tree';
import type { Element } from 'hast';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
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
  tagOfClass,
  voidBlock,
} from '#server/wordpress/blocks/block-markup';
import { BlockReader, type Fields, type GroupContent, present, readQuote } from '#server/wordpress/blocks/block-reader';
import { htmlForSite } from '#server/wordpress/blocks/clean-html';
import { htmlToMarkdown, markdownToBlocks } from '#server/wordpress/blocks/from-markdown';
import type { Section, SectionType } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import { formFieldKinds } from '#server/core/site/site-forms';
import { type SectionFields, sectionFieldSchemas, type TypedSection } from '#server/core/site/section-fields';
import { escapeText } from '#server/markup/write-html';

/** Section types that are written as a group of blocks; the others are single WordPress blocks. */
type GroupType = Exclude<SectionType, 'text' | 'image' | 'html'>;

/** Converts a section type to blocks inside a group, and back. */
interface GroupMapping<Type extends GroupType> {
  readonly write: (fields: SectionFields<Type>, context: BlockContext) => string[];
  /** Null if the blocks contain something that the section type cannot represent. */
  readonly read: (reader: BlockReader) => Fields | null;
}

function headings(heading: string | undefined, level = 2): string[] {
  return heading === undefined ? [] : [headingBlock(escapeText(heading), level)];
}

function prose(text: string | undefined): string[] {
  return text === undefined ? [] : proseBlocks(text);
}

function titled(items: readonly (readonly [string, string])[]): string[] {
  return items.flatMap(([title, text]) => [...headings(title, 3), ...prose(text)]);
}

function readTitled(reader: BlockReader, name: string, text: string): JsonValue[] {
  const found: JsonValue[] = [];
  for (let title = reader.heading('h3', 'h4'); title !== undefined; title = reader.heading('h3', 'h4')) {
    found.push({ [name]: title, [text]: reader.prose() ?? '' });
  }
  return found;
}

function readHero(reader: BlockReader): Fields {
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

const FORM_FIELD_CLASS = new RegExp(`^throughline-(${formFieldKinds.join('|')})$`);

const groups: { readonly [Type in GroupType]: GroupMapping<Type> } = {
  hero: {
    write: ({ heading, subheading, image, imageAlt, ctaLabel, ctaHref }, context) => [
      ...(image === undefined ? [] : [imageBlock({ src: image, alt: imageAlt ?? '' }, context)]),
      ...headings(heading),
      ...prose(subheading),
      ...(ctaLabel === undefined ? [] : [buttonBlock(ctaLabel, ctaHref, context)]),
    ],
    read: readHero,
  },
  gallery: {
    write: ({ heading, images }, context) => [...headings(heading), galleryBlock(images, context)],
    read(reader) {
      const heading = reader.heading('h2');
      const images = reader.gallery();
      return images === undefined ? null : present({ heading, images: images.map((picture) => ({ ...picture })) });
    },
  },
  features: {
    write: ({ heading, intro, items }) => [
      ...headings(heading),
      ...prose(intro),
      ...titled(items.map(({ title, body }) => [title, body])),
    ],
    read(reader) {
      const heading = reader.heading('h2');
      return present({ heading, intro: reader.prose(), items: readTitled(reader, 'title', 'body') });
    },
  },
  faq: {
    write: ({ heading, items }) => [
      ...headings(heading),
      ...titled(items.map(({ question, answer }) => [question, answer])),
    ],
    read: (reader) => present({ heading: reader.heading('h2'), items: readTitled(reader, 'question', 'answer') }),
  },
  /** `cite` contains the author, and on a second line the role. */
  quote: {
    write({ quote, author, role }) {
      const lines = [author ?? '', ...(role === undefined ? [] : [role])].map(escapeText).join('<br>');
      const cite = lines === '' ? '' : `<cite>${lines}</cite>`;
      return [block('quote', `<blockquote class="wp-block-quote">${inRow(proseBlocks(quote))}${cite}</blockquote>`)];
    },
    read(reader) {
      const element = reader.take('blockquote');
      return element === undefined ? null : readQuote(element);
    },
  },
  'call-to-action': {
    write: ({ heading, body, buttonLabel, buttonHref }, context) => [
      ...headings(heading),
      ...prose(body),
      buttonBlock(buttonLabel, buttonHref, context),
    ],
    read(reader) {
      const heading = reader.heading('h2', 'h3');
      const body = reader.prose();
      const button = reader.button();
      return present({ heading, body, buttonLabel: button?.label, buttonHref: button?.href });
    },
  },
  /** WordPress has no block for forms: their fields become a list. */
  form: {
    write({ heading, intro, fields, submitLabel }) {
      const items = fields.map(({ label, kind, required }) => {
        const className = `throughline-${kind}${required ? ' throughline-required' : ''}`;
        return block('list-item', `<li class="${className}">${escapeText(label)}</li>`, { className });
      });
      const list = block('list', `<ul>${inRow(items)}</ul>`);
      return [
        ...headings(heading),
        ...prose(intro),
        list,
        paragraphBlock(`<strong>${escapeText(submitLabel)}</strong>`),
      ];
    },
    read(reader) {
      const heading = reader.heading('h2');
      const intro = reader.prose();
      const list = reader.take('ul');
      const fields = (elementsOf(list?.children ?? []) ?? []).map((item) => {
        const classes = classesOf(item);
        const kind = classes.map((name) => FORM_FIELD_CLASS.exec(name)?.[1]).find((name) => name !== undefined);
        const required = classes.includes('throughline-required');
        return { label: onOneLine(wordsOf(item)), kind: kind ?? 'text', required };
      });
      return present({ heading, intro, fields, submitLabel: reader.heading('p') });
    },
  },
  'posts-list': {
    write: ({ heading, count, tag }) => [
      ...headings(heading),
      voidBlock('latest-posts', { postsToShow: count, className: tag === undefined ? undefined : classOfTag(tag) }),
    ],
    read(reader) {
      const heading = reader.heading('h2');
      const list = reader.block?.innerBlocks.at(-1);
      const count: unknown = list?.attrs?.['postsToShow'];
      if (list?.blockName !== 'core/latest-posts' || typeof count !== 'number') return null;
      const className: unknown = list.attrs?.['className'];
      return present({ heading, count, tag: typeof className === 'string' ? tagOfClass(className) : undefined });
    },
  },
};

/** Class of a layout; the theme determines its appearance. */
const LAYOUT_CLASS = /^throughline-layout-([a-z-]+)$/;

function classesFor(type: GroupType, fields: SectionFields<GroupType>): string {
  const layout = 'layout' in fields ? fields.layout : undefined;
  return `throughline-${type}${layout === undefined ? '' : ` throughline-layout-${layout}`}`;
}

/** The layout in the classes of a group, if its section type has that layout. */
function layoutIn(type: GroupType, classes: readonly string[]): Fields {
  const [name] = classes.flatMap((each) => LAYOUT_CLASS.exec(each)?.slice(1) ?? []);
  const { shape } = sectionFieldSchemas[type];
  return name !== undefined && 'layout' in shape && shape.layout.safeParse(name).success ? { layout: name } : {};
}

/** The blocks of a text: its heading, and its body. */
export function textBlocks({ heading, body }: SectionFields<'text'>, context: BlockContext): string[] {
  return [...headings(heading), ...markdownToBlocks(body, context).map(({ raw }) => raw)];
}

/**
 * A section as markup of WordPress's own blocks, without a line break at its end; every theme shows all its text. A
 * text becomes separate blocks, a picture an image block, HTML an HTML block; every other type becomes a group with the
 * class `throughline-<type>`, by which `readGroup` recognizes it.
 */
export function writeSection(section: Section, context: BlockContext): string {
  // All our writes check the fields against the type, see server/site/section-types.
  const { type, fields } = section as TypedSection;
  if (type === 'text') return inRow(textBlocks(fields, context));
  if (type === 'image') return imageBlock(fields, context);
  if (type === 'html') return block('html', htmlForSite(fields.html, context));
  const { write } = groups[type] as GroupMapping<GroupType>;
  return group(classesFor(type, fields), write(fields, context));
}

function readText({ nodes, context }: GroupContent): Fields | null {
  const [first] = nodes.filter((node) => isElement(node));
  const hasHeading = isElement(first, 'h2');
  const rest = hasHeading ? nodes.slice(nodes.indexOf(first) + 1) : nodes;
  const flow = htmlToMarkdown({ type: 'root', children: [...rest] }, context);
  return flow === null
    ? null
    : present({ heading: hasHeading ? onOneLine(wordsOf(first)) : undefined, body: flow.markdown });
}

/**
 * Fields of a section that was written as a group with these classes; null if it now contains something that the type
 * cannot represent.
 */
export function readGroup(type: SectionType, content: GroupContent, classes: readonly string[]): Fields | null {
  if (type === 'text') return readText(content);
  const elements = elementsOf(content.nodes);
  if (type === 'image' || type === 'html' || elements === null) return null;
  const reader = new BlockReader(elements, content.context, content.block);
  const fields = groups[type].read(reader);
  return reader.isAtEnd && fields !== null ? { ...fields, ...layoutIn(type, classes) } : null;
}

/** A cover block as a hero: its picture, and in it at most a heading, text and a button. */
export function readCover(cover: Element, context: BlockContext): Fields | null {
  const image = findElement(cover, ({ tagName }) => tagName === 'img');
  const inner = cover.children.find(
    (node): node is Element => isElement(node) && classesOf(node).includes('wp-block-cover__inner-container'),
  );
  const src = image === undefined ? undefined : attribute(image, 'src');
  const elements = elementsOf(inner?.children ?? []);
  if (elements === null || src === undefined) return null;
  const reader = new BlockReader(elements, context);
  const words = readHero(reader);
  const alt = onOneLine(image === undefined ? '' : (attribute(image, 'alt') ?? ''));
  if (!reader.isAtEnd || words['image'] !== undefined) return null;
  return { ...words, image: context.toLocal(src), ...(alt !== '' && { imageAlt: alt }) };
}
