import { and, asc, desc, eq, gt, gte, isNull, lt, lte, not, type SQL } from 'drizzle-orm';
import { partText } from '#server/core/part-text';
import type { Message } from '#server/core/messages';
import { type HistorySearch, ofTurn } from '#server/store/history-search';
import type { Database } from '#server/store/database';
import { withParts } from '#server/store/message-rows';
import { messages } from '#server/store/schema/sessions';
import type { HistoryLine, HistoryReader } from '#server/tools/tool';

/** Longest exchange that is read for its answer; messages. */
const MAX_EXCHANGE = 200;

/**
 * Searches and reads the history of one session, for its tools.
 * @param exceptTurn a turn of which nothing is found or read
 */
export function createHistoryReader(
  db: Database,
  history: HistorySearch,
  sessionId: string,
  exceptTurn: string,
): HistoryReader {
  const ofSession = and(
    eq(messages.sessionId, sessionId),
    eq(messages.isSummary, false),
    isNull(messages.supersededBy),
    not(ofTurn(messages, exceptTurn)),
  );
  const isRequest = and(ofSession, eq(messages.role, 'user'), isNull(messages.parentId));

  async function read(where: SQL | undefined, limit: number): Promise<Message[]> {
    const rows = await db.read.select().from(messages).where(where).orderBy(asc(messages.seq)).limit(limit);
    return withParts(db.read, rows);
  }

  async function requestSeq(where: SQL | undefined, order: SQL): Promise<number | undefined> {
    const row = await db.read.select({ seq: messages.seq }).from(messages).where(where).orderBy(order).limit(1).get();
    return row?.seq;
  }

  return {
    search: (query, limit) => history.search(sessionId, query, { limit, exceptTurn }),
    readPart: (partId) => history.readPart(sessionId, partId),
    imagesOf: (partId) => history.imagesOf(sessionId, partId),

    async exchangeAt(seq) {
      const start = await requestSeq(and(isRequest, lte(messages.seq, seq)), desc(messages.seq));
      if (start === undefined) return null;
      const end = await requestSeq(and(isRequest, gt(messages.seq, start)), asc(messages.seq));
      const inside = and(ofSession, gte(messages.seq, start), end === undefined ? undefined : lt(messages.seq, end));
      const [request, ...rest] = await read(inside, MAX_EXCHANGE);
      const answers = rest.filter(({ role }) => role === 'assistant').map(textOf);
      return {
        seq: start,
        request: request ? textOf(request) : '',
        answer: answers.findLast((text) => text !== '') ?? '',
      };
    },

    async readFrom(seq, limit) {
      const found = await read(and(ofSession, gte(messages.seq, seq)), limit);
      return found.flatMap(linesOf);
    },
  };
}

function textOf({ parts }: Message): string {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.content.text] : []));
  return texts.join('\n').trim();
}

function linesOf({ seq, role, parts }: Message): HistoryLine[] {
  return parts.flatMap((part): HistoryLine[] => {
    if (part.type === 'text') return [{ partId: part.id, seq, role, kind: 'text', text: part.content.text }];
    if (part.type !== 'tool-call' && part.type !== 'tool-result') return [];
    const { toolName } = part.content;
    return [{ partId: part.id, seq, role, kind: part.type, toolName, text: partText(part) ?? '' }];
  });
}
