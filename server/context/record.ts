import { excerptTokens, oneLine } from '#server/context/excerpt';
import { isAttachedText } from '#server/context/media-tokens';
import { namesIn } from '#server/context/names';
import { isRequest } from '#server/context/plan-compaction';
import { type CountTokens, newestWithin } from '#server/context/tokens';
import { pairToolResults } from '#server/context/tool-results';
import { textOf } from '#server/context/user-words';
import { createBreathing } from '#server/core/breathe';
import type { LedgerEntry } from '#server/core/compactions';
import { foreignText } from '#server/core/engine-words';
import type { Message } from '#server/core/messages';
import { toolOutputText } from '#server/core/part-text';
import { type PartOf, recallIdOf, type ToolCallPart, type ToolResultPart } from '#server/core/parts';

/** What was said and done from one request of the user to the next. */
export interface RecordTurn {
  /** Null: before the first request. */
  readonly request: Message | null;
  /** What was done for it, a line for each thing touched. */
  readonly lines: readonly RecordLine[];
}

export interface RecordLine {
  /** Its details: `- pag_k7m2p9: Added a FAQ section to "Pricing"`. */
  readonly text: string;
  /** All that is left of it once its details are folded, and what is not in them: words spelt like code. */
  readonly names: readonly string[];
}

/* Reading the record from what is stored. */

const DETAIL_CHARS = 160;
const TRIED_CHARS = 60;
const FILENAME_CHARS = 100;
const ASKING_TOOL = 'ask_user';
/** What they do stands elsewhere in the summary, or in what follows. */
const SILENT_TOOLS: ReadonlySet<string> = new Set(['load_tools', 'keep_in_mind', 'recall_output', 'search_history']);

/**
 * Reads the turns of a conversation, in order.
 * @param messages the stored originals, oldest first
 * @param journal what the site's journal tells of the session, oldest first
 * @param until what calls did from then on belongs to messages that follow; epoch milliseconds
 */
export async function readTurns(
  messages: readonly Message[],
  journal: readonly LedgerEntry[],
  until = Infinity,
): Promise<RecordTurn[]> {
  const results = pairToolResults(messages);
  const changes = Map.groupBy(journal, ({ toolCallId }) => toolCallId ?? null);
  const turns: TurnDraft[] = [];
  const breathe = createBreathing();
  for (const message of messages) {
    if (turns.length === 0 || isRequest(message)) turns.push(new TurnDraft(isRequest(message) ? message : null));
    const turn = turns.at(-1)!;
    for (const part of message.parts) {
      if (part.type === 'file' && message.role === 'user') turn.attach(part);
      if (part.type === 'selection') turn.select(part);
      if (part.type !== 'tool-call' || SILENT_TOOLS.has(part.content.toolName)) continue;
      const { toolCallId } = part.content;
      turn.call(part, results.get(part.id), changes.get(toolCallId) ?? []);
      changes.delete(toolCallId);
    }
    await breathe();
  }
  // What no call of theirs did: an undo by hand, say.
  for (const change of [...changes.values()].flat().toSorted((a, b) => a.at - b.at)) {
    if (change.toolCallId === undefined || change.at < until)
      (turns.findLast(({ since }) => since <= change.at) ?? turns[0])?.change(change);
  }
  return turns.map((turn) => turn.read());
}

class TurnDraft {
  readonly since: number;
  readonly #request: Message | null;
  readonly #lines = new Map<string, { head: string; details: Set<string>; glue: string; names: Set<string> }>();

  constructor(request: Message | null) {
    this.#request = request;
    this.since = request?.createdAt ?? 0;
  }

  attach(part: PartOf<'file'>): void {
    const id = recallIdOf(part);
    const recall = id !== null && isAttachedText(part.content) ? `, recall_output id: ${id}` : '';
    const name = oneLine(part.content.filename ?? 'without a name', FILENAME_CHARS);
    this.#add('attached', [`${name} (${part.content.mediaType}${recall})`], []);
  }

  /** What "this" in the user's words may mean. */
  select({ content: { text, source } }: PartOf<'selection'>): void {
    this.#add(`selected on ${oneLine(source, FILENAME_CHARS)}`, [text], []);
  }

  /** What a call did to the site is told by its changes; of any other, what it names is. */
  call(
    { content: { toolName, input } }: ToolCallPart,
    result: ToolResultPart | undefined,
    did: readonly LedgerEntry[],
  ) {
    for (const change of did) this.change(change);
    const output = result?.content.output;
    const { names, identifiers } = namesIn(input);
    const all = [...names, ...identifiers];
    if (output?.type === 'execution-denied') {
      this.#add(`${toolName} refused by the user`, [...names, ...(output.reason ? [output.reason] : [])], all);
    } else if (output?.type.startsWith('error')) {
      const tried = oneLine(names.join(', '), TRIED_CHARS);
      this.#add(`${toolName} failed`, [`${tried}: ${toolOutputText(output)}`], all, '; ');
    } else if (toolName === ASKING_TOOL) {
      this.#add('asked the user', [JSON.stringify(input)], []);
    } else if (did.length === 0 && all.length > 0) this.#add(toolName, names, all);
  }

  change({ kind, id, slug, summary, undone }: LedgerEntry): void {
    const details = undone ? `(undone since) ${summary}` : summary;
    this.#add(id === kind ? kind : id, [details], slug === null ? [id] : [id, slug], '; ');
  }

  #add(head: string, details: readonly string[], names: readonly string[], glue = ', '): void {
    const line = this.#lines.get(head) ?? { head, details: new Set(), glue, names: new Set() };
    for (const detail of details) line.details.add(oneLine(detail, DETAIL_CHARS));
    for (const name of names) line.names.add(name);
    this.#lines.set(head, line);
  }

  read(): RecordTurn {
    const lines = [...this.#lines.values()].map(({ head, details, glue, names }) => ({
      text: shown([`- ${head}`, [...details].join(glue)].filter(Boolean).join(': ')),
      names: [...names].map(shown),
    }));
    return { request: this.#request, lines };
  }
}

/* Writing it within its bounds. */

export interface RecordBounds {
  /** Tokens of all of it. */
  readonly tokens: number;
  /** Tokens of the user's words in it. */
  readonly words: number;
  /** Tokens of one message; a longer one stands as an excerpt. */
  readonly message: number;
  /** Ids of messages that are in the view as they are. */
  readonly inView: ReadonlySet<string>;
  /** The newest turn goes on behind the summary. */
  readonly cutsTurn: boolean;
  /** Tools can find again what is folded. */
  readonly hasRecall: boolean;
  readonly count: CountTokens;
}

/** Set aside for the lines that count what is folded and say how it goes on. */
const FOLD_TOKENS = 70;

/**
 * The record as text: under the number of each turn the user's words, whole, and what was done for them. The first
 * request stands elsewhere, under the original task. Where it has to fold, the oldest does first: of its lines the
 * details, then the lines, at last the words. What is folded is counted.
 */
export function writeRecord(turns: readonly RecordTurn[], bounds: RecordBounds): string {
  const { count, cutsTurn, hasRecall } = bounds;
  const cost = (text: string) => (text === '' ? 0 : count(text) + 1);
  const room = bounds.tokens - FOLD_TOKENS;
  const first = turns.findIndex(({ request }) => request !== null);
  const later = turns.slice(first + 1);
  // Words are counted from the newest back, no further than they fit: there may be ten thousand turns.
  const heads = new Map<RecordTurn, string>();
  const headTokens = (turn: RecordTurn) => {
    const head = headOf(turn, turns.indexOf(turn) - first, bounds);
    heads.set(turn, head);
    return cost(head);
  };
  const newest = newestWithin(later, Math.min(bounds.words, room), headTokens);
  const folded = later.length - newest.length;
  const standing = [...turns.slice(0, first + 1), ...newest];

  const wordTokens = standing.reduce((sum, turn) => sum + cost(heads.get(turn) ?? ''), 0);
  const standingLines = standing.flatMap(({ lines }) => lines);
  const texts = foldLines(standingLines, room - wordTokens, cost);
  const foldedLines = turns.reduce((sum, { lines }) => sum + lines.length, 0) - texts.size;

  const written = standing.flatMap((turn, index) => [
    index === first ? FIRST_HEAD : (heads.get(turn) ?? ''),
    ...turn.lines.map((line) => texts.get(line) ?? ''),
    ...(index === Math.max(0, first) ? [foldNote(folded, foldedLines, hasRecall)] : []),
  ]);
  const goesOn = cutsTurn
    ? `(Turn ${turns.length - first} goes on behind this summary: what stands there is newer and wins.)`
    : '';
  return [...written, goesOn].filter((line) => line !== '').join('\n');
}

const FIRST_HEAD = '1. (the original task)';

/** The number of a turn and the user's words, unless they stand elsewhere. */
function headOf({ request }: RecordTurn, place: number, { inView, message, count }: RecordBounds): string {
  if (request === null) return '';
  const words = inView.has(request.id) ? '(in full among the messages)' : `User: ${wordsOf(request, message, count)}`;
  return `${place + 1}. ${words}`;
}

/** The words of a request as the record has them: whole up to so many tokens, else their beginning, end and recall id. */
export function wordsOf(request: Message, tokens: number, count: CountTokens): string {
  const text = shown(textOf(request));
  if (count(text) <= tokens) return text;
  const part = request.parts.find(({ type }) => type === 'text');
  return excerptTokens(text, tokens, part && recallIdOf(part), count);
}

/**
 * Each line that is shown, with its text: names that no later line has, and, as far as there is room and from the newest
 * on, the details with them.
 */
function foldLines(
  lines: readonly RecordLine[],
  tokens: number,
  cost: (text: string) => number,
): ReadonlyMap<RecordLine, string> {
  const named = new Set<string>();
  const texts = new Map<RecordLine, string>();
  const long = new Map<RecordLine, string>();
  let left = tokens;
  for (const line of lines.toReversed()) {
    const fresh = line.names.filter((name) => !named.has(name));
    // Of a turn that went on for long, the last ones that fit.
    const fitting = newestWithin(fresh, left - 1, cost);
    const text = fitting.length === 0 ? '' : `- ${fitting.join(', ')}`;
    left -= cost(text);
    texts.set(line, text);
    if (fitting.length < fresh.length) break;
    for (const name of fresh) named.add(name);
    const more = fresh.filter((name) => !line.text.includes(name));
    long.set(line, more.length === 0 ? line.text : `${line.text} (${more.join(', ')})`);
  }
  for (const [line, text] of long) {
    left -= cost(text) - cost(texts.get(line) ?? '');
    if (left < 0) break;
    texts.set(line, text);
  }
  return new Map([...texts].filter(([, text]) => text !== ''));
}

function foldNote(requests: number, lines: number, hasRecall: boolean): string {
  const counts = (number: number, of: string) => (number === 0 ? [] : `${number} ${of}${number === 1 ? '' : 's'}`);
  const counted = [counts(requests, 'earlier request'), counts(lines, 'line')].flat().join(' and ');
  return counted && `(folded here: ${counted}${hasRecall ? '; search_history finds them' : ''})`;
}

/** Words of users, tools and models in a summary: none passes for a mark of the engine or for a heading. */
export function shown(text: string): string {
  return foreignText(text).replaceAll(/^(?=#{1,6} )/gm, ' ');
}
