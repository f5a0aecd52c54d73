import { isAttachedText } from '#server/context/media-tokens';
import { namesIn } from '#server/context/names';
import { isRequest } from '#server/context/compaction-plan';
import { pairToolResults } from '#server/context/view-messages';
import { createYielder } from '#server/core/async';
import type { LedgerEntry } from '#server/core/conversation/compactions';
import { TOOL_NOT_LOADED } from '#server/core/conversation/labels';
import { foreignText } from '#server/core/text/foreign-text';
import { isJsonObject, type JsonValue } from '#server/core/json';
import { comparable } from '#server/core/conversation/preferences';
import type { Message } from '#server/core/conversation/messages';
import { CANCELLED } from '#server/core/conversation/turns';
import { toolOutputText } from '#server/core/conversation/part-text';
import { type Part, recallIdOf, type ToolCallPart, type ToolResultPart } from '#server/core/conversation/parts';
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
  /** Beginning of the line: the id of the thing, the tool, or what happened. */
  readonly head: string;
  readonly details: readonly RecordDetail[];
  /**
   * `outcome`: something came of it that must not be forgotten: a change of the site, a refusal. `words`: belongs to the
   * words of the user, for example a file or the question that they answer. `call`: a call that changed nothing.
   * `failure`: a call that failed.
   */
  readonly kind: 'outcome' | 'words' | 'call' | 'failure';
  /** Names of the thing, or in the input of the call: also words spelled like code. */
  readonly names: readonly string[];
  /** What came of it, in order. */
  readonly outcomes: readonly Outcome[];
}

/** A detail of a line. */
export interface RecordDetail {
  readonly text: string;
  /** The same for a later detail that replaces this one: another value of the same field. Null: nothing replaces it. */
  readonly key: string | null;
  /** It was undone. */
  readonly isUndone: boolean;
}

/** What became of a thing, in a form that can be counted. */
export interface Outcome {
  /** Kind of the thing: `page`; for a refusal, the tool. */
  readonly kind: string;
  /** The thing as it is named in a line: `page "Rye" (pag_k7m2p9, rye)`. */
  readonly thing: string;
  /** Identifies the thing. */
  readonly id: string;
  readonly did: string;
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
/** Maximum characters of a message that may need the question before it to be understood: "Yes, please". A choice. */
const SHORT_REPLY_CHARS = 60;
/** Maximum characters of a title in an outcome. A choice, not measured. */
const TITLE_CHARS = 60;
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
  readonly kind: RecordLine['kind'];
  readonly details: Map<string, RecordDetail>;
  readonly names: Set<string>;
  readonly outcomes: Outcome[];
}

/** What a line says besides its beginning. */
interface Said extends Partial<Omit<RecordDetail, 'text'>> {
  readonly detail: string;
  readonly names?: readonly string[];
  readonly outcome?: Outcome;
}

/** Verbs of outcomes, by the action of the journal. Default: `changed`. */
const DONE: Readonly<Record<string, string>> = {
  create: 'created',
  publish: 'published',
  unpublish: 'unpublished',
  discard: 'discarded changes',
  schedule: 'scheduled',
  delete: 'deleted',
  restore: 'restored',
  undo: 'undid changes',
};

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
    const add = (head: string, detail: string) => this.#add(head, 'words', { detail });
    if (part.type === 'selection') add(`selected on ${place(part.content.source)}`, part.content.text);
    if (part.type === 'situation' && part.content.chosen !== undefined) add('pointed at', part.content.chosen);
    if (part.type !== 'file') return;
    const id = recallIdOf(part);
    const recall = id !== null && isAttachedText(part.content) ? `, recall_output id: ${id}` : '';
    add('attached', `${place(part.content.filename ?? 'without a name')} (${part.content.mediaType}${recall})`);
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
      const of = names.length === 0 ? toolName : `${toolName} ${oneLine(names.join(', '), VALUE_CHARS * 2)}`;
      const outcome = { kind: toolName, thing: of, id: of, did: 'refused by the user' };
      const detail = [written, output.reason].filter(Boolean).join(', ');
      this.#add(`${toolName} refused by the user`, 'outcome', { detail, names: all, outcome });
    } else if (output && toolOutputText(output).startsWith(`${toolName} ${TOOL_NOT_LOADED}`)) {
      // Nothing was changed.
    } else if (output?.type.startsWith('error')) {
      // Without names, which would read like completed work.
      this.#add(`${toolName} failed`, 'failure', {
        detail: `${oneLine(written, VALUE_CHARS)}: ${toolOutputText(output)}`,
      });
    } else if (toolName === 'ask_user' && isJsonObject(input)) {
      this.#add('asked the user', 'words', { detail: JSON.stringify(input['question'] ?? '') });
    } else if (did.length === 0 && written !== '') this.#add(toolName, 'call', { detail: written, names: all });
  }

  /** Adds a change of the site. */
  change({ kind, id, slug, title, summary, values = [], undone, action }: LedgerEntry): void {
    const isDocument = id === kind;
    const thing = isDocument
      ? kind
      : `${kind} "${oneLine(title, TITLE_CHARS)}" (${[id, slug].filter(Boolean).join(', ')})`;
    const changed = values.map(({ field, before, after }) => {
      const [from, to] = differing(before, after).map(shortTitle);
      return `${field} from "${from}" to "${to}"`;
    });
    const said = changed.length === 0 ? summary : `${summary} (${changed.join('; ')})`;
    this.#add(isDocument ? kind : id, 'outcome', {
      detail: undone ? `(undone since) ${said}` : said,
      key: values.length === 0 ? null : `${id} ${summary} ${values.map(({ field }) => field).join(' ')}`,
      isUndone: undone,
      names: slug === null ? [id] : [id, slug],
      outcome: { kind, thing, id, did: undone ? 'undone changes' : (DONE[action] ?? 'changed') },
    });
  }

  /** Adds a detail to the line that begins with `head`. */
  #add(head: string, kind: RecordLine['kind'], said: Said): void {
    const { detail, key = null, isUndone = false, names = [], outcome } = said;
    const line: LineDraft = this.#lines.get(head) ?? { kind, details: new Map(), names: new Set(), outcomes: [] };
    const text = oneLine(detail, DETAIL_CHARS);
    if (text !== '') line.details.set(text, { text: shown(text), key, isUndone });
    for (const name of names) line.names.add(name);
    if (outcome) line.outcomes.push({ ...outcome, thing: shown(outcome.thing) });
    this.#lines.set(head, line);
  }

  /** The turn as the record shows it. @param next the request that follows; undefined: this one may still be running */
  read(next: Message | null | undefined): RecordTurn {
    // A longer reply says itself what it is about.
    const isAsked = !next || textOf(next).length <= SHORT_REPLY_CHARS;
    if (this.#question !== '' && isAsked) this.#add('asked at the end', 'words', { detail: this.#question });
    const { status = 'complete', finishReason = null, error = null } = this.#last ?? {};
    const isBroken = error !== null || (next && status !== 'complete');
    // Conversations that other programs keep have no turns. A message that was added to a running turn is answered
    // together with it.
    const isPassedOver = next && this.request?.turnId && this.request.turnId !== next.turnId;
    // The turn did not end with a normal answer, so the request may still be open.
    if (finishReason === CANCELLED) this.#add('stopped by the user', 'words', { detail: '' });
    else if (isBroken || (!this.#isAnswered && isPassedOver))
      this.#add(this.#isAnswered ? 'broke off' : 'no answer came', 'words', { detail: error ?? '' });
    const lines = [...this.#lines].map(([head, { kind, details, names, outcomes }]) => {
      return { head: shown(head), kind, details: [...details.values()], names: [...names].map(shown), outcomes };
    });
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

/**
 * Text of users, tools and models in a summary, escaped so that none can pass for a mark of the engine or for a
 * heading.
 */
export const shown = (text: string): string => foreignText(text).replaceAll(/^(?=#{1,6} )/gm, ' ');
