import { narrativeText, parseNarrative } from '#server/context/narrative';
import { shown, textOf } from '#server/context/record/record';
import type { LedgerEntry, Thing, ValueChange } from '#server/core/conversation/compactions';
import type { Message } from '#server/core/conversation/messages';
import { comparable } from '#server/core/conversation/preferences';
import type { SummarySection } from '#server/core/conversation/summary-sections';
import { isRequest } from '#server/core/conversation/part-text';
import { differing } from '#server/core/text/differing';

/*
 * Compares what a model has written about a conversation with what code knows. Only certain contradictions count: ids that
 * do not exist; titles, addresses and states in the form in which code names things; numbers that a change of the named
 * thing replaced. The meaning of the words is never judged. When in doubt a sentence stays, because the record beside it is
 * newer.
 */

/** What a narrative is compared with. */
export interface KnownFacts {
  readonly things: readonly Thing[];
  readonly journal: readonly LedgerEntry[];
  /** Every message that the model may have read. */
  readonly messages: readonly Message[];
  /** The standing instructions, which it has read as well. */
  readonly standing: string;
  /** Changes that the model has not read. */
  readonly later: readonly LedgerEntry[];
}

/**
 * The narrative without sentences that contradict the known facts. Of What Comes Next a line that only quotes the
 * beginning of an earlier request, for which work was done, and a line about something that changed since are moved to
 * Current State, with what changed.
 */
export function checkedNarrative(narrative: string, facts: KnownFacts): string {
  const checks = new FactChecks(facts);
  const sections = new Map<SummarySection, string>();
  for (const [name, text] of parseNarrative(narrative)) {
    // Quotations of the user are checked by the messages that they stand in.
    const lines = text
      .split('\n')
      .map((line) => (name === 'User Preferences' ? line : checks.withoutContradictions(line)));
    sections.set(
      name,
      lines
        .filter((line) => line !== null)
        .join('\n')
        .trim(),
    );
  }
  const written = (sections.get(NEXT) ?? '').split('\n').filter((line) => line !== '');
  const next = written.filter((line) => !checks.quotesTaken(line));
  const quoted = written.filter((line) => !next.includes(line));
  if (quoted.length > 0) {
    sections.set(STATE, joined(sections.get(STATE), [WORKED_ON, ...quoted].join('\n')));
    sections.set(NEXT, next.join('\n') || NEWEST_REQUEST);
  }
  const taken = next.flatMap((line) => {
    const changes = checks.changesAbout(line);
    return changes.length === 0 ? [] : [{ line, changes }];
  });
  if (taken.length > 0) {
    const since = taken.map(({ line, changes }) => `${line} (since then: ${newestOf(changes)})`);
    sections.set(STATE, joined(sections.get(STATE), [CHANGED_SINCE, ...since].join('\n')));
    const moved = new Set(taken.map(({ line }) => line));
    sections.set(NEXT, next.filter((line) => !moved.has(line)).join('\n') || NEWEST_REQUEST);
  }
  return narrativeText([...sections].filter(([, text]) => text !== ''));
}

/** Maximum changes that are named behind a step. A choice, not measured. */
const MAX_NAMED_CHANGES = 3;

function newestOf(changes: readonly LedgerEntry[]): string {
  const older = changes.length - MAX_NAMED_CHANGES;
  const named = changes.slice(-MAX_NAMED_CHANGES).map(({ summary }) => shown(summary));
  return [...(older > 0 ? [`${older} earlier changes`] : []), ...named].join('; ');
}

const STATE = 'Current State' satisfies SummarySection;
const NEXT = 'What Comes Next' satisfies SummarySection;

/** Texts that are not empty, as paragraphs. */
const joined = (...texts: readonly (string | undefined)[]) => texts.filter(Boolean).join('\n\n');

/** Heading of steps that quote earlier requests. */
const WORKED_ON = 'Planned before; work was done for these requests, so check what is left:';
/** Heading of steps that were next when the narrative was written. */
const CHANGED_SINCE = 'Planned before these changes, which are newer:';
/** What comes next if nothing else does. */
export const NEWEST_REQUEST = 'Continue with the newest request of the user after this summary.';

/** What is known of a thing. */
interface KnownThing {
  readonly kind: string;
  /** All titles that it had, comparable. */
  readonly titles: Set<string>;
  readonly paths: Set<string>;
  state: string | null;
}

/** The form in which code names things, which the record asks a model to take over: `page "Rye" (pag_k7m2p9, /rye, draft)`. */
const NAMED =
  /(?:(\p{L}{2,30}) "([^"\n]{1,80})" ?)?[(（]([a-z]{3}_[a-z0-9]{4,32})((?:, [^,()（）\n]{1,200}){0,4})[)）]/gu;
/** An id of ours: `pag_k7m2p9`. */
const ID = /(?<![\w-])[a-z]{3}_[a-z0-9]{4,32}(?![\w-])/g;
const QUOTED = /["“„«「]([^"”“„»«」「]{1,80})["”“»«」]/g;
/** A number of two digits or more, with the marks that languages write between digits. */
const NUMBER = /\d+(?:[.,'’ \u00a0\u202f]\d+)*/g;
/** States that a state in brackets is true of. */
const TRUE_OF: Readonly<Record<string, readonly string[]>> = {
  draft: ['draft', 'changed'],
  published: ['published', 'changed'],
  changed: ['changed'],
  deleted: ['deleted'],
};

/** Compares sentences with the known facts. */
class FactChecks {
  readonly #facts: KnownFacts;
  readonly #things = new Map<string, KnownThing>();
  /** Ids by comparable title; null: several things have it. */
  readonly #byTitle = new Map<string, string | null>();
  /** For each thing the numbers that a change replaced and that were not set again, with those that stand now. */
  readonly #replaced = new Map<string, Map<string, readonly string[]>>();
  /** Prefixes of the ids of things. */
  readonly #prefixes: ReadonlySet<string>;
  #texts: readonly string[] | null = null;
  #requests: readonly RequestStart[] | null = null;

  constructor(facts: KnownFacts) {
    this.#facts = facts;
    for (const entry of facts.journal) this.#learn({ ...entry, path: entry.slug && `/${entry.slug}`, state: null });
    for (const thing of facts.things) this.#learn(thing);
    this.#prefixes = new Set([...this.#things.keys()].map((id) => id.slice(0, 4)));
    for (const { id, undone, values = [] } of facts.journal)
      if (!undone) for (const each of values) this.#replace(id, each);
  }

  #learn({ id, kind, title, path, state }: Pick<Thing, 'id' | 'kind' | 'title' | 'path' | 'state'>): void {
    if (id === kind) return;
    const thing = this.#things.get(id) ?? { kind, titles: new Set(), paths: new Set(), state: null };
    this.#things.set(id, thing);
    const name = comparable(title);
    thing.titles.add(name);
    const other = this.#byTitle.get(name);
    this.#byTitle.set(name, other === undefined || other === id ? id : null);
    if (path !== null) thing.paths.add(path);
    thing.state = state ?? thing.state;
  }

  /** Notes the numbers of a thing that a change replaced. */
  #replace(id: string, { before, after }: ValueChange): void {
    const [from, to] = differing(before, after).map(numbersIn);
    const replaced = this.#replaced.get(id) ?? new Map<string, readonly string[]>();
    this.#replaced.set(id, replaced);
    for (const number of from!) if (to!.length > 0 && !to!.includes(number)) replaced.set(number, to!);
    for (const number of to!) replaced.delete(number);
  }

  /** The line without sentences that contradict the facts; null: nothing is left of it. */
  withoutContradictions(line: string): string | null {
    const [, mark = '', text = ''] = /^(\s*(?:[-*•]|\d{1,3}[.)])?\s*)(.*)$/su.exec(line) ?? [];
    const sentences = text.split(/(?<=[.!?]["'”»)*_]{0,3})\s+(?=\p{Lu}|["“„«「*_(]|[a-z]{3}_)|(?<=[。！？])/u);
    const kept = sentences.filter((sentence) => !this.#contradicts(sentence));
    if (kept.length === sentences.length) return line;
    return kept.length === 0 ? null : `${mark}${kept.join(' ')}`;
  }

  /** Later changes of the state of things that a line mentions by id or title, and all their later changes. */
  changesAbout(line: string): LedgerEntry[] {
    const mentioned = new Set(this.#mentioned(line));
    const changes = this.#facts.later.filter(({ id, kind }) => id !== kind && mentioned.has(id));
    return changes.some(({ action }) => STATE_ACTIONS.has(action)) ? changes : [];
  }

  /**
   * Returns whether a line quotes the beginning of a request before the newest one, for which work was done, and says
   * nothing after the quotation.
   */
  quotesTaken(line: string): boolean {
    const text = plain(line);
    this.#requests ??= requestsOf(this.#facts);
    const quoted = ({ start }: RequestStart) => prefixIn(text, start);
    const [taken, open] = [true, false].map((isTaken) =>
      this.#requests!.filter((request) => request.isTaken === isTaken).map(quoted),
    );
    const best = taken!.toSorted((one, other) => other.length - one.length)[0];
    if (!best || best.length < MIN_QUOTED || open!.some(({ length }) => length >= best.length)) return false;
    return !/[\p{L}\p{N}]/u.test(text.slice(best.end));
  }

  /** Ids of the things that a text mentions. */
  #mentioned(text: string): string[] {
    const ids = (text.match(ID) ?? []).filter((id) => this.#things.has(id));
    const titles = [...text.matchAll(QUOTED)].flatMap(([, title = '']) => this.#byTitle.get(comparable(title)) ?? []);
    return [...new Set([...ids, ...titles])];
  }

  #contradicts(sentence: string): boolean {
    return (
      (sentence.match(ID) ?? []).some((id) => this.#isUnknown(id)) ||
      [...sentence.matchAll(NAMED)].some(([, kind, title, id = '', more = '']) =>
        this.#isWrong(id, more, kind, title),
      ) ||
      this.#hasReplacedNumber(sentence)
    );
  }

  /** True for an id of a kind that the site has, which is nowhere in the conversation. */
  #isUnknown(id: string): boolean {
    if (this.#things.has(id) || !this.#prefixes.has(id.slice(0, 4))) return false;
    this.#texts ??= [this.#facts.standing, ...textsOf(this.#facts.messages)];
    return !this.#texts.some((text) => text.includes(id));
  }

  /** Returns whether a thing is named with a title, an address or a state that it does not have. */
  #isWrong(id: string, more: string, kind: string | undefined, title: string | undefined): boolean {
    const thing = this.#things.get(id);
    if (!thing) return false;
    const parts = more
      .split(', ')
      .slice(1)
      .map((part) => part.trim());
    const hasWrongTitle = kind === thing.kind && title !== undefined && !thing.titles.has(comparable(title));
    const hasWrongPath = parts.some((part) => part.startsWith('/') && thing.paths.size > 0 && !thing.paths.has(part));
    const { state } = thing;
    const hasWrongState = parts.some((part) => state !== null && TRUE_OF[part] && !TRUE_OF[part].includes(state));
    return hasWrongTitle || hasWrongPath || hasWrongState;
  }

  /** A number that a change of the thing of the sentence replaced, without one that stands now. */
  #hasReplacedNumber(sentence: string): boolean {
    const [id, ...more] = this.#mentioned(sentence);
    const replaced = id === undefined || more.length > 0 ? undefined : this.#replaced.get(id);
    if (!replaced) return false;
    const numbers = numbersIn(sentence);
    return numbers.some((number) => {
      const now = replaced.get(number);
      return now !== undefined && !now.some((each) => numbers.includes(each));
    });
  }
}

/** Comparable, without case and quotation marks: what a text quotes may be quoted with others. */
const plain = (text: string) =>
  comparable(text)
    .toLowerCase()
    .replaceAll(/["'«»‹›‚‘「」『』]/g, '');

/** The beginning of a request, plain. */
interface RequestStart {
  readonly start: string;
  /**
   * Another request followed, and something was changed for it, or calls were made and the answer asks nothing. Words
   * without calls may be a promise or an open point.
   */
  readonly isTaken: boolean;
}

/** Minimum characters of a quotation by which a request is known. A choice, not measured. */
const MIN_QUOTED = 20;
/** Characters of a request that a quotation is compared with. A choice, not measured. */
const MAX_QUOTED = 200;

/** Tools whose calls leave a request open. */
const TALKING_TOOLS = new Set(['ask_user', 'keep_in_mind']);
/** A text that ends with a question, in any script. */
const ASKS = /[?？؟][^\p{L}\p{N}]*$/u;

function requestsOf({ messages, journal }: KnownFacts): RequestStart[] {
  const changing = new Set(journal.map(({ toolCallId }) => toolCallId));
  const starts = messages.flatMap((message, index) => (isRequest(message) ? [index] : []));
  return starts.map((from, index) => {
    const end = starts[index + 1];
    const answer = messages.slice(from + 1, end);
    const calls = answer.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-call' ? part.content : [])),
    );
    const isChanging = calls.some(({ toolCallId }) => changing.has(toolCallId));
    const isAnswered = calls.some(({ toolName }) => !TALKING_TOOLS.has(toolName)) && !ASKS.test(lastWords(answer));
    const start = plain(textOf(messages[from]!)).slice(0, MAX_QUOTED);
    return { start, isTaken: end !== undefined && (isChanging || isAnswered) };
  });
}

/** The text of the last message of the assistant. */
function lastWords(answer: readonly Message[]): string {
  const last = answer.findLast(({ role }) => role === 'assistant');
  return last ? textOf(last) : '';
}

/** The longest beginning of `start` that a text contains: its length, and its end in the text. */
function prefixIn(text: string, start: string): { readonly length: number; readonly end: number } {
  let length = Math.min(MIN_QUOTED, start.length);
  if (length < MIN_QUOTED || !text.includes(start.slice(0, length))) return { length: 0, end: 0 };
  while (length < start.length && text.includes(start.slice(0, length + 1))) length += 1;
  return { length, end: text.indexOf(start.slice(0, length)) + length };
}

/** Changes of whether something exists or is published. */
const STATE_ACTIONS: ReadonlySet<string> = new Set(['create', 'delete', 'restore', 'publish', 'unpublish']);

/** The numbers of a text in one spelling, those of one digit left out. */
function numbersIn(text: string): string[] {
  const numbers = text.normalize('NFKC').match(NUMBER) ?? [];
  return numbers.map((number) => number.replaceAll(/\D/g, '')).filter((digits) => digits.length > 1);
}

/** All texts of messages, also those of calls and results. */
function textsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => [
    textOf(message),
    ...message.parts.flatMap(({ type, content }) => (type === 'text' ? [] : [JSON.stringify(content)])),
  ]);
}
