import { and, eq, inArray, isNull, max, sql, type SQL } from 'drizzle-orm';
import { blobIdOf } from '#server/core/conversation/part-types/blobs';
import { isJsonObject, type JsonValue } from '#server/core/json';
import type { MessageRole } from '#server/core/conversation/messages';
import { partText } from '#server/core/conversation/part-text';
import type { Part, PartOf } from '#server/core/conversation/parts';
import { asToolImage, toolImages, type ToolOutput } from '#server/core/conversation/part-types/tool-output';
import { pageSize } from '#server/platform/database/cursor';
import type { Database } from '#server/platform/database/database';
import { legacyPartRows, messageIdOfLegacyPart } from '#server/conversation/store/legacy-messages';
import { partFromRow, type PartRow } from '#server/conversation/store/part-codec';
import { blobs, messageParts, messages } from '#server/platform/database/schema/sessions';
import { holdingRows } from '#server/conversation/store/search/trigram-index';
import {
  hasWords,
  dividePhrases,
  isUnspaced,
  matchExpression,
  type Phrases,
  searchPhrases,
  searchSnippet,
  type SoughtWords,
  soughtWords,
  unspacedTerms,
} from '#server/conversation/store/search/search-words';
import type { HistoryImage, HistoryLine } from '#server/tools/tool';

const USUAL_HITS = 10;
const MOST_HITS = 50;

/** The types that the index in the database contains (`searchable_parts`). */
type SearchablePart = PartOf<'text'> | PartOf<'tool-call'> | PartOf<'tool-result'>;

/** A part that matches a search, with its message and time. */
export interface HistoryHit extends Omit<HistoryLine, 'text'> {
  /** The text around the match, at most 200 characters. */
  readonly snippet: string;
  readonly messageId: string;
  readonly turnId: string | null;
  readonly createdAt: number;
}

export interface SearchOptions {
  readonly limit?: number | undefined;
  readonly exceptTurn?: string | undefined;
}

/**
 * Searches and reads what was said and done in a session, including compacted and cleared content. Excludes messages
 * that were replaced by another one.
 */
export interface HistorySearch {
  /**
   * Full-text search over texts, tool inputs and tool outputs (not reasoning, nor the output of search and recall),
   * best first. Parts with all words of the query rank before parts with some of them; words joined by punctuation
   * (`pricing-page`) must be consecutive; words match as prefixes. Any text is a valid query; one without letters or
   * digits finds nothing. Finds only settled parts, and legacy messages without parts only after they are backfilled.
   * @param options.limit default 10, at most 50
   * @param options.exceptTurn a turn that is excluded
   */
  search(sessionId: string, query: string, options?: SearchOptions): Promise<HistoryHit[]>;
  /**
   * The complete text of a message's text, tool input (JSON), tool output or attached text; null if the session has no
   * such part.
   */
  readPart(sessionId: string, partId: string): Promise<string | null>;
  /** The images of a tool output, or the image file of a message, as files of the session. */
  imagesOf(sessionId: string, partId: string): Promise<HistoryImage[]>;
}

/** Condition for the messages of a turn, including the request that started it, which is older than the turn. */
export function ofTurn(message: SQL | typeof messages, turnId: string): SQL {
  return sql`(${message}.turn_id is not null and ${message}.turn_id = ${turnId}
    or ${message}.id is (select user_message_id from turns where turns.id = ${turnId}))`;
}

/** Excludes parts of superseded messages and of the excluded turn. */
function standing(partId: SQL | typeof messageParts.id, exceptTurn = ''): SQL {
  return sql`not exists (
    select 1 from message_parts as part join messages as message on message.id = part.message_id
    where part.id = ${partId} and (message.superseded_by is not null or ${ofTurn(sql`message`, exceptTurn)}))`;
}

/**
 * Maximum number of index rows that are read for one phrase, and how many of them are ranked, newest first: a word in
 * more parts than this is too common to find an old one, and the cost of a search does not grow with the session.
 */
const MOST_ROWS = 2_000;
const RANKED_ROWS = 400;

/** BM25's usual constants: https://www.sqlite.org/fts5.html#the_bm25_function */
const SATURATION = 1.2;
const LENGTH_NORMALIZATION = 0.75;

/** Weight of a word that only begins like a word of the query; the word itself and its forms have 1. A choice. */
const BEGINNING_WEIGHT = 0.4;

interface FoundRow {
  readonly row: number;
  /** Part id. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
}

/** A row with what it was found by. */
interface WeighedRow {
  readonly weight: number;
  /** Positions of the terms that it has. */
  readonly terms: readonly number[];
}

/** A found part; parts of one group have the same words of the query. */
interface Candidate {
  readonly id: string;
  readonly row: number;
  readonly group: string;
}

/** By weight and, as in BM25 for a single occurrence, by shortness; newer first if both are equal. */
function bestFirst(rows: readonly FoundRow[], weightOf: (row: FoundRow) => number): FoundRow[] {
  const usual = rows.reduce((sum, { size }) => sum + size, 0) / Math.max(1, rows.length);
  const scored = rows.map((found) => {
    const length = 1 - LENGTH_NORMALIZATION + (LENGTH_NORMALIZATION * found.size) / usual;
    return { found, score: (weightOf(found) * (1 + SATURATION)) / (1 + SATURATION * length) };
  });
  return scored
    .toSorted((one, other) => other.score - one.score || other.found.row - one.found.row)
    .map(({ found }) => found);
}

/** Best first, with the newest ones in between: a value that was said often is also found as it was said last. */
function withNewest(best: readonly FoundRow[]): FoundRow[] {
  const newest = best.toSorted((one, other) => other.row - one.row);
  return [...new Set(best.flatMap((row, index) => [row, newest[index]!]))];
}

/** The order of the hits, in which those of one group take the places of the group, the newest first. */
function newestFirst<C extends { readonly candidate: Candidate }>(hits: readonly C[]): C[] {
  const groups = Map.groupBy(hits, ({ candidate }) => candidate.group);
  const newest = (of: readonly C[]) => of.toSorted((one, other) => other.candidate.row - one.candidate.row);
  const sorted = new Map([...groups].map(([group, of]) => [group, newest(of)]));
  return hits.map(({ candidate }) => sorted.get(candidate.group)!.shift()!);
}

/** The search over the indexes that the triggers of the migrations 0002 and 0032 maintain. */
export function createHistorySearch(db: Database): HistorySearch {
  /** Matching rows of the index of words, newest first: the index is read backwards up to the limit. */
  async function rowsOf(expression: string): Promise<number[]> {
    const rows = await db.read.all<{ row: number }>(sql`
      select rowid as "row" from history_search where history_search match ${expression}
      order by rowid desc limit ${MOST_ROWS}`);
    return rows.map(({ row }) => row);
  }

  /** Rows of a session that contain a text in a script without spaces, newest first. */
  async function rowsHolding(sessionId: string, text: string): Promise<number[]> {
    const rows = await db.read.all<{ row: number }>(sql`
      select holding.id as "row" from (${holdingRows(text, sessionId)}) as holding
      order by holding.id desc limit ${MOST_ROWS}`);
    return rows.map(({ row }) => row);
  }

  /** Rows of a session with all phrases. */
  async function rowsWithAll(sessionId: string, phrases: Phrases): Promise<number[]> {
    const { spaced, unspaced } = dividePhrases(phrases);
    const found = await Promise.all([
      ...(spaced.length > 0 ? [rowsOf(matchExpression(sessionId, spaced, 'AND'))] : []),
      ...unspaced.map((word) => rowsHolding(sessionId, word)),
    ]);
    const [first = [], ...others] = found.map((rows) => new Set(rows));
    return [...first].filter((row) => others.every((rows) => rows.has(row)));
  }

  /** Parts that match, best first, in lists; each list is read when the previous one is used up. */
  async function* findParts(
    sessionId: string,
    phrases: Phrases,
    exceptTurn?: string,
  ): AsyncGenerator<readonly Candidate[]> {
    const all = await readRows(await rowsWithAll(sessionId, phrases), exceptTurn);
    const best = withNewest(bestFirst(all, () => 1)).map((row) => ({ ...row, group: 'all' }));
    yield best;
    if (phrases.length === 1 && !phrases.some(isUnspaced)) return;
    const weighed = await weighRows(sessionId, phrases);
    const some = await readRows([...weighed.keys()], exceptTurn);
    const known = new Set(best.map(({ id }) => id));
    const others = bestFirst(some, ({ row }) => weighed.get(row)?.weight ?? 0)
      .filter(({ id }) => !known.has(id))
      .map((row) => ({ ...row, group: weighed.get(row.row)!.terms.join(' ') }));
    // What was said last of what matches best is among the first.
    const [first] = others;
    const [newest] = others.filter(({ group }) => group === first?.group).toSorted((a, b) => b.row - a.row);
    yield newest === undefined ? [] : [...new Set([newest, ...others])];
  }

  /**
   * The rows with some of the phrases, heaviest first: the fewer rows of the session contain a phrase, the more it
   * weighs (inverse document frequency, as in BM25).
   */
  async function weighRows(sessionId: string, phrases: Phrases): Promise<Map<number, WeighedRow>> {
    const parts = await countParts(sessionId);
    const rarity = (rows: number) => Math.log(1 + Math.max(0, parts - rows + 0.5) / (rows + 0.5));
    const weights = new Map<number, { weight: number; terms: number[] }>();
    let term = 0;
    const weigh = (rows: readonly number[], share: number) => {
      for (const row of rows) {
        const present = weights.get(row) ?? { weight: 0, terms: [] };
        present.weight += share * rarity(rows.length);
        if (present.terms.at(-1) !== term) present.terms.push(term);
        weights.set(row, present);
      }
    };
    for (const words of phrases) {
      if (isUnspaced(words)) {
        const { trigrams, short } = unspacedTerms(words);
        // A long clause weighs as much as a word.
        const share = 1 / Math.max(1, trigrams.length + short.length);
        for (const piece of [...trigrams, ...short]) {
          weigh(await rowsHolding(sessionId, piece), share);
          term += 1;
        }
      } else {
        const exact = await rowsOf(matchExpression(sessionId, [words], 'AND', 'words'));
        const beginning = await rowsOf(matchExpression(sessionId, [words], 'AND'));
        const known = new Set(exact);
        weigh(exact, 1);
        term += 1;
        weigh(beginning.filter((row) => !known.has(row)), BEGINNING_WEIGHT); // oxfmt-ignore
        term += 1;
      }
    }
    return new Map([...weights].toSorted(([row, one], [other, its]) => its.weight - one.weight || other - row));
  }

  /** Approximate number of parts, estimated from the number of the newest message. */
  async function countParts(sessionId: string): Promise<number> {
    const newest = await db.read
      .select({ seq: max(messages.seq) })
      .from(messages)
      .where(eq(messages.sessionId, sessionId))
      .get();
    return (newest?.seq ?? 0) * 2;
  }

  /** Reads the first `RANKED_ROWS` rows, without superseded and excluded ones. */
  async function readRows(rows: readonly number[], exceptTurn?: string): Promise<FoundRow[]> {
    if (rows.length === 0) return [];
    return db.read.all<FoundRow>(sql`
      select searchable_parts.id as "row", found.id as id, octet_length(found.content) as size
      from json_each(${JSON.stringify(rows.slice(0, RANKED_ROWS))}) as wanted
      join searchable_parts on searchable_parts.id = wanted.value
      join message_parts as found on found.id = searchable_parts.part_id
      where ${standing(sql`found.id`, exceptTurn)}`);
  }

  async function readAttachedText(sessionId: string, url: string): Promise<string | null> {
    const ofSession = and(eq(blobs.id, blobIdOf(url) ?? ''), eq(blobs.sessionId, sessionId));
    const blob = await db.read.select().from(blobs).where(ofSession).get();
    return blob && !blob.mediaType.startsWith('image/') ? new TextDecoder().decode(blob.data) : null;
  }

  async function findPart(sessionId: string, partId: string): Promise<Part | undefined> {
    const row = await db.read
      .select()
      .from(messageParts)
      .where(and(eq(messageParts.id, partId), eq(messageParts.sessionId, sessionId), standing(messageParts.id)))
      .get();
    const found = row ?? (await findLegacyPart(db, sessionId, partId));
    return found && partFromRow(found);
  }

  return {
    async search(sessionId, query, { limit, exceptTurn } = {}) {
      const phrases = searchPhrases(query);
      if (phrases.length === 0) return [];
      const most = pageSize(limit, USUAL_HITS, MOST_HITS);
      const atOnce = Math.max(most, USUAL_HITS);
      const hits: (HistoryHit & { readonly candidate: Candidate })[] = [];
      for await (const candidates of findParts(sessionId, phrases, exceptTurn)) {
        const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
        const ids = [...byId.keys()];
        // Some candidates are no hits, because the words were in a tool's explanation.
        for (let next = 0; next < ids.length && hits.length < most; next += atOnce) {
          const found = await readHits(db, ids.slice(next, next + atOnce), phrases);
          hits.push(...found.map((hit) => ({ ...hit, candidate: byId.get(hit.partId)! })));
        }
        if (hits.length >= most) break;
      }
      return newestFirst(hits.slice(0, most)).map(({ candidate: _, ...hit }) => hit);
    },

    async imagesOf(sessionId, partId) {
      const part = await findPart(sessionId, partId);
      const pieces = part?.type === 'file' ? [{ type: 'file', ...part.content }] : [];
      const images = part?.type === 'tool-result' ? toolImages(part.content.output) : pieces.map(asToolImage);
      return images
        .filter((image) => image !== null)
        .map(({ url, filename = 'image', mediaType }) => ({ fileId: blobIdOf(url) ?? '', filename, mediaType }));
    },

    async readPart(sessionId, partId) {
      const part = await findPart(sessionId, partId);
      if (part?.type === 'file') return readAttachedText(sessionId, part.content.url);
      return part ? partText(part) : null;
    },
  };
}

/** The hits of found parts, in their order. */
export async function readHits(db: Database, ids: readonly string[], phrases: Phrases): Promise<HistoryHit[]> {
  const rows = await db.read
    .select({ part: messageParts, seq: messages.seq, role: messages.role, turnId: messages.turnId })
    .from(messageParts)
    .innerJoin(messages, eq(messages.id, messageParts.messageId))
    .where(inArray(messageParts.id, [...ids]));
  const byId = new Map(rows.map((row) => [row.part.id, row]));
  const sought = soughtWords(phrases);
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? toHit(partFromRow(row.part) as SearchablePart, row, sought) : [];
  });
}

function toHit(
  part: SearchablePart,
  { seq, role, turnId }: { seq: number; role: MessageRole; turnId: string | null },
  sought: SoughtWords,
): HistoryHit[] {
  const { id: partId, messageId, createdAt, type: kind } = part;
  const tool = part.type === 'text' ? {} : { toolName: part.content.toolName };
  const words = wordsOf(part);
  // The index also contains explanations.
  if (!hasWords(words, sought) && hasWords(partText(part) ?? '', sought)) return [];
  return [{ messageId, partId, seq, role, kind, ...tool, snippet: searchSnippet(words, sought), turnId, createdAt }];
}

/** Fields with the explanations in tool results, which are the same texts each time. */
const EXPLANATIONS = new Set(['looked', 'statusMeans', 'statuses', 'checked']);

/** The indexed text of a part: for JSON only the values, without explanations. */
function wordsOf(part: SearchablePart): string {
  switch (part.type) {
    case 'text':
      return part.content.text;
    case 'tool-call':
      return valuesOf(part.content.input).join(' ');
    case 'tool-result':
      return outputWords(part.content.output).join(' ');
  }
}

function outputWords(output: ToolOutput): string[] {
  if (output.type === 'execution-denied') return [output.reason ?? ''];
  if (output.type !== 'content') return valuesOf(output.value);
  return output.value.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

function valuesOf(value: JsonValue): string[] {
  if (typeof value === 'string') return value.startsWith('data:') ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => (EXPLANATIONS.has(name) ? [] : valuesOf(field)));
}

/** The row that a part of a legacy message without parts would have. */
async function findLegacyPart(db: Database, sessionId: string, partId: Part['id']): Promise<PartRow | undefined> {
  const messageId = messageIdOfLegacyPart(partId);
  if (messageId === null) return undefined;
  const message = await db.read
    .select()
    .from(messages)
    .where(and(eq(messages.id, messageId), eq(messages.sessionId, sessionId), isNull(messages.supersededBy)))
    .get();
  return message?.content ? legacyPartRows(message, message.content).find(({ id }) => id === partId) : undefined;
}
