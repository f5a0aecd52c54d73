import type { Element, Root, RootContent } from 'hast';
import { z } from 'zod';
import { isVerse } from '#server/wordpress/blocks/block-reader';
import { cutBlocks } from '#server/wordpress/blocks/source/block-scan';
import { insideOf } from '#server/wordpress/blocks/patch-markup';
import { SourceEdits } from '#server/wordpress/blocks/source/source-edits';
import { rangeOf } from '#server/wordpress/blocks/source/source-places';
import { PICTURE_HOST } from '#server/import-export/plan/data-pictures';
import { parseJson } from '#server/core/json';
import type { ServerText } from '#server/core/coded-message';
import { distinctTexts } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { attribute, childrenOf, elementsWithin, findElement, wordsOf } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { inUnicodeScript } from '#server/markup/unicode-scripts';
import { escapeText } from '#server/markup/write-html';

/* Rewrites WordPress markup, before it is read, into equivalent markup that sections can contain. */

/** Footnotes as WordPress stores them with the entry; `content` is HTML. */
const footnotesSchema = z.array(z.object({ id: z.string(), content: z.string() }));

/** Properties of an entry that are needed to rewrite its markup. */
export interface MarkupSource {
  /** Address of its page: the base of its relative addresses. */
  readonly link: string;
  /** WordPress's field `footnotes`: JSON; empty if the entry has none. */
  readonly footnotes: string;
}

/** Markup that sections can contain. */
export interface PreparedMarkup {
  readonly markup: string;
  /** Sentences about what was lost or changed. */
  readonly remarks: readonly ServerText[];
}

/**
 * Rewrites the markup of an entry: code in shortcodes becomes code elements, footnotes become a list, relative
 * addresses become absolute, lazily loaded pictures get their address.
 */
export function prepareMarkup(raw: string, source: MarkupSource): PreparedMarkup {
  const remarks: ServerText[] = [];
  const parsed = footnotesSchema.safeParse(parseJson(source.footnotes));
  const notes = parsed.success ? parsed.data : [];
  const numbers = new Map(notes.map(({ id }, index) => [id, index + 1]));
  const isClassic = !raw.includes('<!-- wp:');
  const coded = withCode(raw);
  const rewritten = cutBlocks(coded)
    .map((piece) => rewritePiece(piece.raw, { link: source.link, numbers, isClassic, remarks }))
    .join('');
  return { markup: withNotes(rewritten, notes), remarks: distinctTexts(remarks) };
}

const NOTES_BLOCK = /<!-- wp:footnotes(?:\s+\{[^}]*\})?\s+\/-->/;

/** Inserts the footnotes as a list at the position where WordPress shows them, else at the end. */
function withNotes(markup: string, notes: z.infer<typeof footnotesSchema>): string {
  if (notes.length === 0) return markup;
  const items = notes.map(({ content }) => `<!-- wp:list-item --><li>${content}</li><!-- /wp:list-item -->`).join('');
  const list = `<!-- wp:list {"ordered":true} --><ol>${items}</ol><!-- /wp:list -->`;
  return NOTES_BLOCK.test(markup) ? markup.replace(NOTES_BLOCK, () => list) : `${markup}\n\n${list}`;
}

/**
 * Characters before or after a position that are searched for blanks and closing tags. A choice, not measured: far more
 * than editors write there, and a bound for the time in a long text.
 */
const LOOK_AROUND = 200;

/** What the rewriting of one piece of an entry needs, and the remarks that it adds to. */
interface Rewriting {
  readonly link: string;
  /** Footnote numbers by footnote id. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly isClassic: boolean;
  readonly remarks: ServerText[];
}

/** Elements whose text becomes a plain-text field. */
const PLAIN = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'figcaption', 'cite'];
const NEEDS_REWRITING = /<(?:sup|sub|img|a|blockquote|pre)\b|<!--/i;

function rewritePiece(raw: string, rewriting: Rewriting): string {
  if (!NEEDS_REWRITING.test(raw)) return raw;
  const tree = parseHtmlWithinLimits(raw, true);
  if (tree === null) return raw;
  const edits = new SourceEdits(raw);
  const replaced = new Set<Element>();
  for (const plain of elementsWithin(tree).filter(({ tagName }) => PLAIN.includes(tagName))) {
    for (const element of elementsWithin(plain).filter(({ tagName }) => tagName === 'sup' || tagName === 'sub'))
      if (!replaced.has(element)) setPlainScript(element, edits, replaced, rewriting);
  }
  for (const element of elementsWithin(tree)) {
    if (replaced.has(element)) continue;
    if (element.tagName === 'sup') setFootnoteMark(element, edits, replaced, rewriting);
    else if (element.tagName === 'img') setPicture(element, edits, rewriting);
    else if (element.tagName === 'a') setLink(element, edits, replaced, rewriting);
    else if (isVerse(element)) setVerseSpaces(element, raw, edits);
    else if (element.tagName === 'blockquote' && rewriting.isClassic) setParagraphs(element, raw, edits);
  }
  if (rewriting.isClassic) removeInlineComments(tree, raw, edits);
  return edits.applied() ?? raw;
}

function replaceElement(element: Element, text: string, edits: SourceEdits, replaced: Set<Element>): void {
  const range = rangeOf(element);
  if (range === null) return;
  edits.replace(range, text);
  for (const each of [element, ...elementsWithin(element)]) replaced.add(each);
}

/** "m<sup>2</sup>" in a heading becomes "m²": a heading is plain text here. */
function setPlainScript(
  element: Element,
  edits: SourceEdits,
  replaced: Set<Element>,
  { numbers, remarks }: Rewriting,
): void {
  const number = numbers.get(attribute(element, 'dataFn') ?? '');
  const text = number === undefined ? wordsOf(element) : String(number);
  const written = inUnicodeScript(text, element.tagName === 'sup' ? 'sup' : 'sub');
  if (written !== null) replaceElement(element, written, edits, replaced);
  else remarks.push(serverText('import-plain-scripts'));
}

/** Replaces a footnote mark, whose link target does not exist in our pages, by a superscript number. */
function setFootnoteMark(element: Element, edits: SourceEdits, replaced: Set<Element>, rewriting: Rewriting): void {
  const id = attribute(element, 'dataFn');
  if (id === undefined) return;
  const number = rewriting.numbers.get(id);
  if (number === undefined) rewriting.remarks.push(serverText('import-footnote-missing'));
  const written = inUnicodeScript(number === undefined ? wordsOf(element) : String(number), 'sup');
  if (written !== null) replaceElement(element, written, edits, replaced);
}

/** Attributes in which lazy-loading plugins store the address. */
const LAZY_ATTRIBUTES = ['dataSrc', 'dataLazySrc', 'dataOriginal', 'dataLargeFile'];

function setPicture(element: Element, edits: SourceEdits, { link, remarks }: Rewriting): void {
  const src = attribute(element, 'src')?.trim() ?? '';
  const isPlaceholder = src === '' || src.startsWith('data:') || src.startsWith(PICTURE_HOST);
  const late = LAZY_ATTRIBUTES.map((name) => attribute(element, name)?.trim()).find(
    (address) => address !== undefined && /^(?:https?:)?\/|^[\w.-]+\//i.test(address),
  );
  if (isPlaceholder && late !== undefined) {
    edits.setAttribute(element, 'src', 'src', absolute(late, link) ?? late);
    return;
  }
  const range = rangeOf(element);
  if (src.startsWith('data:') && range !== null) {
    remarks.push(serverText('import-data-picture'));
    edits.replace(range, '');
    return;
  }
  const address = absolute(src, link);
  if (address !== null) edits.setAttribute(element, 'src', 'src', address);
}

function setLink(element: Element, edits: SourceEdits, replaced: Set<Element>, rewriting: Rewriting): void {
  const href = attribute(element, 'href')?.trim() ?? '';
  if (href.startsWith('#') && href.length > 1) {
    rewriting.remarks.push(serverText('import-anchors'));
    return;
  }
  const address = absolute(href, rewriting.link);
  if (address !== null && !replaced.has(element)) edits.setAttribute(element, 'href', 'href', address);
}

/** Completes an address without host or leading slash, as a browser resolves it on the page; null if it is complete. */
function absolute(address: string, link: string): string | null {
  if (/^www\.[\w-]+\./i.test(address)) return `https://${address}`;
  const isRelative = /^[\w.~-]/.test(address) && !/^[a-z][a-z0-9+.-]*:/i.test(address);
  if (!isRelative || !/^https?:/i.test(link) || !URL.canParse(address, link)) return null;
  return new URL(address, link).href;
}

/** A verse block shows leading spaces of lines; running text, which it becomes, would not. */
function setVerseSpaces(element: Element, raw: string, edits: SourceEdits): void {
  const inside = insideOf(element);
  if (inside === null) return;
  for (const { index, 1: spaces = '' } of raw.slice(inside.start, inside.end).matchAll(/(?<=^|\n)([ \t]+)/g)) {
    const start = inside.start + index;
    const width = spaces.replaceAll('\t', '    ').length;
    edits.replace({ start, end: start + spaces.length }, '\u00a0'.repeat(width));
  }
}

/**
 * Marks the paragraphs of a quotation in content without blocks, as WordPress does when it shows them: they are
 * separated by blank lines. A quotation that contains block elements is left alone.
 */
function setParagraphs(element: Element, raw: string, edits: SourceEdits): void {
  const inside = insideOf(element);
  if (inside === null || findElement({ type: 'root', children: element.children }, isBlockElement) !== undefined)
    return;
  const words = raw.slice(inside.start, inside.end);
  const paragraphs = words.split(/\n[ \t\r]*\n\s*/).filter((paragraph) => paragraph.trim() !== '');
  // A single paragraph needs no marks.
  if (paragraphs.length < 2) return;
  let at = inside.start;
  for (const paragraph of paragraphs) {
    const start = raw.indexOf(paragraph, at);
    at = start + paragraph.length;
    edits.insert(start, '<p>');
    edits.insert(at, '</p>');
  }
}

const isBlockElement = ({ tagName }: Element) =>
  /^(?:p|div|ul|ol|pre|table|blockquote|h[1-6]|figure|section)$/.test(tagName);

/** Removes comments within a line, which would split the paragraph; "read more" and page breaks are kept as marks. */
function removeInlineComments(tree: Root, raw: string, edits: SourceEdits): void {
  for (const node of commentsIn(tree)) {
    const range = rangeOf(node);
    if (range === null || /^(?:more|nextpage)/.test(node.value)) continue;
    const before = raw.slice(Math.max(0, range.start - LOOK_AROUND), range.start);
    const after = raw.slice(range.end, range.end + LOOK_AROUND);
    const isInLine = !/(?:^|\n)[ \t]*$/.test(before) || !/^[ \t\r]*(?:\n|$)/.test(after);
    if (isInLine) edits.replace(range, '');
  }
}

function commentsIn(node: Root | RootContent): Extract<RootContent, { type: 'comment' }>[] {
  return childrenOf(node).flatMap((child) => (child.type === 'comment' ? [child] : commentsIn(child)));
}

/** Shortcodes that contain code: those of SyntaxHighlighter Evolved, Crayon and similar plugins. */
const CODE_NAMES = new Set(
  (
    'code sourcecode source crayon bash c cpp csharp css diff go html java javascript js json kotlin perl php powershell ' +
    'py python r ruby rust scala sh shell sql swift ts typescript vb xml yaml'
  ).split(' '),
);
const CODE_OPEN = /\[([a-z]{1,12})(\s[^\][\n]{0,300})?\]/gi;
const LANGUAGE = /\b(?:lang|language)\s*=\s*["']?([\w+#-]{1,20})/i;
/** The opening comment of a shortcode block directly before a shortcode. */
const SHORTCODE_OPENER = /(?:<!-- wp:shortcode -->\s*)$/;

/** Converts code in shortcodes to code elements: otherwise it would be read as text and tags. */
function withCode(raw: string): string {
  let text = '';
  let done = 0;
  const unclosed = new Set<string>();
  for (const open of raw.matchAll(CODE_OPEN)) {
    const name = open[1]?.toLowerCase() ?? '';
    if (open.index < done || !CODE_NAMES.has(name)) continue;
    const start = open.index + open[0].length;
    const close = `[/${open[1]}]`;
    const end = unclosed.has(close) ? -1 : raw.indexOf(close, start);
    if (end < 0) {
      unclosed.add(close);
      continue;
    }
    const before = raw.slice(done, open.index);
    const code = raw.slice(start, end);
    const isBlock = /(?:^|\n|>)[ \t]*$/.test(before) && (code.includes('\n') || /<br\s*\/?>/.test(code));
    const language =
      LANGUAGE.exec(open[2] ?? '')?.[1] ?? (/^(?:code|sourcecode|source|crayon)$/.test(name) ? '' : name);
    text += isBlock ? before.replace(SHORTCODE_OPENER, '').replace(/<p>\s*$/, '') : before;
    text += isBlock ? codeBlock(code, language.toLowerCase()) : `<code>${codeText(code)}</code>`;
    done = end + close.length;
    if (isBlock)
      done +=
        /^(?:\s*<\/p>)?(?:\s*<!-- \/wp:shortcode -->)?/.exec(raw.slice(done, done + LOOK_AROUND))?.[0].length ?? 0;
  }
  return text + raw.slice(done);
}

/** Code may be stored escaped or unescaped; line breaks may have become elements. */
function codeText(code: string): string {
  const lines = code.replaceAll(/<\/?p>/g, '').replaceAll(/<br\s*\/?>\n?/g, '\n');
  return lines.replaceAll(/&(?!#?\w{1,31};)/g, '&amp;').replaceAll(/[<>]/g, (mark) => escapeText(mark));
}

function codeBlock(code: string, language: string): string {
  const mark = language === '' ? '' : ` class="language-${language}"`;
  const text = codeText(code)
    .replace(/^\s*\n/, '')
    .trimEnd();
  return `\n<!-- wp:code --><pre class="wp-block-code"><code${mark}>${text}</code></pre><!-- /wp:code -->\n`;
}
