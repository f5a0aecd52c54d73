import { namesIn } from '#server/context/record/names';
import { createYielder } from '#server/core/async';
import type { LedgerEntry } from '#server/core/conversation/compactions';
import { TOOL_NOT_LOADED } from '#server/core/conversation/labels';
import { foreignText } from '#server/core/conversation/part-types/foreign-text';
import { isJsonObject, type JsonValue, textsIn } from '#server/core/json';
import { comparable } from '#server/core/conversation/preferences';
import { type Message, pairToolResults } from '#server/core/conversation/messages';
import { CANCELLED } from '#server/core/conversation/turns';
import { toolOutputText } from '#server/core/conversation/part-types/tool-output';
import {
  definitionOf,
  type Part,
  recallIdOf,
  type ToolCallPart,
  type ToolResultPart,
} from '#server/core/conversation/parts';
import { newestWithin } from '#server/core/text/excerpt';
import { differing } from '#server/core/text/differing';
import { collapseSpaces, oneLine, shortTitle } from '#server/core/text/short-text';
import { isAttachedText } from '#server/core/conversation/part-types/blobs';
import { isRequest } from '#server/core/conversation/part-text';

/** A turn in the record. */
export interface RecordTurn {
  /** Null: before the first request. */
  readonly request: Message | null;
  readonly lines: readonly RecordLine[];
  /** A change of the turn placed the longest line of the request on the site. */
  readonly isPlaced: boolean;
}

/** What was done in a turn with one thing or by one tool. */
export interface RecordLine {
  /**
   * `outcome`: it changed the site, or the user refused it. `call`: a call whose effect is not known, because it is not in the
   * journal. `passing`: a call that only read or failed. `note`: what the user attached or was asked.
   * `offer`: what the assistant listed for a choice, if the next request is short. `ending`: the turn did not end with a
   * normal answer.
   */
  readonly kind: 'outcome' | 'call' | 'passing' | 'note' | 'offer' | 'ending';
  /** Its details: `- pag_k7m2p9: Added a FAQ section to "Pricing"`. */
  readonly text: string;
  /** The same without values that later changes replaced, changes that were undone and repetitions. */
  readonly current: string;
  /** The names that a call mentions. */
  readonly names: readonly string[];
  /** What the line is about: a thing with its title, or a tool. */
  readonly head: string;
  /** How often each was done: `created`, `changed`, `undone`. Empty for a line that is no outcome. */
  readonly counts: ReadonlyMap<string, number>;
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
/** Maximum characters of what the journal says about a change. A choice, not measured. */
const SUMMARY_CHARS = 150;
/** Maximum characters of a change with the values that it set; the longest value fits. A choice, not measured. */
const VALUES_CHARS = 300;
/** Maximum characters of one value of an input. A choice, not measured. */
const VALUE_CHARS = 30;
/** Maximum characters of a title. A choice, not measured. */
const HEAD_CHARS = 40;
/** Maximum characters of a file name. A choice, not measured. */
const FILENAME_CHARS = 100;
/** Tools that only make other tools available. */
export const LOADING_TOOLS: ReadonlySet<string> = new Set(['find_tools', 'load_tools']);
/** Tools whose effect appears elsewhere in the summary or in later messages. */
const SILENT_TOOLS = new Set([...LOADING_TOOLS, 'keep_in_mind', 'recall_output', 'search_history']);

/** What else is known when turns are read. */
interface ReadingOptions {
  /** Changes by calls from this time on belong to later turns; epoch milliseconds. Default: none do. */
  readonly until?: number | undefined;
  /** Tools that only read. */
  readonly readingTools?: ReadonlySet<string> | undefined;
}

/** Reads turns from messages and the journal, oldest first. */
export async function readTurns(
  messages: readonly Message[],
  journal: readonly LedgerEntry[],
  { until = Infinity, readingTools = new Set() }: ReadingOptions = {},
): Promise<RecordTurn[]> {
  const results = pairToolResults(messages);
  const changes = Map.groupBy(journal, ({ toolCallId }) => toolCallId ?? null);
  const turns: TurnDraft[] = [];
  const yieldIfDue = createYielder();
  for (const message of messages) {
    if (turns.length === 0 || isRequest(message))
      turns.push(new TurnDraft(isRequest(message) ? message : null, readingTools));
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
  // From the newest on, so that each turn knows what was set after it.
  const later = new LaterChanges();
  const read = turns.toReversed().map((turn, index) => turn.read(turns[turns.length - index]?.request, later));
  return read.toReversed();
}

/** A value that a change set. */
interface SetValue {
  /** The thing and its field. */
  readonly place: string;
  readonly before: string;
  readonly after: string;
  /** The part of `after` that was not in `before`. */
  readonly added: string;
}

/** A change or call in a line. */
interface Detail {
  readonly text: string;
  /** Empty: unknown, or it set none. */
  readonly values: readonly SetValue[];
  /** It was undone, or it is the undo. */
  readonly isUndone: boolean;
}

/** What later changes did, while the turns are read from the newest to the oldest. */
class LaterChanges {
  /** Details of things that were seen. */
  readonly #seen = new Set<string>();
  /** What became of the value of a place, by the place and the value. */
  readonly #became = new Map<string, string>();

  /** Adds a detail. @returns true if a later one says the same, or replaced everything that it set */
  add(head: string, { text, values, isUndone }: Detail): boolean {
    if (isUndone) return false;
    if (values.length === 0) {
      const key = `${head} ${text}`;
      const isRepeated = this.#seen.has(key);
      this.#seen.add(key);
      return isRepeated;
    }
    const standing = values.filter(({ place, before, after, added }) => {
      const now = this.#became.get(`${place} ${after}`) ?? after;
      this.#became.set(`${place} ${before}`, now);
      return collapseSpaces(now).includes(added);
    });
    return standing.length === 0;
  }
}

/** A line while its turn is read. */
interface LineDraft {
  kind: RecordLine['kind'];
  /** What it is about, with the title. */
  head: string;
  /** By their texts. */
  readonly details: Map<string, Detail>;
  readonly names: Set<string>;
  readonly counts: Map<string, number>;
}

/** What an entry adds to a line; see `RecordLine` and `Detail`. */
interface Entry {
  readonly kind: RecordLine['kind'];
  /** The beginning of the line. */
  readonly title: string;
  readonly detail: string;
  readonly names?: readonly string[];
  readonly head?: string;
  readonly done?: string;
  readonly values?: readonly SetValue[];
  readonly isUndone?: boolean;
}

/** How the record names what a change did; other actions are named as in the journal. */
const DONE: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  restore: 'restored',
  publish: 'published',
  unpublish: 'unpublished',
  undo: 'undid',
};

/** A turn while its messages are read. */
class TurnDraft {
  readonly request: Message | null;
  readonly #lines = new Map<string, LineDraft>();
  readonly #readingTools: ReadonlySet<string>;
  /** The question or list at the end of the newest answer; empty: none. */
  #question = '';
  /** The newest answer. */
  #last: Message | null = null;
  #isAnswered = false;
  #isPlaced = false;
  /** The longest line of the request, comparable. */
  #longestLine: string | null = null;

  constructor(request: Message | null, readingTools: ReadonlySet<string>) {
    this.request = request;
    this.#readingTools = readingTools;
  }

  /** Adds attached files, and what "this" in the user's words may refer to. */
  show(part: Part): void {
    const place = (name: string) => oneLine(name, FILENAME_CHARS);
    const entry = definitionOf(part.type).recordEntry?.(part.content, place);
    if (entry) this.#add({ kind: 'note', title: entry[0], detail: entry[1] });
    if (part.type !== 'file') return;
    const id = recallIdOf(part);
    const recall = id !== null && isAttachedText(part.content) ? `, recall_output id: ${id}` : '';
    const detail = `${place(part.content.filename ?? 'without a name')} (${part.content.mediaType}${recall})`;
    this.#add({ kind: 'note', title: 'attached', detail });
  }

  /** The question or numbered list at the end of an answer, because a later message of the user may respond to it. */
  answer(message: Message): void {
    const hasCalls = message.parts.some(({ type }) => type === 'tool-call');
    this.#question = hasCalls ? '' : closingOffer(textOf(message));
    this.#isAnswered ||= hasCalls || textOf(message) !== '';
    this.#last = message;
  }

  /** Adds a call: its changes to the site or, if it made none, its input, call by call. */
  call({ content: { toolName, input } }: ToolCallPart, did: readonly LedgerEntry[], result?: ToolResultPart): void {
    for (const change of did) this.change(change);
    if (did.length > 0) this.#isPlaced ||= this.#isWrittenBy(input);
    const output = result?.content.output;
    const { names, identifiers } = namesIn(input);
    const all = [...names, ...identifiers];
    const written = shortInput(input);
    if (output?.type === 'execution-denied') {
      const detail = [written, output.reason].filter(Boolean).join(', ');
      this.#add({ kind: 'outcome', title: `${toolName} refused by the user`, detail, names: all, done: 'refused' });
    } else if (output && toolOutputText(output).startsWith(`${toolName} ${TOOL_NOT_LOADED}`)) {
      // Nothing was changed.
    } else if (output?.type.startsWith('error')) {
      const detail = `${oneLine(written, VALUE_CHARS)}: ${toolOutputText(output)}`;
      this.#add({ kind: 'passing', title: `${toolName} failed`, detail });
    } else if (toolName === 'ask_user' && isJsonObject(input)) {
      this.#add({ kind: 'note', title: 'asked the user', detail: JSON.stringify(input['question'] ?? '') });
    } else if (did.length === 0 && written !== '') {
      const kind = this.#readingTools.has(toolName) ? 'passing' : 'call';
      this.#add({ kind, title: toolName, detail: written, names: all });
    }
  }

  /** Returns whether an input contains the longest line of the request. */
  #isWrittenBy(input: JsonValue): boolean {
    if (!this.request) return false;
    const lines = textOf(this.request).split('\n').map(comparable);
    const longest = (this.#longestLine ??= lines.toSorted((a, b) => b.length - a.length)[0] ?? '');
    return longest !== '' && textsIn(input).some((text) => comparable(text).includes(longest));
  }

  /** Adds a change of the site. */
  change({ kind, id, slug, title, summary, values = [], undone, action }: LedgerEntry): void {
    const changed = values.flatMap(({ field, before, after }) => {
      const [from, to] = differing(before, after);
      if (quotesBoth(summary, from, to)) return [];
      return [`${field} from "${shortTitle(from)}" to "${shortTitle(to)}"`];
    });
    const about = `${undone ? '(undone since) ' : ''}${oneLine(summary, SUMMARY_CHARS)}`;
    // A change is quoted whole or not at all.
    const left = VALUES_CHARS - about.length;
    const quoted = newestWithin(changed.toReversed(), left, (text) => text.length + 3).toReversed();
    this.#add({
      kind: 'outcome',
      title: id === kind ? kind : id,
      detail: quoted.length === 0 ? about : `${about} (${quoted.join('; ')})`,
      names: slug === null ? [id] : [id, slug],
      head: id === kind ? kind : `${id} "${oneLine(title, HEAD_CHARS)}"`,
      done: undone ? `${DONE[action] ?? action} and undone` : (DONE[action] ?? action),
      values: values.map(({ field, before, after }) => {
        const [, added] = differing(before, after);
        return { place: `${id} ${field}`, before, after, added: added.replaceAll(/^… | …$/g, '') };
      }),
      isUndone: undone || action === 'undo',
    });
  }

  /** Adds a detail to the line that begins with `title`. */
  #add({ kind, title, detail, names = [], head = title, done, values = [], isUndone = false }: Entry): void {
    const line = this.#lines.get(title) ?? { kind, head, details: new Map(), names: new Set(), counts: new Map() };
    const text = oneLine(
      detail,
      values.length === 0 && kind !== 'note' && kind !== 'offer' ? DETAIL_CHARS : VALUES_CHARS,
    );
    line.head = head;
    // Done again, it is the newest.
    line.details.delete(text);
    line.details.set(text, { text, values, isUndone });
    for (const name of names) line.names.add(name);
    if (done !== undefined) line.counts.set(done, (line.counts.get(done) ?? 0) + 1);
    this.#lines.set(title, line);
  }

  /**
   * The turn as the record shows it.
   * @param next the request that follows; undefined: this one may still be running
   * @param later the changes of later turns; extended by those of this one
   */
  read(next: Message | null | undefined, later: LaterChanges): RecordTurn {
    if (this.#question !== '') {
      const isChosenFrom = next && NUMBERED_ITEM.test(this.#question) && textOf(next).length <= SHORT_REQUEST_CHARS;
      this.#add({ kind: isChosenFrom ? 'offer' : 'note', title: 'asked at the end', detail: this.#question });
    }
    const { status = 'complete', finishReason = null, error = null } = this.#last ?? {};
    const isBroken = error !== null || (next && status !== 'complete');
    // Conversations that other programs keep have no turns. A message that was added to a running turn is answered
    // together with it.
    const isPassedOver = next && this.request?.turnId && this.request.turnId !== next.turnId;
    // The turn did not end with a normal answer, so the request may still be open.
    if (finishReason === CANCELLED) this.#add({ kind: 'ending', title: 'stopped by the user', detail: '' });
    else if (isBroken || (!this.#isAnswered && isPassedOver)) {
      const title = this.#isAnswered ? 'broke off' : 'no answer came';
      this.#add({ kind: 'ending', title, detail: error ?? '' });
    }
    const isPlaced = this.#isPlaced;
    return {
      request: this.request,
      isPlaced,
      lines: [...this.#lines].map(([title, draft]) => lineOf(title, draft, later)),
    };
  }
}

/** A line of the record. @param later the changes after it; extended by its own */
function lineOf(title: string, { kind, head, details, names, counts }: LineDraft, later: LaterChanges): RecordLine {
  const newestFirst = [...details.values()].toReversed();
  const standing =
    kind === 'outcome' ? newestFirst.filter((detail) => !later.add(title, detail) && !detail.isUndone) : newestFirst;
  const written = (shownDetails: readonly Detail[]) =>
    shown([`- ${title}`, shownDetails.map(({ text }) => text).join('; ')].filter(Boolean).join(': '));
  return {
    kind,
    text: written([...details.values()]),
    current: standing.length === 0 ? '' : written(standing.toReversed()),
    head: shown(head),
    names: [...names].map(shown),
    counts,
  };
}

/** Returns whether a text quotes what was replaced and what replaced it, as the summary of a replacement does. */
function quotesBoth(summary: string, from: string, to: string): boolean {
  const quoted = [...summary.matchAll(/"([^"]+)"/g)].map(([, text = '']) => text);
  const isIn = (text: string, other: string) => quoted.some((each) => text.includes(each) && !other.includes(each));
  return isIn(from, to) && isIn(to, from);
}

/** Maximum characters of a list at the end of an answer. A choice, not measured. */
const OFFER_CHARS = 260;
/** A request of so few characters may choose from a list without naming what it chooses. A choice, not measured. */
const SHORT_REQUEST_CHARS = 160;
/** An item of a numbered list, which a short request can choose by its number. */
const NUMBERED_ITEM = /^\s{0,3}[*_]{0,2}\d{1,2}[.)、．]\s?\S/;

/** A numbered list at the end of a text, each item shortened, and the question in which the text ends; empty: neither. */
function closingOffer(said: string): string {
  const question = closingQuestion(said);
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => NUMBERED_ITEM.test(line));
  if (last < lines.length - 2) return question;
  const first = lines.slice(0, last + 1).findLastIndex((line) => !NUMBERED_ITEM.test(line)) + 1;
  const items = lines.slice(first, last + 1);
  if (items.length < 2) return question;
  const each = Math.max(20, Math.floor(OFFER_CHARS / items.length));
  return [...items.map((item) => oneLine(item, each)), question].filter(Boolean).join(' ');
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
