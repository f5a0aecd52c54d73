import { and, eq, inArray, isNull, max, sql, type SQL } from 'drizzle-orm';
import { blobIdOf } from '#server/core/conversation/blobs';
import { isJsonObject, type JsonValue } from '#server/core/json';
import type { MessageRole } from '#server/core/conversation/messages';
import { partText } from '#server/core/conversation/part-text';
import type { Part, PartOf, ToolOutput } from '#server/core/conversation/parts';
import { asToolImage, toolImages } from '#server/core/conversation/tool-result';
import { pageSize } from '#server/platform/database/cursor';
import type { Database } from '#server/platform/database/database';
import { legacyPartRows, messageIdOfLegacyPart } from '#server/conversation/store/legacy-messages';
import { partFromRow, type PartRow } from '#server/conversation/store/part-codec';
import { blobs, messageParts, messages } from '#server/platform/database/schema/sessions';
import {
  hasWords,
  isUnspaced,
  matchExpression,
  type Phrases,
  searchPhrases,
  searchSnippet,
} from '#server/conversation/store/search/search-words';
import type { HistoryImage, HistoryMatch } from '#server/tools/tool';

const USUAL_HITS = 10;
const MOST_HITS = 50;

type SearchablePart = PartOf<'text'> | PartOf<'tool-call'> | PartOf<'tool-result'>;

/** A match with its message and time. */
export interface HistoryHit extends HistoryMatch {
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

interface FoundRow {
  readonly row: number;
  /** Part id. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
}

/** Ids by weight and, as in BM25 for a single occurrence, by shortness; newer first if both are equal. */
function bestFirst(rows: readonly FoundRow[], weightOf: (row: FoundRow) => number): string[] {
  const usual = rows.reduce((sum, { size }) => sum + size, 0) / Math.max(1, rows.length);
  const scored = rows.map((found) => {
    const length = 1 - LENGTH_NORMALIZATION + (LENGTH_NORMALIZATION * found.size) / usual;
    return { ...found, score: (weightOf(found) * (1 + SATURATION)) / (1 + SATURATION * length) };
  });
  return scored.toSorted((one, other) => other.score - one.score || other.row - one.row).map(({ id }) => id);
}

/** The search over the index that the triggers of migration 0002 maintain. */
export function createHistorySearch(db: Database): HistorySearch {
  /** Matching rows of the index, newest first: the index is read backwards up to the limit. */
  async function rowsOf(sessionId: string, phrases: Phrases): Promise<number[]> {
    const rows = await db.read.all<{ row: number }>(sql`
      select rowid as "row" from history_search where history_search match ${matchExpression(sessionId, phrases, 'AND')}
      order by rowid desc limit ${MOST_ROWS}`);
    return rows.map(({ row }) => row);
  }

  /** Ids of matching parts, best first, in lists; each list is read when the previous one is used up. */
  async function* findIds(sessionId: string, phrases: Phrases, exceptTurn?: string): AsyncGenerator<string[]> {
    if (phrases.some(isUnspaced)) return yield* scan(sessionId, phrases, exceptTurn);
    const best = bestFirst(await readRows(await rowsOf(sessionId, phrases), exceptTurn), () => 1);
    yield best;
    if (phrases.length === 1) return;
    const weights = await weighRows(sessionId, phrases);
    const some = await readRows([...weights.keys()], exceptTurn);
    const known = new Set(best);
    yield bestFirst(some, ({ row }) => weights.get(row) ?? 0).filter((id) => !known.has(id));
  }

  /**
   * The rows with some of the phrases, heaviest first: the fewer rows of the session contain a phrase, the more it
   * weighs (inverse document frequency, as in BM25).
   */
  async function weighRows(sessionId: string, phrases: Phrases): Promise<Map<number, number>> {
    const parts = await countParts(sessionId);
    const weights = new Map<number, number>();
    for (const phrase of phrases) {
      const rows = await rowsOf(sessionId, [phrase]);
      const rarity = Math.log(1 + Math.max(0, parts - rows.length + 0.5) / (rows.length + 0.5));
      for (const row of rows) weights.set(row, (weights.get(row) ?? 0) + rarity);
    }
    const heaviest = [...weights].toSorted(([row, weight], [other, its]) => its - weight || other - row);
    return new Map(heaviest);
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

  /** For scripts that the index cannot split into words: scans the whole session, newest hits first. */
  async function* scan(sessionId: string, phrases: Phrases, exceptTurn?: string): AsyncGenerator<string[]> {
    const wanted = phrases.flat().map((word) => sql`instr(lower(text), ${word.toLowerCase()}) > 0`);
    let rows: { readonly id: string }[] = [];
    do {
      const last = rows.at(-1);
      rows = await db.read.all<{ id: string }>(sql`
        select part_id as id from part_texts
        where session_id = ${sessionId} and ${standing(sql`part_id`, exceptTurn)} and ${and(...wanted)}
          and ${last ? sql`part_id < ${last.id}` : sql`true`}
        order by part_id desc
        limit ${MOST_HITS}`);
      yield rows.map(({ id }) => id);
    } while (rows.length === MOST_HITS);
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
      const hits: HistoryHit[] = [];
      for await (const ids of findIds(sessionId, phrases, exceptTurn)) {
        // Some candidates are no hits, because the words were in a tool's explanation.
        for (let next = 0; next < ids.length && hits.length < most; next += atOnce)
          hits.push(...(await readHits(db, ids.slice(next, next + atOnce), phrases)));
        if (hits.length >= most) break;
      }
      return hits.slice(0, most);
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
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? toHit(partFromRow(row.part) as SearchablePart, row, phrases) : [];
  });
}

function toHit(
  part: SearchablePart,
  { seq, role, turnId }: { seq: number; role: MessageRole; turnId: string | null },
  phrases: Phrases,
): HistoryHit[] {
  const { id: partId, messageId, createdAt, type: kind } = part;
  const tool = part.type === 'text' ? {} : { toolName: part.content.toolName };
  const words = wordsOf(part);
  // The index also contains explanations.
  if (!hasWords(words, phrases) && hasWords(partText(part) ?? '', phrases)) return [];
  return [{ messageId, partId, seq, role, kind, ...tool, snippet: searchSnippet(words, phrases), turnId, createdAt }];
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
