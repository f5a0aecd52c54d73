import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';
import { InvalidInputError, messageOf } from '#server/core/errors';
import type { KeptComment } from '#server/core/imports';
import { storable } from '#server/markup/html-tree';

/** An element as text, or with attributes, or with elements in it. */
export type XmlNode = string | { readonly [name: string]: XmlNode | readonly XmlNode[] };

/** Elements that there may be several of. */
const LISTS = new Set([
  'category',
  'wp:comment',
  'wp:postmeta',
  'wp:termmeta',
  'wp:author',
  'wp:category',
  'wp:tag',
  'wp:term',
]);

/** The five entities of XML and character references are read; a document that defines its own is refused before. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  // oxlint-disable-next-line typescript/no-deprecated -- what stands for it is a package of its own; this reads &#8217; too
  htmlEntities: true,
  isArray: (name) => LISTS.has(name),
});

/**
 * Most characters of a piece: of one item, or of everything outside the items. The parser takes seconds and a gigabyte
 * for 30 million; the longest novel of a single post has some 3 million.
 */
const MAX_PIECE = 5_000_000;

/** Items between which others get a turn. */
const ITEMS_AT_ONCE = 25;

/** A piece of the document, and the line that it begins in. */
interface Piece {
  readonly xml: string;
  readonly line: number;
}

/**
 * Reads a WXR file element by element: an item at a time, so that never the whole tree of a large site is in memory,
 * and nobody else waits for all of it. CDATA is kept whole.
 * @throws InvalidInputError with the line, where it is no XML, is cut off, has a piece above 5,000,000 characters, or
 *   brings a document type of its own
 */
export async function readWxr(
  text: string,
  onItem: (item: XmlNode) => void,
): Promise<{ readonly channel: XmlNode; readonly items: number }> {
  let rest = '';
  let line = 1;
  let from = 0;
  let start: number | null = null;
  let items = 0;
  const pass = (to: number) => {
    const piece = text.slice(from, to);
    const begins = line;
    line += lineBreaks(piece);
    from = to;
    return { xml: piece, line: begins };
  };
  for (const mark of marksOf(text)) {
    if (mark.kind === 'open') {
      if (start !== null) throw fault(line, 'an <item> begins within another');
      const between = pass(mark.at);
      rest += between.xml;
      start = mark.at;
    } else {
      if (start === null) throw fault(line + lineBreaks(text.slice(from, mark.at)), 'an </item> that nothing began');
      onItem(parse(pass(mark.at), 'item'));
      // Keeps the lines of what follows where they are.
      rest += '\n'.repeat(lineBreaks(text.slice(start, mark.at)));
      start = null;
      items += 1;
      if (items % ITEMS_AT_ONCE === 0) await new Promise(setImmediate);
    }
  }
  if (start !== null) throw fault(line, 'an <item> that does not end: the file is cut off');
  rest += pass(text.length).xml;
  const rss = child(parse({ xml: rest, line: 1 }, null), 'rss');
  const channel = rss === undefined ? undefined : child(rss, 'channel');
  if (channel === undefined) throw new InvalidInputError('This is not a WordPress export: it has no <rss><channel>.');
  return { channel, items };
}

/** `at`: offset of its start; of a close, of its end. */
type Mark = { readonly kind: 'open' | 'close'; readonly at: number };

/** Begins and ends of items, past CDATA and comments. */
function* marksOf(text: string): Generator<Mark> {
  const signs = /<!\[CDATA\[|<!--|<![a-z]|<item(?=[\s>])|<\/item\s*>/gi;
  for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
    const [found] = sign;
    if (found.toLowerCase() === '<item') yield { kind: 'open', at: sign.index };
    else if (found.startsWith('</')) yield { kind: 'close', at: signs.lastIndex };
    else if (/^<![a-z]/i.test(found))
      throw fault(lineAt(text, sign.index), 'a document type, which WordPress exports do not have');
    else {
      const end = found === '<!--' ? '-->' : ']]>';
      const at = text.indexOf(end, signs.lastIndex);
      if (at < 0) throw fault(lineAt(text, sign.index), `a ${found} that does not end: the file is cut off`);
      signs.lastIndex = at + end.length;
    }
  }
}

function parse({ xml, line }: Piece, name: string | null): XmlNode {
  if (xml.length > MAX_PIECE)
    throw fault(line, `more than ${MAX_PIECE.toLocaleString('en-US')} characters in one piece`);
  // oxlint-disable-next-line typescript/no-deprecated -- what stands for it is a package of its own
  const result = XMLValidator.validate(xml);
  if (result !== true) throw fault(line + result.err.line - 1, result.err.msg);
  const root = parsed(xml, line);
  return name === null ? root : (child(root, name) ?? '');
}

/** Parses XML; refuses names that are JavaScript's own, and elements deep within one another. */
function parsed(xml: string, line: number): XmlNode {
  try {
    return parser.parse(xml) as XmlNode;
  } catch (error) {
    throw fault(line, messageOf(error));
  }
}

function fault(line: number, what: string): InvalidInputError {
  return new InvalidInputError(`The file is not well-formed XML: line ${line}: ${what.replace(/\.$/, '')}.`, {
    details: { line },
  });
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function lineAt(text: string, at: number): number {
  return lineBreaks(text.slice(0, at)) + 1;
}

/** The first element of a name. */
function child(node: XmlNode, name: string): XmlNode | undefined {
  const found = typeof node === 'string' ? undefined : node[name];
  return Array.isArray(found) ? (found as readonly XmlNode[])[0] : (found as XmlNode | undefined);
}

/** All elements of a name. */
export function childrenOf(node: XmlNode, name: string): readonly XmlNode[] {
  const found = typeof node === 'string' ? undefined : node[name];
  if (found === undefined) return [];
  return Array.isArray(found) ? (found as readonly XmlNode[]) : [found as XmlNode];
}

/** The text of an element in it, outer whitespace dropped; empty where there is none. */
export function textOf(node: XmlNode, name: string): string {
  return wholeTextOf(node, name).trim();
}

/** The text of an element in it, with its outer whitespace; empty where there is none. */
function wholeTextOf(node: XmlNode, name: string): string {
  const found = child(node, name);
  if (found === undefined) return '';
  return typeof found === 'string' ? found : ownText(found);
}

/** Text of an element that has attributes. */
function ownText(node: XmlNode): string {
  if (typeof node === 'string') return node;
  const text = z.string().safeParse(node['#text']);
  return text.success ? text.data : '';
}

/** An attribute; empty where there is none. */
function attributeOf(node: XmlNode, name: string): string {
  return textOf(node, `@${name}`);
}

/** A term of a taxonomy, as an item has it. */
export interface WxrTerm {
  /** `category`, `post_tag`, `post_format`, `nav_menu`, ... */
  readonly domain: string;
  readonly slug: string;
  readonly name: string;
}

/** An `<item>` of WordPress's export: what the import reads of it. */
export interface WxrItem {
  readonly id: string;
  /** `post`, `page`, `attachment`, `nav_menu_item`, ... */
  readonly type: string;
  readonly status: string;
  /** HTML. */
  readonly title: string;
  readonly link: string;
  readonly guid: string;
  /** Login name. */
  readonly author: string;
  /** Percent-encoded where it is not Latin. */
  readonly slug: string;
  /** Id; `0`: below none. */
  readonly parent: string;
  /** Epoch milliseconds; null: not said. */
  readonly date: number | null;
  readonly hasPassword: boolean;
  readonly isSticky: boolean;
  readonly content: string;
  readonly excerpt: string;
  readonly terms: readonly WxrTerm[];
  readonly meta: ReadonlyMap<string, string>;
  /** Comments that were not taken for spam. */
  readonly comments: readonly KeptComment[];
  /** Address of the file, for attachments. */
  readonly fileAddress: string;
  readonly order: number;
}

/** `2010-07-26 02:40:01` as epoch milliseconds; `0000-00-00 ...` is none. */
function timeOf(text: string): number | null {
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

function readComment(node: XmlNode): KeptComment[] {
  const status = textOf(node, 'wp:comment_approved') || '1';
  const kind = textOf(node, 'wp:comment_type') || 'comment';
  if (status === 'spam' || status === 'trash' || kind !== 'comment') return [];
  const parent = textOf(node, 'wp:comment_parent');
  return [
    {
      id: textOf(node, 'wp:comment_id'),
      author: storable(textOf(node, 'wp:comment_author')),
      content: storable(textOf(node, 'wp:comment_content')),
      date: timeOf(textOf(node, 'wp:comment_date_gmt')) ?? timeOf(textOf(node, 'wp:comment_date')),
      isApproved: status === '1',
      parent: parent === '' || parent === '0' ? null : parent,
    },
  ];
}

/** Reads an item; nothing in it is required. */
export function readItem(node: XmlNode): WxrItem {
  const meta = childrenOf(node, 'wp:postmeta').map(
    (entry) => [textOf(entry, 'wp:meta_key'), textOf(entry, 'wp:meta_value')] as const,
  );
  return {
    id: textOf(node, 'wp:post_id'),
    type: textOf(node, 'wp:post_type'),
    status: textOf(node, 'wp:status'),
    title: textOf(node, 'title'),
    link: textOf(node, 'link'),
    guid: textOf(node, 'guid'),
    author: textOf(node, 'dc:creator'),
    slug: textOf(node, 'wp:post_name'),
    parent: textOf(node, 'wp:post_parent'),
    date: timeOf(textOf(node, 'wp:post_date_gmt')) ?? timeOf(textOf(node, 'wp:post_date')),
    hasPassword: textOf(node, 'wp:post_password') !== '',
    isSticky: textOf(node, 'wp:is_sticky') === '1',
    content: storable(wholeTextOf(node, 'content:encoded')),
    excerpt: textOf(node, 'excerpt:encoded'),
    terms: childrenOf(node, 'category').map((term) => ({
      domain: attributeOf(term, 'domain'),
      slug: attributeOf(term, 'nicename'),
      name: ownText(term).trim(),
    })),
    meta: new Map(meta),
    comments: childrenOf(node, 'wp:comment').flatMap(readComment),
    fileAddress: textOf(node, 'wp:attachment_url'),
    order: Number(textOf(node, 'wp:menu_order')) || 0,
  };
}
