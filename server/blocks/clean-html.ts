import type { Element, Root, RootContent } from 'hast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import { unified } from 'unified';
import type { BlockContext } from '#server/blocks/block-context';
import { attribute, classesOf, escapeText, htmlOf, mapElements, storable, wordsOf } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { htmlRules, keptTags } from '#server/markup/sanitize-rules';

/** The longest `html` field, see server/core/section-fields. */
const MAX_FIELD_LENGTH = 200_000;

/** Classes that say how a block looks; all others could be any theme's or plugin's. */
const BLOCK_CLASS =
  /^(?:wp-(?:block|image|element)-[\w-]+|align[a-z]+|has-[\w-]+|is-[\w-]+|size-[\w-]+|throughline-[\w-]+)$/;

const schema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: keptTags(defaultSchema.tagNames ?? []),
  strip: htmlRules.strip,
  required: {},
  attributes: {
    ...htmlRules.attributes,
    code: [['className', /^language-[\w+#-]+$/]],
    '*': [...htmlRules.globalAttributes, ['className', BLOCK_CLASS]],
  },
  protocols: htmlRules.protocols,
};

const sanitizer = unified().use(rehypeSanitize, schema).freeze();

/** @param place where in the source that stands which it is shown for */
function linkTo(href: string, place: Element['position']): Element {
  const words: RootContent = { type: 'text', value: href };
  const position = place === undefined ? {} : { position: place };
  return { type: 'element', tagName: 'a', properties: { href }, children: [words], ...position };
}

const ADDRESS = /^https?:\/\/\S{1,2000}$/;

/**
 * Replaces a frame by a link to what it plays; so too a video or sound of the page, and an address that WordPress turns
 * into a player.
 */
function linkedFrame(element: Element): readonly RootContent[] {
  if (classesOf(element).includes('wp-block-embed__wrapper')) {
    const address = element.children.map(wordsOf).join('').trim();
    return ADDRESS.test(address) ? [{ ...element, children: [linkTo(address, element.position)] }] : [element];
  }
  if (!['iframe', 'video', 'audio'].includes(element.tagName)) return [element];
  const src = attribute(element, 'src');
  return src !== undefined && /^(?:https?:)?\/\/?[^/]/i.test(src) ? [linkTo(src, element.position)] : element.children;
}

/** A tree without anything that runs, is sent, or hides. */
export function sanitized(tree: Root): Root {
  return sanitizer.runSync({ ...tree, children: mapElements(tree.children, linkedFrame) });
}

/** The tree with each address as `to` gives it. */
export function withAddresses(tree: Root, to: (href: string) => string): Root {
  const children = mapElements(tree.children, (element) => {
    const { href, src } = element.properties;
    const properties = {
      ...element.properties,
      ...(typeof href === 'string' && { href: to(href) }),
      ...(typeof src === 'string' && { src: to(src) }),
    };
    return [{ ...element, properties }];
  });
  return { ...tree, children };
}

/** Tags and comments taken out: for markup that nobody can parse. */
function bareWords(html: string): string {
  const words = storable(html.replace(/<!--[^]*?(?:-->|$)|<[^<>]*>/g, ' '));
  // An escaped character takes up to five.
  return escapeText(words.slice(0, MAX_FIELD_LENGTH / 5));
}

function cleaned(html: string, to: (href: string) => string): string {
  const tree = parseHtmlWithinLimits(html);
  return tree === null ? bareWords(html) : htmlOf(withAddresses(sanitized(tree), to).children).trim();
}

/** Cleans the markup of a block for the `html` field of a section; cuts only what exceeds that field. */
export function cleanHtml(html: string, context: BlockContext): string {
  const clean = cleaned(html, (href) => context.toLocal(href));
  return clean.length <= MAX_FIELD_LENGTH ? clean : bareWords(clean);
}

/** The `html` field of a section for a site: cleaned the same way, with its addresses. */
export function htmlForSite(html: string, context: BlockContext): string {
  return cleaned(html, (href) => context.toRemote(href));
}
