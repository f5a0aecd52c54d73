import type { Root } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import { defaultTreeAdapter, type DefaultTreeAdapterTypes, parse, parseFragment, type TreeAdapter } from 'parse5';
import { VFile } from 'vfile';
import { createTextCache } from '#server/core/bounded-map';
import { InvalidInputError } from '#server/core/errors';

/** Most characters that are parsed in one go (UTF-16 units); a book chapter has a tenth. */
const MAX_LENGTH = 500_000;

/**
 * Most elements, attributes and comments of one text; a long page has some thousand. The parser can make many more than
 * are written: `<p><b id=1><p><b id=2>...` has n * n of them.
 */
const MAX_PARTS = 30_000;

/** Most parts of a whole page of another site, which has its menus, styles and symbols with it. */
const MAX_PAGE_PARTS = 80_000;

/** Deepest nesting of elements; page builders nest about 40, and the functions that walk a tree are recursive. */
const MAX_DEPTH = 200;

function tooMuch(what: string): InvalidInputError {
  return new InvalidInputError(
    `The HTML has ${what}. Split it into several sections, or take out tags that do nothing and close those that stay open.`,
  );
}

/** The parser's own nodes, counted while it makes them. */
function countingAdapter(
  meter: { parts: number },
  most = MAX_PARTS,
): TreeAdapter<DefaultTreeAdapterTypes.DefaultTreeAdapterMap> {
  const count = (more: number) => {
    meter.parts += more;
    if (meter.parts > most) throw tooMuch(`more than ${most.toLocaleString('en-US')} elements and attributes`);
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

/** Level by level: a walk of its own that recurses would overflow where this is to refuse. */
function checkDepth(root: DefaultTreeAdapterTypes.Node): void {
  let level = innerNodes(root);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw tooMuch(`elements more than ${MAX_DEPTH} deep inside one another`);
    level = level.flatMap(innerNodes);
  }
}

/**
 * HTML as a tree, with positions in the source; `closely`: those of tags and attributes too (`data.position`). The one
 * place where HTML is parsed: the tree has limits, so that it costs little whatever was written, and recursive walks over
 * it end.
 * @throws InvalidInputError above 500,000 characters, 30,000 elements, attributes and comments, or 200 levels
 */
export function parseHtml(html: string, closely = false): Root {
  return parseCounted(html, { parts: 0 }, closely);
}

function parseCounted(html: string, meter: { parts: number }, closely = false): Root {
  if (html.length > MAX_LENGTH) throw tooMuch(`more than ${MAX_LENGTH.toLocaleString('en-US')} characters`);
  const fragment = parseFragment(html, {
    treeAdapter: countingAdapter(meter),
    sourceCodeLocationInfo: true,
    scriptingEnabled: false,
  });
  checkDepth(fragment);
  const tree = fromParse5(fragment, { file: new VFile(html), verbose: closely });
  // A fragment is a root: the type is that of any node.
  return tree as Root;
}

/** Parses HTML; null for HTML beyond the limits, which callers show as words. */
export function parseHtmlWithinLimits(html: string, closely = false): Root | null {
  try {
    return parseHtml(html, closely);
  } catch (error) {
    if (error instanceof InvalidInputError) return null;
    throw error;
  }
}

/**
 * A whole page of another site as a tree, within limits of its own.
 * @throws InvalidInputError above 80,000 elements, attributes and comments, or 200 levels. Its length is limited where it is fetched
 */
export function parseForeignPage(html: string): Root {
  const page = parse(html, { treeAdapter: countingAdapter({ parts: 0 }, MAX_PAGE_PARTS), scriptingEnabled: false });
  checkDepth(page);
  return fromParse5(page) as Root;
}

/** A node of a whole document. */
export type DocumentNode = DefaultTreeAdapterTypes.Node;

/** Parses a whole document that we rendered ourselves. Without limits, so never for what others wrote. */
export function parseOwnDocument(html: string): DocumentNode {
  return parse(html);
}

/** Characters of references that are kept with what they stand for: more than all 2,231 names of HTML have. */
const KEPT_REFERENCES = 50_000;
const references = createTextCache<string | null>(KEPT_REFERENCES, (text) => text?.length ?? 0);

/** The text that a reference like `&amp;` stands for; null: it is none. Texts are full of the same few. */
export function decodeCharacterReference(reference: string): string | null {
  return references(reference, () => {
    const [node] = parseFragment(reference).childNodes;
    const text = node !== undefined && 'value' in node ? node.value : reference;
    return text === reference ? null : text;
  });
}

/** Characters of texts whose cost is kept: those of many pages, none of which has a quarter of them. */
const KEPT_COSTS = 8_000_000;
const costs = createTextCache<number>(KEPT_COSTS, () => 1);

/** Cost of parsing and showing HTML, as a share of the cost that one text may have. */
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
