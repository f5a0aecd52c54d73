import { createYielder } from '#server/core/async';
import { InvalidInputError } from '#server/core/errors';
import { MAX_DEPTH, MAX_FIELDS } from '#server/core/json';
import { JsonValueCounter } from '#server/core/json-scan';
import type { ImportPlan } from '#server/import-export/plan/import-plan';
import { collapseSpaces, shorten } from '#server/core/text/short-text';
import { refusedJson } from '#server/core/messages/coded-errors';
import { serverText } from '#server/core/messages/server-text';
import { planJson } from '#server/import-export/plan/plan-json';
import { decodeImportFile } from '#server/import-export/plan/decode-import-file';

/**
 * Parses an import file: a WordPress export (WXR, which is XML) or a JSON export of this product.
 * @param now epoch milliseconds
 * @throws InvalidInputError if it is neither, or damaged
 */
export async function readImportFile(data: Uint8Array, now: number): Promise<ImportPlan> {
  const { text, badLine } = decodeImportFile(data);
  const [first] = text.trimStart();
  if (first === '{') {
    await requireFewValues(data);
    return planJson(text, now);
  }
  if (!isXml(text)) throw new InvalidInputError(serverText('import-unknown-file'));
  const { plan, removed } = await planXml(text, now);
  for (const words of removed)
    plan.log.addAltered('file', shorten(collapseSpaces(words.replaceAll(/<[^<>]*>/g, ' ')), 80), TEXT_AROUND_XML);
  if (badLine !== null) plan.log.addAltered('file', `line ${badLine}`, BAD_BYTES);
  return plan;
}

/**
 * Parses the XML in a text. Text before the XML, such as an error message of PHP, may itself contain `<?xml` or `<rss`:
 * if the XML cannot be read from one such position, the next one is tried.
 * @throws InvalidInputError for the first position, if all fail
 */
async function planXml(text: string, now: number): Promise<{ plan: ImportPlan; removed: readonly string[] }> {
  // The XML parser is loaded on demand.
  const { planWxr } = await import('#server/import-export/plan/plan-wxr');
  let problem: InvalidInputError | null = null;
  for (const begin of xmlBeginnings(text)) {
    const xml = xmlFrom(text, begin);
    try {
      return { plan: await planWxr(xml.text, now), removed: xml.removed };
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      problem ??= error;
    }
  }
  throw problem ?? new InvalidInputError(serverText('import-no-wordpress'));
}

/** Maximum JSON values of a file: 1,000 pages of 20 sections have about 200,000. */
const MAX_VALUES = 500_000;
/** Bytes to scan before other requests may run. A choice, not measured. */
const PIECE = 1_000_000;

/** @throws InvalidInputError if parsing the file would take too much memory and time */
async function requireFewValues(data: Uint8Array): Promise<void> {
  const yieldIfDue = createYielder();
  const counter = new JsonValueCounter();
  for (let at = 0; at < data.byteLength; at += PIECE) {
    counter.add(data.subarray(at, at + PIECE));
    if (counter.deepest > MAX_DEPTH) throw refusedJson('file', 'levels');
    if (counter.mostFields > MAX_FIELDS) throw refusedJson('file', 'fields');
    if (counter.count > MAX_VALUES)
      throw new InvalidInputError(serverText('import-many-values', { count: MAX_VALUES }));
    await yieldIfDue();
  }
}

const TEXT_AROUND_XML = serverText('import-text-around-xml');
const BAD_BYTES = serverText('import-bad-bytes');

/**
 * Characters before the XML in which its beginning is searched: PHP notices, lines of a theme. A choice, not measured.
 */
const MAX_BEFORE_XML = 100_000;

const BEGINNING = /<\?xml\s|<rss[\s>]/g;
/** Maximum number of positions that are tried. A choice, not measured. */
const MAX_BEGINNINGS = 5;

function isXml(text: string): boolean {
  return text.trimStart().startsWith('<') || text.slice(0, MAX_BEFORE_XML).search(BEGINNING) >= 0;
}

/**
 * Indexes at which the XML in a text may begin, in order; an `<rss` directly after a declaration is not another one.
 */
function xmlBeginnings(text: string): number[] {
  const found: number[] = [];
  let isDeclared = false;
  for (const { index, 0: words } of text.slice(0, MAX_BEFORE_XML).matchAll(BEGINNING)) {
    const isRoot = words.startsWith('<rss');
    if (!isRoot || !isDeclared) found.push(index);
    isDeclared = !isRoot;
  }
  return found.length === 0 ? [0] : found.slice(0, MAX_BEGINNINGS);
}

/**
 * The XML from an index, without what a site's PHP wrote before and after it, and without the declaration, which must
 * be at the beginning. Line numbers do not change.
 */
function xmlFrom(text: string, begin: number): { readonly text: string; readonly removed: readonly string[] } {
  const [declaration = ''] = /^<\?xml\s[^<>]*\?>/.exec(text.slice(begin, begin + 1_000)) ?? [];
  const start = begin + declaration.length;
  const close = text.lastIndexOf('</rss>');
  const end = close < start ? text.length : close + '</rss>'.length;
  const removed = [text.slice(0, begin), text.slice(end)].filter((words) => words.trim() !== '');
  const lines = text.slice(0, start).replaceAll(/[^\n]+/g, '');
  return { text: lines + text.slice(start, end), removed };
}
