import type { Element, RootContent } from 'hast';
import type { BlockContext } from '#server/blocks/block-context';
import { htmlToMarkdown } from '#server/blocks/markdown-to-html';
import { attribute, classesOf, elementsOf, findElement, isElement, oneLine, wordsOf } from '#server/markup/html-tree';
import type { ParsedBlock } from '#server/blocks/block-scan';
import { tagOfClass } from '#server/blocks/block-markup';
import type { Section, SectionType } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

type Fields = Section['fields'];

/** What is in a group of ours. */
interface GroupContent {
  readonly nodes: readonly RootContent[];
  /** Null in content without blocks. */
  readonly block: ParsedBlock | null;
  readonly context: BlockContext;
}

/** Elements that are read one after another, so that nothing is passed over. */
class Reader {
  readonly #elements: readonly Element[];
  readonly #context: BlockContext;
  #at = 0;

  constructor(elements: readonly Element[], context: BlockContext) {
    this.#elements = elements;
    this.#context = context;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#elements.length;
  }

  /** The next element, where it is one of these. */
  take(...names: readonly string[]): Element | undefined {
    const element = this.#elements[this.#at];
    if (!isElement(element, ...names)) return undefined;
    this.#at += 1;
    return element;
  }

  /** A heading's words. */
  heading(...names: readonly string[]): string | undefined {
    const element = this.take(...names);
    return element === undefined ? undefined : oneLine(wordsOf(element));
  }

  /** Paragraphs as plain text, parted by empty lines; undefined where there is none. */
  prose(): string | undefined {
    const paragraphs: string[] = [];
    for (let element = this.take('p'); element !== undefined; element = this.take('p'))
      paragraphs.push(wordsOf(element));
    return paragraphs.length === 0 ? undefined : paragraphs.join('\n\n');
  }

  /** One button: its words and where it leads. */
  button(): { readonly label: string; readonly href: string | undefined } | undefined {
    const element = this.#elements[this.#at];
    const isButtons = element !== undefined && classesOf(element).includes('wp-block-buttons');
    const [only, ...others] = isButtons ? (elementsOf(element.children) ?? []) : [];
    const link =
      only === undefined || others.length > 0 ? undefined : findElement(only, ({ tagName }) => tagName === 'a');
    if (link === undefined) return undefined;
    this.#at += 1;
    const href = attribute(link, 'href');
    return { label: oneLine(wordsOf(link)), href: href === undefined ? undefined : this.#context.toLocal(href) };
  }

  picture(): Picture | undefined {
    const element = this.take('figure');
    return element === undefined ? undefined : (readFigure(element, this.#context) ?? undefined);
  }

  gallery(): readonly Picture[] | undefined {
    const element = this.take('figure');
    return element === undefined ? undefined : (readGallery(element, this.#context) ?? undefined);
  }
}

interface Picture {
  readonly src: string;
  readonly alt: string;
  readonly caption?: string;
}

const PICTURE_FILE = /\.(?:avif|gif|jpe?g|png|svg|webp)$/i;

function isPictureFile(address: string): boolean {
  return PICTURE_FILE.test(address.split(/[?#]/, 1)[0] ?? '');
}

/** The picture of an image block; null for one that leads somewhere, or is something else. */
export function readFigure(figure: Element, context: BlockContext): Picture | null {
  const [first, ...others] = elementsOf(figure.children) ?? [];
  if (first === undefined || others.length > 1) return null;
  const href = attribute(first, 'href');
  const isLinked = first.tagName === 'a' && href !== undefined && !isPictureFile(href);
  const inside = first.tagName === 'a' ? elementsOf(first.children) : [first];
  const [image] = inside ?? [];
  if (isLinked || inside?.length !== 1 || !isElement(image, 'img')) return null;
  const [words] = others;
  if (words !== undefined && words.tagName !== 'figcaption') return null;
  const caption = words === undefined ? '' : oneLine(wordsOf(words));
  return {
    src: context.toLocal(attribute(image, 'src') ?? ''),
    alt: oneLine(attribute(image, 'alt') ?? ''),
    ...(caption !== '' && { caption }),
  };
}

function galleryFigures(gallery: Element): Element[] | null {
  const elements = elementsOf(gallery.children);
  const [list] = elements ?? [];
  // As galleries were written before WordPress 5.9: a list of figures, at first without a figure around it.
  const inner = elements?.length === 1 && list?.tagName === 'ul' ? elementsOf(list.children) : elements;
  const figures = inner?.map((item) => (item.tagName === 'li' ? elementsOf(item.children)?.[0] : item)) ?? [];
  return figures.every((figure) => figure !== undefined) ? figures : null;
}

/** The pictures of a gallery block; null where there is anything else in it. */
export function readGallery(gallery: Element, context: BlockContext): Picture[] | null {
  const figures = galleryFigures(gallery);
  const pictures = figures?.map((figure) => (figure.tagName === 'figure' ? readFigure(figure, context) : null));
  return pictures?.every((picture) => picture !== null) === true ? pictures : null;
}

/** Undefined values are fields that are not there. */
function present(fields: Readonly<Record<string, JsonValue | undefined>>): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, JsonValue] => field[1] !== undefined),
  );
}

function pictureFields(picture: Picture): Fields {
  return { ...picture };
}

function hero(reader: Reader): Fields {
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

function items(reader: Reader, name: string, text: string): JsonValue[] {
  const found: JsonValue[] = [];
  for (let title = reader.heading('h3', 'h4'); title !== undefined; title = reader.heading('h3', 'h4')) {
    found.push({ [name]: title, [text]: reader.prose() ?? '' });
  }
  return found;
}

function callToAction(reader: Reader): Fields {
  const heading = reader.heading('h2', 'h3');
  const body = reader.prose();
  const button = reader.button();
  return present({ heading, body, buttonLabel: button?.label, buttonHref: button?.href });
}

const FIELD_KIND = /^throughline-(text|email|textarea)$/;

function form(reader: Reader): Fields {
  const heading = reader.heading('h2');
  const intro = reader.prose();
  const list = reader.take('ul');
  const fields = (elementsOf(list?.children ?? []) ?? []).map((item) => {
    const classes = classesOf(item);
    const kind = classes.map((name) => FIELD_KIND.exec(name)?.[1]).find((name) => name !== undefined) ?? 'text';
    return { label: oneLine(wordsOf(item)), kind, required: classes.includes('throughline-required') };
  });
  return present({ heading, intro, fields, submitLabel: reader.heading('p') });
}

/** Words of a quote, and in its `cite` whose they are; on a line below, who that is. */
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
    role: role.length === 0 ? undefined : oneLine(role.join(' ')),
  });
}

function textFields({ nodes, context }: GroupContent): Fields | null {
  const [first] = nodes.filter((node) => isElement(node));
  const hasHeading = isElement(first, 'h2');
  const rest = hasHeading ? nodes.slice(nodes.indexOf(first) + 1) : nodes;
  const flow = htmlToMarkdown({ type: 'root', children: [...rest] }, context);
  return flow === null
    ? null
    : present({ heading: hasHeading ? oneLine(wordsOf(first)) : undefined, body: flow.markdown });
}

function postsList(reader: Reader, block: ParsedBlock | null): Fields | null {
  const heading = reader.heading('h2');
  const list = block?.innerBlocks.at(-1);
  const count: unknown = list?.attrs?.['postsToShow'];
  if (list?.blockName !== 'core/latest-posts' || typeof count !== 'number') return null;
  const className: unknown = list.attrs?.['className'];
  return present({ heading, count, tag: typeof className === 'string' ? tagOfClass(className) : undefined });
}

type Read = (reader: Reader, content: GroupContent) => Fields | null;

const readers: Partial<Record<SectionType, Read>> = {
  hero,
  features: (reader) => {
    const heading = reader.heading('h2');
    return present({ heading, intro: reader.prose(), items: items(reader, 'title', 'body') });
  },
  faq: (reader) => present({ heading: reader.heading('h2'), items: items(reader, 'question', 'answer') }),
  'call-to-action': callToAction,
  form,
  gallery: (reader) => {
    const heading = reader.heading('h2');
    const images = reader.gallery();
    return images === undefined ? null : present({ heading, images: images.map(pictureFields) });
  },
  quote: (reader) => {
    const element = reader.take('blockquote');
    return element === undefined ? null : readQuote(element);
  },
  'posts-list': (reader, { block }) => postsList(reader, block),
};

/** The fields of a section that stands in a group of ours; null where somebody put in what such a section cannot hold. */
export function readGroup(type: SectionType, content: GroupContent): Fields | null {
  if (type === 'text') return textFields(content);
  const elements = elementsOf(content.nodes);
  const read = readers[type];
  if (read === undefined || elements === null) return null;
  const reader = new Reader(elements, content.context);
  const fields = read(reader, content);
  return reader.isAtEnd ? fields : null;
}

/** A cover block as the opening of a page: its picture, and in it a heading, words and a button at most. */
export function readCover(cover: Element, context: BlockContext): Fields | null {
  const image = findElement(cover, ({ tagName }) => tagName === 'img');
  const inner = cover.children.find(
    (node): node is Element => isElement(node) && classesOf(node).includes('wp-block-cover__inner-container'),
  );
  const src = image === undefined ? undefined : attribute(image, 'src');
  const elements = elementsOf(inner?.children ?? []);
  if (elements === null || src === undefined) return null;
  const reader = new Reader(elements, context);
  const words = hero(reader);
  const alt = oneLine(image === undefined ? '' : (attribute(image, 'alt') ?? ''));
  if (!reader.isAtEnd || words['image'] !== undefined) return null;
  return { ...words, image: context.toLocal(src), ...(alt !== '' && { imageAlt: alt }) };
}
