import type { JsonValue } from '#server/core/json';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { escapeAttribute, escapeText } from '#server/markup/write-html';

/* Writes single blocks in WordPress's block format, exactly as WordPress's editor would. */

/** Attributes of a block; undefined values are omitted. */
export type Attributes = Readonly<Record<string, JsonValue | undefined>>;

/**
 * Writes an attribute value like WordPress's serializer (packages/blocks, serializeAttributes): nothing in it can end a
 * comment.
 */
export function attributeText(value: JsonValue | Attributes): string {
  return JSON.stringify(value)
    .replaceAll(String.raw`\\`, String.raw`\u005c`)
    .replace(/--/g, String.raw`\u002d\u002d`)
    .replace(/</g, String.raw`\u003c`)
    .replace(/>/g, String.raw`\u003e`)
    .replace(/&/g, String.raw`\u0026`)
    .replace(/\\"/g, String.raw`\u0022`);
}

function attributesText(attributes: Attributes): string {
  const text = attributeText(attributes);
  return text === '{}' ? '' : `${text} `;
}

/** Beginning of all classes by which our blocks are recognized. */
export const FIELD_PREFIX = 'throughline-';

/** Class of the paragraphs of a field that cannot be told from other paragraphs by its place. */
export function fieldClass(field: string): string {
  return `${FIELD_PREFIX}${field}`;
}

/** One block with its delimiters; `name` without `core/`. */
export function block(name: string, html: string, attributes: Attributes = {}): string {
  return `<!-- wp:${name} ${attributesText(attributes)}-->\n${html}\n<!-- /wp:${name} -->`;
}

/** A dynamic block, whose content WordPress generates when it is shown. */
export function voidBlock(name: string, attributes: Attributes): string {
  return `<!-- wp:${name} ${attributesText(attributes)}/-->`;
}

/** Joins blocks as WordPress does. */
export function inRow(blocks: readonly string[]): string {
  return blocks.join('\n\n');
}

/** A group block. @param className the class by which the group is later recognized as a section */
export function group(className: string, blocks: readonly string[]): string {
  const html = `<div class="wp-block-group ${className}">${inRow(blocks)}</div>`;
  return block('group', html, { className, layout: { type: 'constrained' } });
}

/** A heading block. @param html inline HTML @param level 1 to 6 */
export function headingBlock(html: string, level: number): string {
  // The editor omits the default: level 2.
  return block('heading', `<h${level}>${html}</h${level}>`, { level: level === 2 ? undefined : level });
}

/** A paragraph block. @param html inline HTML @param className default: none */
export function paragraphBlock(html: string, className?: string): string {
  const mark = className === undefined ? '' : ` class="${className}"`;
  return block('paragraph', `<p${mark}>${html}</p>`, { className });
}

/**
 * Plain text of several lines as paragraphs: empty lines separate them, and a line break remains a line break.
 * @param className class of all paragraphs. Default: none
 */
export function proseBlocks(text: string, className?: string): string[] {
  const paragraphs = text.replace(/\r\n?/g, '\n').split('\n\n');
  return paragraphs.map((paragraph) => paragraphBlock(escapeText(paragraph).replaceAll('\n', '<br>'), className));
}

interface FieldLink {
  /** Field by whose class the paragraph is recognized. */
  readonly field: string;
  readonly label: string;
  /** Local address. */
  readonly href: string;
}

/** A link alone in a paragraph, which `BlockReader.link` reads. */
export function linkBlock({ field, label, href }: FieldLink, context: BlockContext): string {
  const link = `<a href="${escapeAttribute(context.toRemote(href))}">${escapeText(label)}</a>`;
  return paragraphBlock(link, fieldClass(field));
}

interface Quotation {
  readonly quote: string;
  readonly author?: string | undefined;
  readonly role?: string | undefined;
}

/** A quote block; its `cite` contains the author, and on a second line the role. */
export function quoteBlock({ quote, author, role }: Quotation): string {
  const lines = [author ?? '', ...(role === undefined ? [] : [role])].map(escapeText).join('<br>');
  const cite = lines === '' ? '' : `<cite>${lines}</cite>`;
  return block('quote', `<blockquote class="wp-block-quote">${inRow(proseBlocks(quote))}${cite}</blockquote>`);
}

interface Picture {
  /** Local address. */
  readonly src: string;
  readonly alt: string;
  readonly caption?: string | undefined;
  /** Local address that the picture links to. Default: it is no link. */
  readonly href?: string | undefined;
}

/** An image block; a picture of the library refers to it by its id. */
export function imageBlock({ src, alt, caption, href }: Picture, context: BlockContext): string {
  const id = context.mediaId(src);
  const mark = id === undefined ? '' : ` class="wp-image-${id}"`;
  const image = `<img src="${escapeAttribute(context.toRemote(src))}" alt="${escapeAttribute(alt)}"${mark}/>`;
  const words =
    caption === undefined || caption === ''
      ? ''
      : `<figcaption class="wp-element-caption">${escapeText(caption)}</figcaption>`;
  const linked = href === undefined ? image : `<a href="${escapeAttribute(context.toRemote(href))}">${image}</a>`;
  const attributes = { id, sizeSlug: 'full', linkDestination: href === undefined ? 'none' : 'custom' };
  return block('image', `<figure class="wp-block-image size-full">${linked}${words}</figure>`, attributes);
}

/** A gallery block with one image block for each picture. */
export function galleryBlock(images: readonly Picture[], context: BlockContext): string {
  const html = inRow(images.map((image) => imageBlock(image, context)));
  const classes = 'wp-block-gallery has-nested-images columns-default is-cropped';
  return block('gallery', `<figure class="${classes}">${html}</figure>`, { linkTo: 'none' });
}

/** One button; without `href` it has no link. */
export function buttonBlock(label: string, href: string | undefined, context: BlockContext): string {
  const target = href === undefined ? '' : ` href="${escapeAttribute(context.toRemote(href))}"`;
  const link = `<a class="wp-block-button__link wp-element-button"${target}>${escapeText(label)}</a>`;
  const button = block('button', `<div class="wp-block-button">${link}</div>`);
  return block('buttons', `<div class="wp-block-buttons">${button}</div>`);
}

const PREFIX = 'throughline-tag-';
const NAMED = /^throughline-tag-([a-z0-9_-]+)$/;

/**
 * A tag as a CSS class, because the block of newest posts does not support tags: any character that is not a letter or
 * digit becomes `_hex_`.
 */
export function classOfTag(tag: string): string {
  const name = tag.replace(/[^a-z0-9-]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`);
  return `${PREFIX}${name}`;
}

/** The tag in a list of classes; undefined if the list has none. */
export function tagOfClass(classes: string): string | undefined {
  const name = classes.split(/\s+/).flatMap((one) => NAMED.exec(one)?.slice(1) ?? [])[0];
  return name?.replace(/_([0-9a-f]{1,6})_/g, (_, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
  });
}
