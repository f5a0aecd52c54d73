import { readMarkdown } from '#server/markup/read-markdown';
import type { Segment } from '#server/wordpress/blocks/read-segments';
import { withoutDelimiters } from '#server/wordpress/blocks/source/block-scan';
import type { JsonValue } from '#server/core/json';

/**
 * A WordPress shortcode, in HTML or (with escaped brackets) in markdown: `[acme_hours days="Sat"]`, `[/box]`. Brackets
 * followed by an address are a link, and double brackets are literal text. The name may have 41 characters and the
 * attributes 500: choices, not measured, that keep the search fast in a text with an unclosed bracket.
 */
const SHORTCODE = /\\?\[(\/)?([a-z](?:[\w-]|\\_){0,40})(\s[^\][\n]{0,500}|)\/?\\?\](?!\()/gi;
/** Code within running text, and fenced code in a list: kept unchanged. */
const CODE = /(?<![`\\])(`+)(?!`)[^]*?(?<!`)\1(?!`)/g;
/** Marks the position of a removed shortcode; no stored text contains it. */
const HOLE = '\0';
/** Adjacent holes, with the blanks before, between and after them. */
const HOLES = /(?<![ \t])([ \t]*)\0((?:[ \t]*\0)*)([ \t]*)/g;
/** A markdown link whose only text was a shortcode. */
const EMPTY_LINK = /\[(\0+)\]\([^\s()]*(?: "[^"\n]*")?\)/g;
/** An HTML link whose only text was a shortcode, or another hole. */
const EMPTY_ANCHOR = /<a\b[^<>]*>\0<\/a>|\0/g;
/** Code, in which brackets are text, or the text between two HTML tags: attribute values are not shown as text. */
const HTML_TEXT = /<(code|pre)\b[^<>]*>[^]*?<\/\1>|(?<=^|>)([^<]+)/g;
/**
 * Maximum characters of a shortcode in a placeholder section. A choice, not measured: editors recognize it by its
 * start.
 */
const MAX_SHORTCODE_CHARS = 120;

/** The shortcode as its author wrote it. */
function shortcodeText(text: string): string {
  return text.replaceAll('\\', '').trim();
}

/** True if a text consists of shortcodes only. */
function hasOnlyShortcodes(text: string): boolean {
  const inside = text.replace(/^<p>/, '').replace(/<\/p>$/, '');
  return inside.trim() !== '' && inside.replaceAll(SHORTCODE, '').trim() === '';
}

function plainName(name: string): string {
  return name.replaceAll('\\', '').toLowerCase();
}

/**
 * Distinguishes a shortcode within other content from text in brackets such as "[sic]" or "[e-mail]". True if it has an
 * attribute, if its name contains an underscore, or if the text contains a closing tag of this name (`closed`).
 */
function isShortcode([, , name = '', values = '']: RegExpMatchArray, closed: ReadonlySet<string>): boolean {
  const own = plainName(name);
  return values.includes('=') || own.includes('_') || closed.has(own);
}

/** A section that shows editors the removed shortcode, and shows visitors nothing. */
function placeholderSection(shortcode: string, raw: string): Segment {
  return { raw, type: 'html', fields: { html: '', block: shortcode.slice(0, MAX_SHORTCODE_CHARS) } };
}

interface Cleaned {
  readonly text: string;
  /** The removed shortcodes, without closing tags. */
  readonly found: readonly string[];
}

/** Names of the shortcodes that have a closing tag in a text, in lower case. */
function closedIn(text: string): ReadonlySet<string> {
  if (!text.includes('[/')) return new Set();
  return new Set([...text.matchAll(SHORTCODE)].flatMap(([, end, name = '']) => (end ? [plainName(name)] : [])));
}

/** Replaces each shortcode of a text by a hole. */
function withHoles(text: string, closed: ReadonlySet<string>): Cleaned {
  const found: string[] = [];
  const shown = [...text.matchAll(CODE)].map(({ index, 0: code }) => ({ start: index, end: index + code.length }));
  let next = 0;
  const rest = text.replaceAll(SHORTCODE, (...match) => {
    const all = match as unknown as RegExpMatchArray;
    const at = match.find((part) => typeof part === 'number') ?? 0;
    while (next < shown.length && shown[next]!.end <= at) next += 1;
    const isInCode = next < shown.length && shown[next]!.start < at;
    const isDoubled =
      /\[\\?$/.test(text.slice(Math.max(0, at - 2), at)) &&
      /^\\?\](?!\()/.test(text.slice(at + all[0].length, at + all[0].length + 3));
    if (isDoubled || isInCode || !isShortcode(all, closed)) return all[0];
    if (all[1] === undefined) found.push(shortcodeText(all[0]));
    return HOLE;
  });
  return { text: rest, found };
}

/** Keeps one of the blanks around a hole, and all blanks at the start of a line: they define the depth of a list. */
function withoutHoles(text: string, isMarkdown: boolean): string {
  return text.replaceAll(HOLES, (...match) => {
    const [all, before, between, after] = match as unknown as readonly [string, string, string, string];
    const at = match.find((part) => typeof part === 'number') ?? 0;
    const isAtStart = isMarkdown && (at === 0 || text[at - 1] === '\n');
    const isAtEnd = isMarkdown && /^(?:\n|$)/.test(text.slice(at + all.length, at + all.length + 1));
    if (isAtStart) return before;
    if (isAtEnd) return '';
    return before === '' && after === '' && !/[ \t]/.test(between) ? '' : ' ';
  });
}

/** Markdown without shortcodes. */
function cleanMarkdown(text: string, closed: ReadonlySet<string>): Cleaned {
  const { text: holed, found } = withHoles(text, closed);
  if (holed === text) return { text, found };
  return {
    text: withoutHoles(holed.replaceAll(EMPTY_LINK, '$1'), true)
      .replace(/^\s*\n/, '')
      .trimEnd(),
    found,
  };
}

/** Plain text without shortcodes. */
function cleanPlainText(text: string): Cleaned {
  const { text: holed, found } = withHoles(text, closedIn(text));
  return holed === text ? { text, found } : { text: withoutHoles(holed, false).trim(), found };
}

/**
 * Splits a text section into text sections and a section for each shortcode at its position; shortcodes of the heading
 * are last. Each shortcode section has the `raw` of the whole text, so the `raw` of the parts do not add up to that of
 * the segment.
 */
function splitAtShortcodes({ raw, fields }: Segment, body: string): Segment[] {
  const segments: Segment[] = [];
  let paragraphs: string[] = [];
  const closed = closedIn(body);
  const title = typeof fields['heading'] === 'string' ? cleanPlainText(fields['heading']) : null;
  let heading = title === null ? fields['heading'] : title.text || undefined;
  const flush = () => {
    const text = paragraphs.join('\n\n');
    if (text !== '' || heading !== undefined) {
      const own = heading === undefined ? {} : { heading };
      segments.push({ raw: text, type: 'text', fields: { ...own, body: text } });
    }
    heading = undefined;
    paragraphs = [];
  };
  for (const { type, position } of readMarkdown(body).children) {
    const paragraph = body.slice(position?.start.offset, position?.end.offset);
    if (type === 'code') {
      paragraphs.push(paragraph);
      continue;
    }
    if (hasOnlyShortcodes(paragraph)) {
      flush();
      segments.push(placeholderSection(shortcodeText(paragraph), raw));
      continue;
    }
    const { text, found } = cleanMarkdown(paragraph, closed);
    if (text !== '') paragraphs.push(text);
    if (found.length === 0) continue;
    flush();
    segments.push(...found.map((shortcode) => placeholderSection(shortcode, raw)));
  }
  flush();
  return [...segments, ...(title?.found ?? []).map((shortcode) => placeholderSection(shortcode, raw))];
}

/**
 * Names of plain-text fields of sections, and of the items in sections, that are not text sections (their heading and
 * body are handled by `splitAtShortcodes`).
 */
const PLAIN_FIELDS = new Set([
  'heading',
  'subheading',
  'quote',
  'author',
  'role',
  'caption',
  'alt',
  'text',
  'title',
  'label',
]);

/** Removes the shortcodes from the texts in a value, at any depth. */
function withoutShortcodesIn(value: JsonValue, found: string[], name = ''): JsonValue {
  if (typeof value === 'string') {
    if (!PLAIN_FIELDS.has(name) || !value.includes('[')) return value;
    const clean = cleanPlainText(value);
    found.push(...clean.found);
    return clean.text;
  }
  if (Array.isArray(value)) return value.map((item) => withoutShortcodesIn(item, found, name));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withoutShortcodesIn(item ?? null, found, key)]),
  );
}

/**
 * Removes shortcodes, which would be shown as text, from a segment: each becomes a separate section that shows editors
 * the shortcode and shows visitors nothing. Text in brackets that is not a shortcode stays.
 */
export function withoutShortcodes(segment: Segment): Segment[] {
  const { type, fields, raw } = segment;
  const { body, html } = fields;
  if (type === 'text' && typeof body === 'string') {
    if (!JSON.stringify(fields).includes('[')) return [segment];
    const parts = splitAtShortcodes(segment, body);
    return parts.some((part) => part.type === 'html') ? parts : [segment];
  }
  if (type !== 'html') {
    const found: string[] = [];
    const clean = withoutShortcodesIn(fields, found) as typeof fields;
    return found.length === 0
      ? [segment]
      : [{ ...segment, fields: clean }, ...found.map((name) => placeholderSection(name, raw))];
  }
  if (typeof html !== 'string' || !html.includes('[')) return [segment];
  if (hasOnlyShortcodes(html.trim()))
    return [placeholderSection(shortcodeText(withoutDelimiters(html).replaceAll(/<\/?p>/g, '')), raw)];
  const found: string[] = [];
  const closed = closedIn(html);
  const rest = html.replaceAll(HTML_TEXT, (all: string, _code: string | undefined, words: string | undefined) => {
    const holed = words === undefined ? null : withHoles(words, closed);
    if (holed === null || holed.text === words) return all;
    found.push(...holed.found);
    const text = withoutHoles(holed.text, false);
    return text.trim() === '' ? HOLE : text;
  });
  if (found.length === 0) return [segment];
  return [
    { ...segment, fields: { ...fields, html: rest.replaceAll(EMPTY_ANCHOR, '') } },
    ...found.map((shortcode) => placeholderSection(shortcode, raw)),
  ];
}

/** The shortcode that a section represents; null if it represents none. */
export function shortcodeOf({ type, fields: { html, block } }: Pick<Segment, 'type' | 'fields'>): string | null {
  return type === 'html' && html === '' && typeof block === 'string' && block.startsWith('[') ? block : null;
}
