import { z } from 'zod';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { oneLine } from '#server/tools/results';
import { defineTool, type HistoryLine, type HistoryMatch, type HistoryReader } from '#server/tools/tool';

/** Exchanges that are found unless another number is asked for. */
const USUAL_HITS = 5;
/** Parts that are looked at for each exchange: several are found in one. */
const PARTS_A_HIT = 3;
/** Parts that are named of one exchange. */
const MAX_NAMED = 3;
/** Characters of the request and the answer around a hit. */
const MAX_REQUEST = 300;
const MAX_ANSWER = 600;

/** Messages of one page, and characters of it and of each text in it; small enough for a window of 8,000 tokens. */
const PAGE_MESSAGES = 40;
const PAGE_CHARS = 6_000;
/** Lines of one message. */
const MESSAGE_LINES = 20;
const LINE_CHARS: Readonly<Record<HistoryLine['kind'], number>> = { text: 1_500, 'tool-call': 200, 'tool-result': 200 };

/** Full-text search over what was said and done in this session before this turn, and reading on from there. */
export const searchHistory = defineTool({
  name: 'search_history',
  isForEverybody: true,
  description:
    'Search this conversation before this request, also what is no longer shown: exchanges with their answers. from: read on from that message instead.',
  input: z.object({
    query: z.string().max(500).optional().describe('words'),
    limit: z.int().min(1).max(20).optional().describe(`default ${USUAL_HITS}`),
    from: z.int().min(0).optional().describe('message number'),
  }),
  async execute({ query, limit = USUAL_HITS, from }, { history }) {
    if (from !== undefined) return readOn(history, from);
    if (query === undefined)
      throw new InvalidInputError('Give words to search for (query), or a message to read from.');
    return { hits: await findExchanges(history, query, limit) };
  },
});

/** The exchanges in which something was found, the best first, each once. */
async function findExchanges(history: HistoryReader, query: string, limit: number): Promise<JsonValue[]> {
  const matches = await history.search(query, limit * PARTS_A_HIT);
  const found = new Map<number, { head: Record<string, JsonValue>; parts: HistoryMatch[] }>();
  for (const match of matches) {
    const exchange = await history.exchangeAt(match.seq);
    const seq = exchange?.seq ?? match.seq;
    const present = found.get(seq);
    if (present) present.parts.push(match);
    else if (found.size < limit) {
      const asked = exchange === null ? {} : { asked: oneLine(exchange.request, MAX_REQUEST) };
      const answered = (exchange?.answer ?? '') === '' ? {} : { answered: oneLine(exchange!.answer, MAX_ANSWER) };
      found.set(seq, { head: { message: seq, ...asked, ...answered }, parts: [match] });
    }
  }
  return [...found.values()].map(({ head, parts }) => ({
    ...head,
    found: parts.slice(0, MAX_NAMED).map(({ partId, seq, role, toolName, snippet }) => ({
      id: partId,
      message: seq,
      in: toolName ?? role,
      text: snippet,
    })),
  }));
}

/** A page of the session from a message on, whole messages, with the number of the next. */
async function readOn(history: HistoryReader, from: number): Promise<JsonValue> {
  const shown: JsonValue[] = [];
  const messages = Map.groupBy(await history.readFrom(from, PAGE_MESSAGES), ({ seq }) => seq);
  let chars = 0;
  let last = from;
  for (const [seq, lines] of messages) {
    const length = lines.reduce((sum, { kind, text }) => sum + Math.min(text.length, LINE_CHARS[kind]), 0);
    if (shown.length > 0 && chars + length > PAGE_CHARS) return { messages: shown, next: seq };
    chars += length;
    last = seq;
    shown.push(...lines.slice(0, MESSAGE_LINES).map(lineJson));
  }
  const isEnd = (await history.readFrom(last + 1, 1)).length === 0;
  return { messages: shown, ...(isEnd ? { note: 'Then comes the request that you work on.' } : { next: last + 1 }) };
}

function lineJson({ partId, seq, role, kind, toolName, text }: HistoryLine): JsonValue {
  const speaker = toolName === undefined ? { role } : { [kind]: toolName };
  return { message: seq, id: partId, ...speaker, text: oneLine(text, LINE_CHARS[kind]) };
}
