import type { Element, RootContent } from 'hast';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { FIELD_PREFIX, fieldClass } from '#server/wordpress/blocks/block-markup';
import type { ParsedBlock } from '#server/wordpress/blocks/source/block-scan';
import type { Section } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import { attribute, classesOf, elementsOf, findElement, isElement, onOneLine, wordsOf } from '#server/markup/html-tree';

export type Fields = Section['fields'];

/** Content of a group block that represents a section. */
export interface GroupContent {
  readonly nodes: readonly RootContent[];
  /** Null in content without blocks. */
  readonly block: ParsedBlock | null;
  readonly context: BlockContext;
}

/**
 * Reads elements one after another, so that none is skipped by mistake. Each method reads the next element if it has the
 * expected form, else returns undefined without moving on.
 */
export class BlockReader {
  readonly #elements: readonly Element[];
  readonly #context: BlockContext;
  /** Null in content without blocks. */
  readonly block: ParsedBlock | null;
  #at = 0;

  constructor(elements: readonly Element[], context: BlockContext, block: ParsedBlock | null = null) {
    this.#elements = elements;
    this.#context = context;
    this.block = block;
  }

  /** Language tag of the site. */
  get language(): string {
    return this.#context.language;
  }

  /** True if all elements have been read. */
  get isAtEnd(): boolean {
    return this.#at === this.#elements.length;
  }

  /** Reads the next element if its name is one of these. */
  take(...names: readonly string[]): Element | undefined {
    const element = this.#elements[this.#at];
    if (!isElement(element, ...names)) return undefined;
    this.#at += 1;
    return element;
  }

  /** Text of a heading. */
  heading(...names: readonly string[]): string | undefined {
    const element = this.take(...names);
    return element === undefined ? undefined : onOneLine(wordsOf(element));
  }

  /** Paragraphs as plain text separated by empty lines; undefined if none follow. Marked fields are not part of it. */
  prose(): string | undefined {
    return this.#paragraphs((classes) => !classes.some((name) => name.startsWith(FIELD_PREFIX)));
  }

  /** Paragraphs with the class of a field, as `prose`. */
  marked(field: string): string | undefined {
    return this.#paragraphs((classes) => classes.includes(fieldClass(field)));
  }

  #paragraphs(isWanted: (classes: readonly string[]) => boolean): string | undefined {
    const paragraphs: string[] = [];
    for (let element = this.#elements[this.#at]; element !== undefined; element = this.#elements[this.#at]) {
      if (element.tagName !== 'p' || !isWanted(classesOf(element))) break;
      paragraphs.push(wordsOf(element));
      this.#at += 1;
    }
    return paragraphs.length === 0 ? undefined : paragraphs.join('\n\n');
  }

  /** One button: its label and its link. */
  button(): { readonly label: string; readonly href: string | undefined } | undefined {
    const element = this.#elements[this.#at];
    const isButtons = element !== undefined && classesOf(element).includes('wp-block-buttons');
    const [only, ...others] = isButtons ? (elementsOf(element.children) ?? []) : [];
    const link =
      only === undefined || others.length > 0 ? undefined : findElement(only, ({ tagName }) => tagName === 'a');
    if (link === undefined) return undefined;
    this.#at += 1;
    const href = attribute(link, 'href');
    return { label: onOneLine(wordsOf(link)), href: href === undefined ? undefined : this.#context.toLocal(href) };
  }

  /** A picture with its description and caption. */
  picture(): PictureFields | undefined {
    const element = this.#elements[this.#at];
    const picture = isElement(element, 'figure') ? readFigure(element, this.#context) : null;
    if (picture === null) return undefined;
    this.#at += 1;
    return picture;
  }

  /** A picture without a caption, with the address that it links to if it does. */
  linkedPicture(): { readonly src: string; readonly alt: string; readonly href: string | undefined } | undefined {
    const element = this.#elements[this.#at];
    const [first, ...others] = isElement(element, 'figure') ? (elementsOf(element.children) ?? []) : [];
    const href = isElement(first, 'a') ? attribute(first, 'href') : undefined;
    const [image, ...more] = first === undefined || href === undefined ? [first] : (elementsOf(first.children) ?? []);
    if (!isElement(image, 'img') || others.length + more.length > 0) return undefined;
    this.#at += 1;
    const src = this.#context.toLocal(attribute(image, 'src') ?? '');
    const alt = onOneLine(attribute(image, 'alt') ?? '');
    return { src, alt, href: href === undefined ? undefined : this.#context.toLocal(href) };
  }

  /** A link alone in a paragraph with the class of a field. */
  link(field: string): { readonly label: string; readonly href: string } | undefined {
    const element = this.#elements[this.#at];
    const isField = isElement(element, 'p') && classesOf(element).includes(fieldClass(field));
    const [link, ...others] = isField ? (elementsOf(element.children) ?? []) : [];
    const href = isElement(link, 'a') && others.length === 0 ? attribute(link, 'href') : undefined;
    if (link === undefined || href === undefined) return undefined;
    this.#at += 1;
    return { label: onOneLine(wordsOf(link)), href: this.#context.toLocal(href) };
  }

  /** The pictures of a gallery. */
  gallery(): readonly PictureFields[] | undefined {
    const element = this.take('figure');
    return element === undefined ? undefined : (readGallery(element, this.#context) ?? undefined);
  }
}

/** Fields of a picture that was read; JSON, so no value in it is undefined. */
export type PictureFields = { readonly src: string; readonly alt: string; readonly caption?: string };

const PICTURE_FILE = /\.(?:avif|gif|jpe?g|png|svg|webp)$/i;

/** True if an address is that of a picture itself, not of a page that shows it. */
export function isPictureFile(address: string): boolean {
  return PICTURE_FILE.test(address.split(/[?#]/, 1)[0] ?? '');
}

/** `kiln-300x200.jpg` and `kiln-scaled.jpg` are derived from `kiln.jpg`. */
export function originalOf(address: string): string {
  return address.replace(/(?:-\d+x\d+|-scaled)(?=\.\w+$)/, '');
}

/** The picture of an image block; null for a linked picture, or another block. */
function readFigure(figure: Element, context: BlockContext): PictureFields | null {
  const [first, ...others] = elementsOf(figure.children) ?? [];
  if (first === undefined || others.length > 1) return null;
  const href = attribute(first, 'href');
  const isLinked = first.tagName === 'a' && href !== undefined && !isPictureFile(href);
  const inside = first.tagName === 'a' ? elementsOf(first.children) : [first];
  const [image] = inside ?? [];
  if (isLinked || inside?.length !== 1 || !isElement(image, 'img')) return null;
  const [words] = others;
  if (words !== undefined && words.tagName !== 'figcaption') return null;
  const caption = words === undefined ? '' : onOneLine(wordsOf(words));
  return {
    src: context.toLocal(attribute(image, 'src') ?? ''),
    alt: onOneLine(attribute(image, 'alt') ?? ''),
    ...(caption !== '' && { caption }),
  };
}

/** True if the white space in an element is shown unchanged; a verse counts as lines of running text. */
export function isPreformatted(element: Element): boolean {
  return element.tagName === 'pre' && !isVerse(element);
}

/** True for the element of WordPress's verse block. */
export function isVerse(element: Element): boolean {
  return classesOf(element).includes('wp-block-verse');
}

function galleryFigures(gallery: Element): Element[] | null {
  const elements = elementsOf(gallery.children);
  const [list] = elements ?? [];
  // The format of galleries before WordPress 5.9: a list of figures, at first without a figure around it.
  const inner = elements?.length === 1 && list?.tagName === 'ul' ? elementsOf(list.children) : elements;
  const figures = inner?.map((item) => (item.tagName === 'li' ? elementsOf(item.children)?.[0] : item)) ?? [];
  return figures.every((figure) => figure !== undefined) ? figures : null;
}

/** The pictures of a gallery block; null if it contains anything else. */
function readGallery(gallery: Element, context: BlockContext): PictureFields[] | null {
  const figures = galleryFigures(gallery);
  const pictures = figures?.map((figure) => (figure.tagName === 'figure' ? readFigure(figure, context) : null));
  return pictures?.every((picture) => picture !== null) === true ? pictures : null;
}

/** An image block as the fields of a picture; null for a linked picture, or another block. */
export function pictureFields(figure: Element, context: BlockContext): Fields | null {
  const picture = readFigure(figure, context);
  return picture === null ? null : { ...picture };
}

/** A gallery block as the fields of a gallery; null if it contains anything but pictures. */
export function galleryFields(gallery: Element, context: BlockContext): Fields | null {
  const images = readGallery(gallery, context)?.map((picture) => ({ ...picture }));
  return images === undefined ? null : { images };
}

/** The fields without undefined values. */
export function present(fields: Readonly<Record<string, JsonValue | undefined>>): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, JsonValue] => field[1] !== undefined),
  );
}

/** A quote block as fields: its `cite` contains the author, and on a second line the role. */
export function readQuote(element: Element): Fields | null {
  const quote = element.tagName === 'figure' ? (elementsOf(element.children) ?? [])[0] : element;
  if (!isElement(quote, 'blockquote')) return null;
  const parts = elementsOf(quote.children) ?? [{ ...quote, tagName: 'p' }];
  const cite = parts.find(({ tagName }) => tagName === 'cite');
  const words = parts.filter((part) => part !== cite);
  if (words.length === 0 || words.some(({ tagName }) => tagName !== 'p')) return null;
  const [author = '', ...role] = cite === undefined ? [] : wordsOf(cite).split('\n');
  return present({
    quote: words.map(wordsOf).join('\n\n'),
    author: author.trim() === '' ? undefined : author.trim(),
    role: role.length === 0 ? undefined : onOneLine(role.join(' ')),
  });
}
