import { excerptTokens } from '#server/context/excerpt';
import {
  type Outcome,
  type RecordDetail,
  type RecordLine,
  type RecordTurn,
  shown,
  textOf,
} from '#server/context/record';
import { type CountTokens, newestWithin } from '#server/context/tokens';
import type { Message } from '#server/core/conversation/messages';
import { recallIdOf } from '#server/core/conversation/parts';

/*
 * Writes the record of a conversation within its bounds. What does not fit is shortened in a fixed order: failed calls
 * and details of calls that changed nothing go first, then values that a later change replaced, then the middle of long
 * messages, then the words of the user, the oldest first. Outcomes stay: one line each, then counted for each thing.
 */

/** Limits of a record. */
export interface RecordBounds {
  readonly tokens: number;
  /** Tokens for the user's words. */
  readonly words: number;
  /** Tokens of one message. Longer messages are replaced by an excerpt. */
  readonly message: number;
  /** Ids of messages that stay in the view. */
  readonly inView: ReadonlySet<string>;
  /** True if tools can find what is left out. */
  readonly hasRecall: boolean;
  readonly count: CountTokens;
}

/** Tokens reserved for the line that counts what is left out. */
export const FOLD_TOKENS = 40;
/** Largest share of the lines for outcomes that are only counted. A choice, not measured. */
const COUNTED_SHARE = 0.6;

/** Largest share of the record that outcomes have before the words of the user. A choice, not measured. */
const RESERVED_SHARE = 0.4;

/** Tokens of a line with its line break. */
type Cost = (text: string) => number;

/** The record as text: under the number of each turn the words of the user and what was done. */
export function writeRecord(turns: readonly RecordTurn[], bounds: RecordBounds): string {
  const { count, hasRecall } = bounds;
  const cost: Cost = (text) => (text === '' ? 0 : count(text) + 1);
  const room = bounds.tokens - FOLD_TOKENS;
  const first = turns.findIndex(({ request }) => request !== null);
  const later = turns.slice(first + 1);
  const number = (turn: RecordTurn) => turns.indexOf(turn) - first + 1;
  const outcomes = turns.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'outcome')).toReversed();
  // Outcomes outlive words.
  const isLasting = lastingIn(turns);
  const inLines = outcomes.reduce((sum, line) => sum + cost(lineOf(line, isLasting)), 0);
  const reserved = Math.min(inLines + countedTokens(outcomes, room * RESERVED_SHARE, cost), room * RESERVED_SHARE);
  const heads = writeWords(later, number, { ...bounds, words: Math.min(bounds.words, room - reserved) }, cost);
  const wordTokens = [...heads.values()].reduce((sum, head) => sum + cost(head), 0);
  const { texts, counted } = writeLines(turns, heads, { tokens: room - wordTokens, cost, isLasting });

  const lines = turns.flatMap((turn) => turn.lines);
  const left = lines.filter((line) => !texts.has(line) && line.outcomes.length === 0).length;
  const counts = Object.entries({ 'earlier request': later.length - heads.size, line: left }).filter(([, n]) => n > 0);
  const leftOut = counts.map(([of, n]) => `${n} ${of}${n === 1 ? '' : 's'}`).join(' and ');
  const note = leftOut && `(folded here: ${leftOut}${hasRecall ? '; search_history finds them' : ''})`;
  const written = turns.flatMap((turn, index) => [
    index === first ? '1. (the original task)' : (heads.get(turn) ?? ''),
    ...turn.lines.map((line) => texts.get(line) ?? ''),
    ...(index === Math.max(0, first) ? [note, ...counted] : []),
  ]);
  return written.filter((line) => line !== '').join('\n');
}

/**
 * The words of a request in the record: complete up to this number of tokens, otherwise beginning, end and recall id.
 */
export function wordsOf(request: Message, tokens: number, count: CountTokens): string {
  const text = shown(textOf(request));
  if (count(text) <= tokens) return text;
  return excerptTokens(text, tokens, count, recallIdIn(request));
}

const recallIdIn = ({ parts }: Message) => {
  const part = parts.find(({ type }) => type === 'text');
  return part && recallIdOf(part);
};

/** First and last words of an excerpt of an older message: enough to recognize it. */
const FIRST_WORDS = 24;
const LAST_WORDS = 12;
/** Characters of the same in scripts without spaces. */
const FIRST_CHARS = 60;
const LAST_CHARS = 30;
/** Tokens of a message up to which it is not shortened: what people type is shorter, what they paste longer. A choice. */
const PASTED_TOKENS = 120;
/** An excerpt has to save at least this share of a message. A choice, not measured. */
const LEAST_SAVING = 0.3;

/** The first and last words of a long message, with its recall id; the whole text of a shorter one. */
function firstAndLastWords(request: Message, cost: Cost): string {
  const text = shown(textOf(request));
  if (cost(text) <= PASTED_TOKENS) return text;
  const words = text.split(/\s+/);
  const isSpaced = words.length * 12 > text.length;
  const [first, last] = isSpaced
    ? [words.slice(0, FIRST_WORDS).join(' '), words.slice(-LAST_WORDS).join(' ')]
    : [text.slice(0, FIRST_CHARS).toWellFormed(), text.slice(-LAST_CHARS).toWellFormed()];
  const hidden = text.length - first.length - last.length;
  if (hidden <= 0) return text;
  const id = recallIdIn(request);
  const recall = id === undefined || id === null ? '' : `, recall_output id: ${id}`;
  const excerpt = `${first} [... ${hidden} characters left out${recall} ...] ${last}`;
  return cost(excerpt) <= cost(text) * (1 - LEAST_SAVING) ? excerpt : text;
}

/**
 * The first line of each turn that is shown, with the words of its request: as many of the newest turns as fit with the
 * first and last words of their requests; of these, as many as fit have them whole, the newest first.
 */
function writeWords(
  turns: readonly RecordTurn[],
  number: (turn: RecordTurn) => number,
  { words, message, inView, count }: RecordBounds,
  cost: Cost,
): Map<RecordTurn, string> {
  const short = new Map<RecordTurn, string>();
  const whole = new Map<RecordTurn, string>();
  let left = words;
  // From the newest turn backwards, only as far as they fit, because there may be ten thousand turns.
  for (const turn of turns.toReversed()) {
    const { request } = turn;
    if (request === null) continue;
    const isInView = inView.has(request.id);
    const head = (said: string) => `${number(turn)}. ${isInView ? '(in full among the messages)' : `User: ${said}`}`;
    const complete = head(isInView ? '' : wordsOf(request, message, count));
    const excerpt = isInView ? complete : head(firstAndLastWords(request, cost));
    const shorter = cost(excerpt) < cost(complete) ? excerpt : complete;
    if (cost(shorter) > left) break;
    left -= cost(shorter);
    short.set(turn, shorter);
    whole.set(turn, complete);
  }
  for (const [turn, shorter] of short) {
    const more = cost(whole.get(turn)!) - cost(shorter);
    if (more > left) continue;
    left -= more;
    short.set(turn, whole.get(turn)!);
  }
  return short;
}

/** The lines that are written in a turn, and lines that count older outcomes by the thing. */
interface WrittenLines {
  readonly texts: ReadonlyMap<RecordLine, string>;
  readonly counted: readonly string[];
}

/** Writes as much of the lines as fits, in the order in which they matter, each from the newest backwards. */
function writeLines(
  turns: readonly RecordTurn[],
  heads: ReadonlyMap<RecordTurn, string>,
  { tokens, cost, isLasting }: { readonly tokens: number; readonly cost: Cost; readonly isLasting: IsWanted },
): WrittenLines {
  const newest = turns.flatMap((turn) => turn.lines).toReversed();
  const texts = new Map<RecordLine, string>();
  const of = (...kinds: RecordLine['kind'][]) => newest.filter(({ kind }) => kinds.includes(kind));
  const outcomes = of('outcome');
  let left = tokens;
  /** Writes the lines in this form as far as they fit; stops at the first that does not. */
  const write = (lines: readonly RecordLine[], form: (line: RecordLine) => string) => {
    for (const line of lines) {
      const text = form(line);
      const more = cost(text) - cost(texts.get(line) ?? '');
      if (more > left) return;
      left -= more;
      if (text !== '') texts.set(line, text);
    }
  };
  const inLines = outcomes.reduce((sum, line) => sum + cost(lineOf(line)), 0);
  // What is only counted has its tokens first; every line that is written makes it shorter.
  const mostCounted = inLines <= left ? 0 : Math.min(countedTokens(outcomes, left, cost), left * COUNTED_SHARE);
  left -= mostCounted;
  write(outcomes, (line) => lineOf(line, isLasting));
  // Of turns whose words are left out, what belongs to their words is left out as well.
  const shownLines = new Set(turns.flatMap((turn, index) => (index === 0 || heads.has(turn) ? turn.lines : [])));
  write(
    of('words').filter((line) => shownLines.has(line)),
    (line) => lineOf(line),
  );
  const calls = of('call');
  const last = lastWithName(newest);
  const full = (line: RecordLine) => lineOf(line, undefined, last);
  write(calls, (line) => namesLine(line, last, left, cost));
  write(
    outcomes.filter((line) => texts.has(line) || lineOf(line, isLasting) === ''),
    full,
  );
  // Reads and failures say more only where every outcome does.
  if (outcomes.every((line) => texts.get(line) === full(line))) {
    write(calls, (line) => (texts.has(line) ? full(line) : ''));
    write(of('failure'), full);
  }

  const missing = outcomes.filter((line) => !texts.has(line)).toReversed();
  return { texts, counted: countOutcomes(missing, Math.max(left, 0) + mostCounted, cost) };
}

/**
 * A line with the details that are wanted, and the names that neither they nor a newer line have; empty if no detail is
 * wanted.
 */
function lineOf(line: RecordLine, isWanted: IsWanted = () => true, last?: ReadonlyMap<string, RecordLine>): string {
  const { head, details, names } = line;
  const wanted = details.filter(isWanted);
  if (wanted.length === 0 && details.length > 0) return '';
  const said = wanted.map(({ text }) => text).join('; ');
  const own = [`- ${head}`, ...(said === '' ? [] : [said])].join(': ');
  const others = names.filter((name) => !own.includes(name) && (last?.get(`${line.kind} ${name}`) ?? line) === line);
  return others.length === 0 ? own : `${own} (${others.join(', ')})`;
}

/** The newest line of each kind that has a name, by kind and name. @param newest lines, the newest first */
function lastWithName(newest: readonly RecordLine[]): ReadonlyMap<string, RecordLine> {
  const last = new Map<string, RecordLine>();
  for (const line of newest)
    for (const name of line.names) if (!last.has(`${line.kind} ${name}`)) last.set(`${line.kind} ${name}`, line);
  return last;
}

/** Tells which details to write. */
type IsWanted = (detail: RecordDetail) => boolean;

/** Tells whether a detail still holds: it was not undone, and no newer one has set another value of the same field. */
function lastingIn(turns: readonly RecordTurn[]): IsWanted {
  const [known, replaced] = [new Set<string>(), new Set<RecordDetail>()];
  for (const detail of turns.flatMap(({ lines }) => lines.flatMap(({ details }) => details)).toReversed()) {
    if (detail.key === null || detail.isUndone) continue;
    if (known.has(detail.key)) replaced.add(detail);
    known.add(detail.key);
  }
  return (detail) => !detail.isUndone && !replaced.has(detail);
}

/** The tool with the names that no newer line contains, as many of the last ones as fit. Empty: none is new. */
function namesLine(line: RecordLine, last: ReadonlyMap<string, RecordLine>, tokens: number, cost: Cost): string {
  const { head, kind, names } = line;
  const fresh = names.filter((name) => last.get(`${kind} ${name}`) === line);
  const fitting = newestWithin(fresh, tokens - cost(`- ${head}: `), cost);
  return fitting.length === 0 ? '' : `- ${head}: ${fitting.join(', ')}`;
}

/** Tokens of all outcomes when they are only counted, at most `most`. */
const countedTokens = (lines: readonly RecordLine[], most: number, cost: Cost) =>
  countOutcomes(lines.toReversed(), most, cost).reduce((sum, text) => sum + cost(text), 0);

/**
 * What became of each thing, in one line: `page "Rye" (pag_k7m2p9, rye): created, changed 12 times, published`. Things
 * that do not fit are counted by their kind, the oldest first.
 */
function countOutcomes(lines: readonly RecordLine[], tokens: number, cost: Cost): string[] {
  const byThing = new Map<string, Outcome[]>();
  for (const outcome of lines.flatMap(({ outcomes }) => outcomes)) {
    const present = byThing.get(outcome.id) ?? [];
    // The thing with the newest outcome comes last, under its newest name.
    byThing.delete(outcome.id);
    byThing.set(outcome.id, [...present, outcome]);
  }
  const things = [...byThing.values()];
  const lineOfThing = (outcomes: readonly Outcome[]) => `- ${outcomes.at(-1)!.thing}: ${countedVerbs(outcomes)}`;
  const fitting = newestWithin(things, tokens, (outcomes) => cost(lineOfThing(outcomes)));
  if (fitting.length === things.length) return things.map(lineOfThing);
  const kinds = (of: readonly (readonly Outcome[])[]) =>
    [...Map.groupBy(of.flat(), ({ kind }) => kind)].map(
      ([kind, outcomes]) => `- ${new Set(outcomes.map(({ id }) => id)).size} of ${kind}: ${countedVerbs(outcomes)}`,
    );
  const kindTokens = kinds(things).reduce((sum, line) => sum + cost(line), 0);
  const newestThings = newestWithin(things, tokens - kindTokens, (outcomes) => cost(lineOfThing(outcomes)));
  const older = things.slice(0, things.length - newestThings.length);
  return [...kinds(older), ...newestThings.map(lineOfThing)];
}

/** `created, changed 12 times, published`, in the order in which each happened first. */
function countedVerbs(outcomes: readonly Outcome[]): string {
  const counts = Map.groupBy(outcomes, ({ did }) => did);
  return [...counts].map(([did, of]) => (of.length === 1 ? did : `${did} ${of.length} times`)).join(', ');
}
