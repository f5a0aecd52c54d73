import { countTokens } from '#server/context/tokens';
import type { HistoryLines } from '#server/conversation/store/search/history-reading';
import type { HistoryHit, HistorySearch } from '#server/conversation/store/search/history-search';
import { oneLine } from '#server/core/text/short-text';
import type { HistoryLine, HistoryReader, PassageLine } from '#server/tools/tool';

/** Maximum length of a line; a longer one is cut around its match. About 400 tokens. */
const LINE_CHARS = 1_500;
/** Tokens of a line that is cut around its match: 200 characters. */
const SNIPPET_TOKENS = 70;
/** Tokens of a line in addition to its text: its number and its role. */
const LINE_TOKENS = 12;

/**
 * Searches and reads the history of one session, for its tools.
 * @param lines of the same session
 * @param exceptTurn a turn that is excluded
 */
export function createHistoryReader(
  history: HistorySearch,
  lines: HistoryLines,
  sessionId: string,
  exceptTurn: string,
): HistoryReader {
  return {
    search: async (query, limit, tokens) =>
      toPassages(await history.search(sessionId, query, { limit, exceptTurn }), lines, tokens),
    readFrom: (seq, limit) => lines.readFrom(seq, limit),
    readPart: (partId) => history.readPart(sessionId, partId),
    imagesOf: (partId) => history.imagesOf(sessionId, partId),
  };
}

/** Matches with the messages around them: first every match, then what surrounds the best ones. */
async function toPassages(
  matches: readonly HistoryHit[],
  history: HistoryLines,
  maxTokens: number,
): Promise<PassageLine[][]> {
  const around = await history.around(matches.map(({ seq }) => seq));
  const seqs = [...new Set([...matches.map(({ seq }) => seq), ...around.flat()])];
  const texts = Map.groupBy(await history.texts(seqs), ({ seq }) => seq);
  const passages = matches.map((): PassageLine[] => []);
  const shown = new Set<string>();
  let left = maxTokens;
  const add = (passage: PassageLine[], line: PassageLine, most = left) => {
    const tokens = countTokens(line.text) + LINE_TOKENS;
    if (shown.has(line.partId) || tokens > most) return;
    left -= tokens;
    shown.add(line.partId);
    passage.push(line);
  };
  for (const [index, match] of matches.entries()) {
    const whole = texts.get(match.seq)?.find(({ partId }) => partId === match.partId);
    // A whole text leaves room for an excerpt of each further match.
    const most = left - SNIPPET_TOKENS * (matches.length - index - 1);
    if (whole && whole.text.length <= LINE_CHARS) add(passages[index]!, lineOf(whole), most);
    add(passages[index]!, excerptOf(match));
  }
  for (const [index, neighbors] of around.entries())
    for (const seq of neighbors) for (const line of texts.get(seq) ?? []) add(passages[index]!, lineOf(line));
  return passages
    .filter((passage) => passage.length > 0)
    .map((passage) => passage.toSorted((one, other) => one.seq - other.seq));
}

function lineOf(line: HistoryLine): PassageLine {
  const text = oneLine(line.text, LINE_CHARS);
  return { ...line, text, isCut: text.endsWith('…') && !line.text.trim().endsWith('…') };
}

const excerptOf = ({ snippet, ...hit }: HistoryHit): PassageLine => ({
  ...hit,
  text: snippet,
  isCut: snippet.startsWith('…') || snippet.endsWith('…'),
});
