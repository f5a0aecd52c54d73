import { readMarkdown } from '#server/blocks/from-markdown';
import type { Segment } from '#server/blocks/read-segments';
import { withoutDelimiters } from '#server/blocks/block-scan';

/**
 * A shortcode of WordPress, in HTML or (with its marks escaped) in markdown: `[acme_hours days="Sat"]`, `[/box]`. What
 * is followed by an address is a link, and what is in brackets twice is shown.
 */
const SHORTCODE = /\\?\[(\/)?([a-z](?:[\w-]|\\_){0,40})(\s[^\][\n]{0,500}|)\/?\\?\](?!\()/gi;
/** Code within running text, and fenced code in a list: shown as it is written. */
const CODE = /(?<![`\\])(`+)(?!`)[^]*?(?<!`)\1(?!`)/g;
/** Marks where a shortcode stood; no text that is kept has it. */
const HOLE = '\0';
const HOLES = /(^|[ \t]|)(?:\0[ \t]*)+/gm;
/** A link of markdown that had no other words. */
const EMPTY_LINK = /\[(\0+)\]\([^\s()]*(?: "[^"\n]*")?\)/g;
/** A link of HTML that had no other words, or another place whose words were all a shortcode. */
const EMPTY_ANCHOR = /<a\b[^<>]*>\0<\/a>|\0/g;
/** Code, in which brackets are words, or the words between two tags of HTML: within attributes nothing shows as words. */
const HTML_WORDS = /<(code|pre)\b[^<>]*>[^]*?<\/\1>|(?<=^|>)([^<]+)/g;
const MAX_NAME = 120;

/** The shortcode as its author wrote it. */
function written(text: string): string {
  return text.replaceAll('\\', '').trim();
}

/** Tells whether a text is shortcodes and nothing else. */
function isAlone(text: string): boolean {
  const inside = text.replace(/^<p>/, '').replace(/<\/p>$/, '');
  return inside.trim() !== '' && inside.replaceAll(SHORTCODE, '').trim() === '';
}

/**
 * Tells a shortcode from words in brackets, as "[sic]" or "[e-mail]": it has values, a name that is no word, an end, or
 * it stands alone.
 */
function isShortcode([, , name = '', values = '']: RegExpMatchArray, closed: ReadonlySet<string>): boolean {
  const own = name.replaceAll('\\', '').toLowerCase();
  return values.includes('=') || own.includes('_') || closed.has(own);
}

/** A section that tells editors what stood there, and shows visitors nothing. */
function noteOf(shortcode: string, raw: string): Segment {
  return { raw, type: 'html', fields: { html: '', block: shortcode.slice(0, MAX_NAME) } };
}

interface Cleaned {
  readonly text: string;
  /** Shortcodes that were taken out; those that end others are left out. */
  readonly found: readonly string[];
}

function cleaned(text: string): Cleaned {
  const found: string[] = [];
  const closed = new Set(
    [...text.matchAll(SHORTCODE)].flatMap(([, end, name = '']) => (end ? [name.toLowerCase()] : [])),
  );
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
    if (all[1] === undefined) found.push(written(all[0]));
    return HOLE;
  });
  if (found.length === 0) return { text, found };
  // Spaces on both sides of a hole become one. Others stay: those at the start of a line say how deep a list is.
  return {
    text: rest
      .replaceAll(EMPTY_LINK, '$1')
      .replaceAll(HOLES, '$1')
      .replace(/^\s*\n/, '')
      .trimEnd(),
    found,
  };
}

/** Blocks of a text with a section for each shortcode where it stood. */
function partsOf({ raw, fields }: Segment, body: string): Segment[] {
  const segments: Segment[] = [];
  let paragraphs: string[] = [];
  let heading = fields['heading'];
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
    if (isAlone(paragraph)) {
      flush();
      segments.push(noteOf(written(paragraph), raw));
      continue;
    }
    const { text, found } = cleaned(paragraph);
    if (text !== '') paragraphs.push(text);
    if (found.length === 0) continue;
    flush();
    segments.push(...found.map((shortcode) => noteOf(shortcode, raw)));
  }
  flush();
  return segments;
}

/**
 * A segment without shortcodes, which would show as words: each becomes a section of its own that says to editors what
 * stood there, and nothing to visitors. Words in brackets that are none stay.
 */
export function withoutShortcodes(segment: Segment): Segment[] {
  const { type, fields, raw } = segment;
  const { body, html } = fields;
  if (type === 'text' && typeof body === 'string' && body.includes('[')) {
    const parts = partsOf(segment, body);
    return parts.some((part) => part.type === 'html') ? parts : [segment];
  }
  if (type !== 'html' || typeof html !== 'string' || !html.includes('[')) return [segment];
  if (isAlone(html.trim())) return [noteOf(written(withoutDelimiters(html).replaceAll(/<\/?p>/g, '')), raw)];
  const found: string[] = [];
  const rest = html.replaceAll(HTML_WORDS, (all: string, _code: string | undefined, words: string | undefined) => {
    const clean = words === undefined ? null : cleaned(words);
    if (clean === null || clean.found.length === 0) return all;
    found.push(...clean.found);
    return clean.text === '' ? HOLE : clean.text;
  });
  if (found.length === 0) return [segment];
  return [
    { ...segment, fields: { ...fields, html: rest.replaceAll(EMPTY_ANCHOR, '') } },
    ...found.map((shortcode) => noteOf(shortcode, raw)),
  ];
}

/** The shortcode that a section stands for; null: none. */
export function shortcodeOf({ type, fields: { html, block } }: Pick<Segment, 'type' | 'fields'>): string | null {
  return type === 'html' && html === '' && typeof block === 'string' && block.startsWith('[') ? block : null;
}
