import { excerptTokens } from '#server/context/excerpt';
import { isAttachedText } from '#server/context/media-tokens';
import { namesIn } from '#server/context/names';
import { isRequest } from '#server/context/compaction-plan';
import { type CountTokens, newestWithin } from '#server/context/tokens';
import { pairToolResults } from '#server/context/view-messages';
import { createYielder } from '#server/core/async';
import type { LedgerEntry } from '#server/core/conversation/compactions';
import { TOOL_NOT_LOADED } from '#server/core/conversation/labels';
import { foreignText } from '#server/core/conversation/part-types/foreign-text';
import { isJsonObject, type JsonValue } from '#server/core/json';
import { comparable } from '#server/core/conversation/preferences';
import type { Message } from '#server/core/conversation/messages';
import { CANCELLED } from '#server/core/conversation/turns';
import { toolOutputText } from '#server/core/conversation/part-types/tool-output';
import {
  definitionOf,
  type Part,
  recallIdOf,
  type ToolCallPart,
  type ToolResultPart,
} from '#server/core/conversation/parts';
import { differing } from '#server/core/text/differing';
import { oneLine, shortTitle } from '#server/core/text/short-text';

/** A turn in the record. */
export interface RecordTurn {
  /** Null: before the first request. */
  readonly request: Message | null;
  readonly lines: readonly RecordLine[];
}

/** What was done in a turn with one thing or by one tool. */
export interface RecordLine {
  /** Its details: `- pag_k7m2p9: Added a FAQ section to "Pricing"`. */
  readonly text: string;
  /**
   * For a call that did not run: the beginning of its line, which stays when its details are folded to names. Otherwise
   * empty.
   */
  readonly head: string;
  /** What else remains of the line when it is folded, and is not in the details: words spelled like code. */
  readonly names: readonly string[];
  /**
   * The entry has no lasting effect: changes that were undone, calls that only read or failed. Such details are folded
   * first.
   */
  readonly isPassing: boolean;
}

/* The user's words. */

/** The text that the user typed in a message: its parts joined by line breaks, trimmed. */
export function textOf(message: Message): string {
  return message.parts
    .flatMap((part) => (part.type === 'text' ? [part.content.text] : []))
    .join('\n')
    .trim();
}

/**
 * The newest message in which the user typed these words; white space may differ. Null: there is none. Attached files
 * do not count.
 */
export function quotedFrom(quote: string, messages: readonly Message[]): Message | null {
  const words = comparable(quote);
  const says = ({ parts }: Message) =>
    parts.some((part) => part.type === 'text' && comparable(part.content.text).includes(words));
  return words === '' ? null : (messages.findLast((message) => isRequest(message) && says(message)) ?? null);
}

/** Words between quotation marks at the beginning of an item or after its colon, up to the last mark of the item. */
const QUOTED = /(?:^|[:：]\s{0,3})[*_]{0,3}["“”„«»「『](.{2,1000})["“”»«」』]/u;

/**
 * Each item of a list without its list mark, and what it quotes. The text that the user typed may contain quotations
 * itself.
 */
export function quotationsIn(list: string): [item: string, quoted: string][] {
  return list
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s+/, '').trim())
    .filter((item) => item !== '')
    .map((item) => [item, QUOTED.exec(item)?.[1]?.trim() ?? item]);
}

/* Reading the record from stored messages. */

/** Maximum characters of one detail of a line. A choice, not measured. */
const DETAIL_CHARS = 200;
/** Maximum characters of one value of an input. A choice, not measured. */
const VALUE_CHARS = 30;
/** Maximum characters of a file name. A choice, not measured. */
const FILENAME_CHARS = 100;
/** Tools that only make other tools available. */
export const LOADING_TOOLS: ReadonlySet<string> = new Set(['find_tools', 'load_tools']);
/** Tools whose effect appears elsewhere in the summary or in later messages. */
const SILENT_TOOLS = new Set([...LOADING_TOOLS, 'keep_in_mind', 'recall_output', 'search_history']);

/**
 * Reads turns from messages and the journal, oldest first. Changes by calls from `until` (epoch ms) on belong to later
 * turns.
 */
export async function readTurns(
  messages: readonly Message[],
  journal: readonly LedgerEntry[],
  until = Infinity,
): Promise<RecordTurn[]> {
  const results = pairToolResults(messages);
  const changes = Map.groupBy(journal, ({ toolCallId }) => toolCallId ?? null);
  const turns: TurnDraft[] = [];
  const yieldIfDue = createYielder();
  for (const message of messages) {
    if (turns.length === 0 || isRequest(message)) turns.push(new TurnDraft(isRequest(message) ? message : null));
    const turn = turns.at(-1)!;
    if (message.role === 'assistant') turn.answer(message);
    for (const part of message.parts) {
      if (message.role === 'user') turn.show(part);
      if (part.type !== 'tool-call' || SILENT_TOOLS.has(part.content.toolName)) continue;
      const { toolCallId } = part.content;
      turn.call(part, changes.get(toolCallId) ?? [], results.get(part.id));
      changes.delete(toolCallId);
    }
    await yieldIfDue();
  }
  // Changes that no call of these messages made, for example an undo by hand.
  for (const change of [...changes.values()].flat().toSorted((a, b) => a.at - b.at)) {
    if (change.toolCallId !== undefined && change.at >= until) continue;
    (turns.findLast(({ request }) => (request?.createdAt ?? 0) <= change.at) ?? turns[0])?.change(change);
  }
  return turns.map((turn, index) => turn.read(turns[index + 1]?.request));
}

/** A line while its turn is read. */
interface LineDraft {
  readonly details: Set<string>;
  readonly names: Set<string>;
  /** True if it has a lasting effect. */
  lasts: boolean;
  /** What a folded line still says about its names. */
  readonly head: string;
}

/** A turn while its messages are read. */
class TurnDraft {
  readonly request: Message | null;
  readonly #lines = new Map<string, LineDraft>();
  /** The question at the end of the newest answer; empty: none. */
  #question = '';
  /** The newest answer. */
  #last: Message | null = null;
  #isAnswered = false;

  constructor(request: Message | null) {
    this.request = request;
  }

  /** Adds attached files, and what "this" in the user's words may refer to. */
  show(part: Part): void {
    const place = (name: string) => oneLine(name, FILENAME_CHARS);
    const entry = definitionOf(part.type).recordEntry?.(part.content, place);
    if (entry) this.#add(...entry);
    if (part.type !== 'file') return;
    const id = recallIdOf(part);
    const recall = id !== null && isAttachedText(part.content) ? `, recall_output id: ${id}` : '';
    this.#add('attached', `${place(part.content.filename ?? 'without a name')} (${part.content.mediaType}${recall})`);
  }

  /** The question or offer at the end of an answer, because a later message of the user may respond to it. */
  answer(message: Message): void {
    const hasCalls = message.parts.some(({ type }) => type === 'tool-call');
    this.#question = hasCalls ? '' : closingQuestion(textOf(message));
    this.#isAnswered ||= hasCalls || textOf(message) !== '';
    this.#last = message;
  }

  /** Adds a call: its changes to the site or, if it made none, its input, call by call. */
  call({ content: { toolName, input } }: ToolCallPart, did: readonly LedgerEntry[], result?: ToolResultPart): void {
    for (const change of did) this.change(change);
    const output = result?.content.output;
    const { names, identifiers } = namesIn(input);
    const all = [...names, ...identifiers];
    const written = shortInput(input);
    if (output?.type === 'execution-denied') {
      const head = `${toolName} refused by the user`;
      this.#add(head, [written, output.reason].filter(Boolean).join(', '), all, true, head);
    } else if (output && toolOutputText(output).startsWith(`${toolName} ${TOOL_NOT_LOADED}`)) {
      // Nothing was changed.
    } else if (output?.type.startsWith('error')) {
      // Without names, which would read like completed work after folding.
      this.#add(`${toolName} failed`, `${oneLine(written, VALUE_CHARS)}: ${toolOutputText(output)}`, [], false);
    } else if (toolName === 'ask_user' && isJsonObject(input)) {
      this.#add('asked the user', JSON.stringify(input['question'] ?? ''));
    } else if (did.length === 0 && written !== '') this.#add(toolName, written, all, false);
  }

  /** Adds a change of the site. */
  change({ kind, id, slug, summary, values = [], undone, action }: LedgerEntry): void {
    const changed = values.map(({ field, before, after }) => {
      const [from, to] = differing(before, after).map(shortTitle);
      return `${field} from "${from}" to "${to}"`;
    });
    const said = changed.length === 0 ? summary : `${summary} (${changed.join('; ')})`;
    this.#add(
      id === kind ? kind : id,
      undone ? `(undone since) ${said}` : said,
      slug === null ? [id] : [id, slug],
      !undone && action !== 'undo',
    );
  }

  /** Adds a detail to the line that begins with `head`. */
  #add(head: string, detail: string, names: readonly string[] = [], lasts = true, foldedHead = ''): void {
    const line = this.#lines.get(head) ?? { details: new Set(), names: new Set(), lasts: false, head: foldedHead };
    line.lasts ||= lasts;
    line.details.add(oneLine(detail, DETAIL_CHARS));
    for (const name of names) line.names.add(name);
    this.#lines.set(head, line);
  }

  /** The turn as the record shows it. @param next the request that follows; undefined: this one may still be running */
  read(next: Message | null | undefined): RecordTurn {
    if (this.#question !== '') this.#add('asked at the end', this.#question);
    const { status = 'complete', finishReason = null, error = null } = this.#last ?? {};
    const isBroken = error !== null || (next && status !== 'complete');
    // Conversations that other programs keep have no turns. A message that was added to a running turn is answered
    // together with it.
    const isPassedOver = next && this.request?.turnId && this.request.turnId !== next.turnId;
    // The turn did not end with a normal answer, so the request may still be open.
    if (finishReason === CANCELLED) this.#add('stopped by the user', '');
    else if (isBroken || (!this.#isAnswered && isPassedOver))
      this.#add(this.#isAnswered ? 'broke off' : 'no answer came', error ?? '');
    const lines = [...this.#lines].map(([title, { details, names, lasts, head }]) => ({
      text: shown([`- ${title}`, [...details].join('; ')].filter(Boolean).join(': ')),
      head,
      names: [...names].map(shown),
      isPassing: !lasts,
    }));
    return { request: this.request, lines };
  }
}

/** The last sentence of a text if it is a question, in any script; otherwise empty. */
function closingQuestion(said: string): string {
  const sentences = said.slice(-DETAIL_CHARS * 4).split(/\n|(?<=[.!?…]["'”»)*_]{0,3})\s+|(?<=[。！？])(?!$)/u);
  const last = sentences.at(-1) ?? '';
  return /[?？؟]["'”»」』)*_]{0,3}$/u.test(last) ? last : '';
}

/** Shortens the input of a call: each value with its name; for lists and records the names in them. */
function shortInput(input: JsonValue): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return namesIn(input).names.join(', ');
  const values = Object.entries(input).flatMap(([key, value]) => {
    const text = typeof value === 'object' ? namesIn(value).names.join(' ') : String(value);
    return text.trim() === '' ? [] : [[key, oneLine(text, VALUE_CHARS)] as const];
  });
  return values.map(([key, text]) => (values.length === 1 ? text : `${key} ${text}`)).join(', ');
}

/* Writing the record within its bounds. */

/** Limits of a record. */
export interface RecordBounds {
  readonly tokens: number;
  /** Tokens for the user's words. */
  readonly words: number;
  /** Tokens of one message. Longer messages are replaced by an excerpt. */
  readonly message: number;
  /** Ids of messages that stay in the view. */
  readonly inView: ReadonlySet<string>;
  /** True if tools can find what is folded. */
  readonly hasRecall: boolean;
  readonly count: CountTokens;
}

/** Tokens reserved for the line that counts what is folded. */
export const FOLD_TOKENS = 40;

/**
 * The record as text: under the number of each turn the complete words of the user and what was done. If it has to be
 * folded, the oldest turns are folded first: the details of their lines (starting with those of no lasting effect),
 * then the lines, and finally the words. The number of folded entries is stated.
 */
export function writeRecord(turns: readonly RecordTurn[], bounds: RecordBounds): string {
  const { count, hasRecall } = bounds;
  const cost = (text: string) => (text === '' ? 0 : count(text) + 1);
  const room = bounds.tokens - FOLD_TOKENS;
  const first = turns.findIndex(({ request }) => request !== null);
  const later = turns.slice(first + 1);
  // Words are counted from the newest turn backwards, only as far as they fit, because there may be ten thousand turns.
  const heads = new Map<RecordTurn, string>();
  const headTokens = (turn: RecordTurn) => {
    const { request } = turn;
    if (request === null) return 0;
    const isInView = bounds.inView.has(request.id);
    const words = isInView ? '(in full among the messages)' : `User: ${wordsOf(request, bounds.message, count)}`;
    const head = `${turns.indexOf(turn) - first + 1}. ${words}`;
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
  const counts = Object.entries({ 'earlier request': folded, line: foldedLines }).filter(([, number]) => number > 0);
  const counted = counts.map(([of, number]) => `${number} ${of}${number === 1 ? '' : 's'}`).join(' and ');
  const note = counted && `(folded here: ${counted}${hasRecall ? '; search_history finds them' : ''})`;

  const written = standing.flatMap((turn, index) => [
    index === first ? '1. (the original task)' : (heads.get(turn) ?? ''),
    ...turn.lines.map((line) => texts.get(line) ?? ''),
    ...(index === Math.max(0, first) ? [note] : []),
  ]);
  return written.filter((line) => line !== '').join('\n');
}

/**
 * The words of a request in the record: complete up to this number of tokens, otherwise beginning, end and recall id.
 */
export function wordsOf(request: Message, tokens: number, count: CountTokens): string {
  const text = shown(textOf(request));
  if (count(text) <= tokens) return text;
  const part = request.parts.find(({ type }) => type === 'text');
  return excerptTokens(text, tokens, count, part && recallIdOf(part));
}

/**
 * Each line that is shown with the names that no later line contains and, as far as they fit, its details: first those
 * with lasting effect, then the others, each from the newest backwards.
 */
function foldLines(lines: readonly RecordLine[], tokens: number, cost: (text: string) => number) {
  const named = new Set<string>();
  const texts = new Map<RecordLine, string>();
  const long = new Map<RecordLine, string>();
  let left = tokens;
  for (const line of lines.toReversed()) {
    const { head } = line;
    // A call that did not run neither replaces nor is replaced by one that did.
    const fresh = head === '' ? line.names.filter((name) => !named.has(name)) : line.names;
    if (head !== '' && cost(`- ${head}`) > left) break;
    // For a long turn, the last names that fit.
    const fitting = newestWithin(fresh, left - 1 - cost(head), cost);
    const folded = [head, fitting.join(', ')].filter(Boolean).join(': ');
    const text = folded && `- ${folded}`;
    left -= cost(text);
    texts.set(line, text);
    if (fitting.length < fresh.length) break;
    if (head === '') for (const name of fresh) named.add(name);
    const more = fresh.filter((name) => !line.text.includes(name));
    long.set(line, more.length === 0 ? line.text : `${line.text} (${more.join(', ')})`);
  }
  const [lasting, passing] = [false, true].map((is) => [...long].filter(([line]) => line.isPassing === is));
  for (const [line, text] of [...lasting!, ...passing!]) {
    left -= cost(text) - cost(texts.get(line) ?? '');
    if (left < 0) break;
    texts.set(line, text);
  }
  return new Map([...texts].filter(([, text]) => text !== ''));
}

/**
 * Text of users, tools and models in a summary, escaped so that none can pass for a mark of the engine or for a
 * heading.
 */
export const shown = (text: string): string => foreignText(text).replaceAll(/^(?=#{1,6} )/gm, ' ');
