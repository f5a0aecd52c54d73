import { storable } from '#server/content/blocks/html-tree';
import { attributeOf, childrenOf, ownText, textOf, wholeTextOf, type XmlNode } from '#server/import/wxr/read-xml';

/** A term of a taxonomy, as an item has it. */
export interface WxrTerm {
  /** `category`, `post_tag`, `post_format`, `nav_menu`, ... */
  readonly domain: string;
  readonly slug: string;
  readonly name: string;
}

/** An `<item>` of WordPress's export, with what we look at. */
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
  readonly comments: number;
  /** Of the file, for attachments. */
  readonly fileAddress: string;
  readonly order: number;
}

/** `2010-07-26 02:40:01` as epoch milliseconds; `0000-00-00 ...` is none. */
function timeOf(text: string): number | null {
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : Number.NaN;
  return Number.isNaN(time) ? null : time;
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
    comments: childrenOf(node, 'wp:comment').length,
    fileAddress: textOf(node, 'wp:attachment_url'),
    order: Number(textOf(node, 'wp:menu_order')) || 0,
  };
}
