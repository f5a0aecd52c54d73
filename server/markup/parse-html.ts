import type { Root } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import {
  defaultTreeAdapter,
  type DefaultTreeAdapterTypes,
  parse,
  parseFragment,
  serialize,
  type TreeAdapter,
} from 'parse5';
import { VFile } from 'vfile';
import { createTextCache } from '#server/core/bounded-map';
import { InvalidInputError } from '#server/core/errors';
import { inlineText } from '#server/core/message-data';

/* The only place where HTML is parsed. The limits keep parsing cheap for any input, and recursive walks over the trees
   finite (docs/decisions/037-parsers-with-limits.md). */

/** Maximum characters per parse (UTF-16 units); a book chapter has a tenth. */
const MAX_LENGTH = 500_000;

/**
 * Maximum number of elements, attributes and comments of one text; a long page has some thousand. The parser can create
 * many more than are written: `<p><b id=1><p><b id=2>...` has n * n of them.
 */
const MAX_PARTS = 30_000;

/** Maximum number of parts of a whole page of another site, including its menus, styles and symbols. */
const MAX_PAGE_PARTS = 80_000;

/** Maximum nesting of elements; page builders nest about 40, and the functions that walk a tree are recursive. */
const MAX_DEPTH = 200;

/** What the HTML has too much of, with its limit. */
const LIMITS = {
  parts: (max: number) => `more than ${max.toLocaleString('en-US')} elements and attributes`,
  levels: (max: number) => `elements more than ${max} deep inside one another`,
  characters: (max: number) => `more than ${max.toLocaleString('en-US')} characters`,
};

function tooMuch(of: keyof typeof LIMITS, max: number): InvalidInputError {
  const text = `The HTML has ${LIMITS[of](max)}. Split it into several sections, or take out tags that do nothing and close those that stay open.`;
  return new InvalidInputError(inlineText('html-too-large', { of, max }, text));
}

/** Creates the parser's own nodes and counts them. */
function countingAdapter(
  meter: { parts: number },
  max = MAX_PARTS,
): TreeAdapter<DefaultTreeAdapterTypes.DefaultTreeAdapterMap> {
  const count = (more: number) => {
    meter.parts += more;
    if (meter.parts > max) throw tooMuch('parts', max);
  };
  return {
    ...defaultTreeAdapter,
    createElement(name, namespace, attributes) {
      count(1 + attributes.length);
      return defaultTreeAdapter.createElement(name, namespace, attributes);
    },
    createCommentNode(data) {
      count(1);
      return defaultTreeAdapter.createCommentNode(data);
    },
  };
}

function innerNodes(node: DefaultTreeAdapterTypes.Node): readonly DefaultTreeAdapterTypes.Node[] {
  if ('content' in node) return node.content.childNodes;
  return 'childNodes' in node ? node.childNodes : [];
}

/** Works level by level: a recursive walk would overflow on the input that this check has to refuse. */
function checkDepth(root: DefaultTreeAdapterTypes.Node): void {
  let level = innerNodes(root);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw tooMuch('levels', MAX_DEPTH);
    level = level.flatMap(innerNodes);
  }
}

/**
 * Parses an HTML fragment to a tree with positions in the source.
 * @param withTagPositions also adds the positions of tags and attributes, as `data.position`
 * @throws InvalidInputError above 500,000 characters, 30,000 elements, attributes and comments, or 200 levels
 */
export function parseHtml(html: string, withTagPositions = false): Root {
  return parseCounted(html, { parts: 0 }, withTagPositions);
}

function parseCounted(html: string, meter: { parts: number }, withTagPositions = false): Root {
  if (html.length > MAX_LENGTH) throw tooMuch('characters', MAX_LENGTH);
  const fragment = parseFragment(html, {
    treeAdapter: countingAdapter(meter),
    sourceCodeLocationInfo: true,
    scriptingEnabled: false,
  });
  checkDepth(fragment);
  const tree = fromParse5(fragment, { file: new VFile(html), verbose: withTagPositions });
  // A fragment is a root: the declared type is that of any node.
  return tree as Root;
}

/** As `parseHtml`; null for HTML beyond the limits, which callers show as plain text. */
export function parseHtmlWithinLimits(html: string, withTagPositions = false): Root | null {
  try {
    return parseHtml(html, withTagPositions);
  } catch (error) {
    if (error instanceof InvalidInputError) return null;
    throw error;
  }
}

/**
 * Parses a whole page of another site, with separate limits.
 * @throws InvalidInputError above 80,000 elements, attributes and comments, or 200 levels. Its length is limited when
 * it is fetched
 */
export function parseForeignPage(html: string): Root {
  const page = parse(html, { treeAdapter: countingAdapter({ parts: 0 }, MAX_PAGE_PARTS), scriptingEnabled: false });
  checkDepth(page);
  return fromParse5(page) as Root;
}

/** A node of a whole document. */
export type DocumentNode = DefaultTreeAdapterTypes.Node;

/** Parses a whole document that we rendered ourselves. Has no limits, so never use it for untrusted text. */
export function parseOwnDocument(html: string): DefaultTreeAdapterTypes.Document {
  return parse(html);
}

/** Writes a document of `parseOwnDocument` as HTML. */
export function writeOwnDocument(document: DefaultTreeAdapterTypes.Document): string {
  return serialize(document);
}

/** Maximum characters of cached references with their texts: more than all 2,231 names of HTML have together. */
const REFERENCE_CACHE_CHARACTERS = 50_000;
const references = createTextCache<string | null>(REFERENCE_CACHE_CHARACTERS, (text) => text?.length ?? 0);

/** The text of a character reference like `&amp;`; null if it is not one. Cached, because texts contain few different ones. */
export function decodeCharacterReference(reference: string): string | null {
  return references(reference, () => {
    const [node] = parseFragment(reference).childNodes;
    const text = node !== undefined && 'value' in node ? node.value : reference;
    return text === reference ? null : text;
  });
}

/** Maximum characters of texts whose cost is cached: those of many pages. */
const COST_CACHE_CHARACTERS = 8_000_000;
const costs = createTextCache<number>(COST_CACHE_CHARACTERS, () => 1);

/** Cost of parsing and showing HTML, as a share (0 to 1) of the maximum cost of one text; 1 for HTML beyond the limits. */
export function htmlCost(html: string): number {
  return costs(html, () => {
    const meter = { parts: 0 };
    try {
      parseCounted(html, meter);
    } catch (error) {
      if (error instanceof InvalidInputError) return 1;
      throw error;
    }
    return Math.min(1, meter.parts / MAX_PARTS + html.length / MAX_LENGTH);
  });
}
