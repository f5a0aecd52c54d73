import { serverText } from '#server/core/messages/server-text';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';
import { createYielder } from '#server/core/async';
import { InvalidInputError, messageOf } from '#server/core/errors';
import type { KeptComment } from '#server/core/site/imports';
import { storable } from '#server/markup/html-tree';

/**
 * An XML element: a string if it has text only, else an object of its child elements, its attributes (`@name`) and its
 * text (`#text`).
 */
export type XmlNode = string | { readonly [name: string]: XmlNode | readonly XmlNode[] };

/** Elements that may occur several times, and are therefore always arrays. */
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

/**
 * The five entities of XML and character references are decoded; a document that defines its own is refused earlier.
 */
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
 * Maximum characters of a piece: of one item, or of everything outside the items. The parser takes seconds and a
 * gigabyte for 30 million; the longest novel in a single post has some 3 million.
 */
const MAX_PIECE = 5_000_000;

/**
 * Maximum tags of a piece. Each costs the parser as much as hundreds of characters; a post with 3,000 comments has
 * 90,000, the terms of a very large site 200,000.
 */
const MAX_TAGS = 200_000;
/** Maximum number of items of a file: an item of WordPress has about 1,000 characters, so 32 MB have about 30,000. */
const MAX_ITEMS = 50_000;

function isTooLarge(xml: string): boolean {
  return xml.length > MAX_PIECE || countOf('<', xml) > MAX_TAGS;
}

/** A piece of the document, and the line in which it begins. */
interface Piece {
  readonly xml: string;
  readonly line: number;
}

/**
 * Parses a WXR file one item at a time, so that the tree of a large site is never completely in memory, and other
 * requests do not wait for all of it. CDATA is kept whole.
 * @param onTooLarge called for an item above 5,000,000 characters or 200,000 tags, which is not parsed
 * @throws InvalidInputError with the line, if the file is not XML, is cut off, has more than these limits outside its
 * items, or defines its own document type
 */
export async function readWxr(
  text: string,
  onItem: (item: XmlNode) => void,
  onTooLarge: (title: string, line: number) => void,
): Promise<{ readonly channel: XmlNode; readonly items: number }> {
  let rest = '';
  let line = 1;
  let from = 0;
  let start: number | null = null;
  let items = 0;
  const yieldIfDue = createYielder();
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
      const piece = pass(mark.at);
      if (isTooLarge(piece.xml)) onTooLarge(titleOf(piece.xml), piece.line);
      else onItem(parse(piece, 'item'));
      // Preserves the line numbers of what follows.
      rest += '\n'.repeat(lineBreaks(text.slice(start, mark.at)));
      start = null;
      items += 1;
      if (items > MAX_ITEMS) throw new InvalidInputError(serverText('import-many-items', { count: MAX_ITEMS }));
      await yieldIfDue();
    }
  }
  if (start !== null) throw fault(line, 'an <item> that does not end: the file is cut off');
  rest += pass(text.length).xml;
  const rss = child(parse({ xml: rest, line: 1 }, null), 'rss');
  const channel = rss === undefined ? undefined : child(rss, 'channel');
  if (channel === undefined) throw new InvalidInputError(serverText('import-no-channel'));
  return { channel, items };
}

/** Title of an item that is too large to parse; empty if it does not begin with one. */
function titleOf(item: string): string {
  const [, title = ''] = /<title>(?:<!\[CDATA\[)?([^<\]]*)/.exec(item.slice(0, 2_000)) ?? [];
  return title.trim();
}

/** `at`: offset of the start; for a closing tag, of its end. */
type Mark = { readonly kind: 'open' | 'close'; readonly at: number };

/** Starts and ends of items, ignoring CDATA and comments. */
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
  if (isTooLarge(xml)) throw fault(line, 'more than 5,000,000 characters or 200,000 tags in one piece');
  // oxlint-disable-next-line typescript/no-deprecated -- what stands for it is a package of its own
  const result = XMLValidator.validate(xml);
  if (result !== true) throw fault(line + result.err.line - 1, result.err.msg);
  const root = parsed(xml, line);
  return name === null ? root : (child(root, name) ?? '');
}

/** Parses XML; refuses names that JavaScript itself uses, and deeply nested elements. */
function parsed(xml: string, line: number): XmlNode {
  try {
    return parser.parse(xml) as XmlNode;
  } catch (error) {
    throw fault(line, messageOf(error));
  }
}

function fault(line: number, what: string): InvalidInputError {
  return new InvalidInputError(serverText('import-bad-xml', { line: String(line), reason: what.replace(/\.$/, '') }), {
    details: { line },
  });
}

const lineBreaks = (text: string) => countOf('\n', text);

function countOf(sign: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) count += 1;
  return count;
}

function lineAt(text: string, at: number): number {
  return lineBreaks(text.slice(0, at)) + 1;
}

/** The first child element with a name. */
function child(node: XmlNode, name: string): XmlNode | undefined {
  const found = typeof node === 'string' ? undefined : node[name];
  return Array.isArray(found) ? (found as readonly XmlNode[])[0] : (found as XmlNode | undefined);
}

/** All child elements with a name. */
export function childrenOf(node: XmlNode, name: string): readonly XmlNode[] {
  const found = typeof node === 'string' ? undefined : node[name];
  if (found === undefined) return [];
  return Array.isArray(found) ? (found as readonly XmlNode[]) : [found as XmlNode];
}

/** The text of a child element, trimmed; empty if it is missing. */
export function textOf(node: XmlNode, name: string): string {
  return wholeTextOf(node, name).trim();
}

/** The text of a child element, not trimmed; empty if it is missing. */
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

/** An attribute; empty if it is missing. */
function attributeOf(node: XmlNode, name: string): string {
  return textOf(node, `@${name}`);
}

/** A taxonomy term of an item. */
export interface WxrTerm {
  /** `category`, `post_tag`, `post_format`, `nav_menu`, ... */
  readonly domain: string;
  readonly slug: string;
  readonly name: string;
}

/** An `<item>` of WordPress's export: the fields that the import reads. */
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
  /** Percent-encoded if it is not Latin. */
  readonly slug: string;
  /** Id of the parent; `0`: none. */
  readonly parent: string;
  /** Epoch milliseconds; null if missing. */
  readonly date: number | null;
  readonly hasPassword: boolean;
  readonly isSticky: boolean;
  readonly content: string;
  readonly excerpt: string;
  readonly terms: readonly WxrTerm[];
  readonly meta: ReadonlyMap<string, string>;
  /** Comments except spam. */
  readonly comments: readonly KeptComment[];
  /** Address of the file, for attachments. */
  readonly fileAddress: string;
  readonly order: number;
}

/** `2010-07-26 02:40:01` as epoch milliseconds; null for `0000-00-00 ...`. */
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

/** Parses an item; no field is required. */
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
