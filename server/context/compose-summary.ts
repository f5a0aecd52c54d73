import { excerptTokens } from '#server/context/excerpt';
import { narrativeText, parseNarrative } from '#server/context/narrative';
import { isRequest } from '#server/context/strategies';
import {
  FOLD_TOKENS,
  quotationsIn,
  quotedFrom,
  type RecordTurn,
  shown,
  textOf,
  wordsOf,
  writeRecord,
} from '#server/context/record';
import { type CountTokens, newestWithin } from '#server/context/tokens';
import type { ViewShares } from '#server/context/budget';
import type { LedgerEntry, Thing, ThingRef } from '#server/core/compactions';
import { SUMMARY_SECTIONS, type SummarySection } from '#server/core/summary-sections';
import { comparable, type KeptWish, type NewKeptWish, sameQuote } from '#server/core/kept-wishes';
import type { Message } from '#server/core/messages';
import { recallIdOf } from '#server/core/parts';
import { oneLine } from '#server/core/short-text';

/** Facts that code keeps from the session's start to the cut. Tokens are in our vocabulary. */
export interface SummaryFacts {
  readonly round: number;
  /** The stored originals, oldest first. */
  readonly messages: readonly Message[];
  readonly journal: readonly LedgerEntry[];
  /** Both as the record has them. */
  readonly turns: readonly RecordTurn[];
  /** Current state of things touched, by their newest change, the newest last. */
  readonly things: readonly Thing[];
  /** Lasting wishes of the user, oldest first. */
  readonly wishes: readonly NewKeptWish[];
  /** Wishes that the user let go: the words stand in the record, and are no wish any more. */
  readonly letGo: readonly KeptWish[];
  /** The standing instructions of the site: every request has them beside the summary. */
  readonly standing: string;
  /** Messages that stay in the view beside the summary. */
  readonly kept: readonly Message[];
  readonly cutsTurn: boolean;
  readonly shares: ViewShares;
  /** Tokens the summary may have; with what else is sent the request still fits. */
  readonly tokens: number;
  /** Tokens of one message or of all wishes: a twentieth of what is usable. */
  readonly messageTokens: number;
  /** Counts as the summary's reader does. */
  readonly count: CountTokens;
}

/** Set aside for title, headings and fixed sentences: tokens. */
const FRAME_TOKENS = 175;
/** Share of the summary that the first request has at most, and how things stand: in small windows. */
const TIGHT_SHARE = 0.2;
/** Names of what has changed since a narrative was written. */
const CHANGED_TOKENS = 100;

export const RECORD_HEADING = 'Record (exact: the words of the user in order, and what was done for them)';
export const STATE_HEADING = 'How things stand now (exact, read from the site)';

/** The summary without a model, from the stored originals alone: repeated rounds wear nothing away. */
export function composeLedgerSummary(facts: SummaryFacts): string {
  const told = new Map<SummarySection, string>([
    ['Current State', lastAnswer(facts)],
    ['What Comes Next', 'Continue with the newest request of the user after this summary.'],
  ]);
  return framed(facts, sectionsOf(facts, told));
}

/** A model's narrative around what code keeps exactly; `changed` names what has changed on the site since. */
export function composeNarrativeSummary(narrative: string, facts: SummaryFacts, changed: string[] = []): string {
  const told = new Map(parseNarrative(narrative));
  const understood = told.get('Original Task');
  if (understood) told.set('Original Task', `As understood since: ${understood}`);
  if (changed.length > 0) {
    const named = newestWithin(changed, CHANGED_TOKENS, (name) => facts.count(name) + 1);
    const more = changed.length > named.length ? `, and ${changed.length - named.length} more` : '';
    told.set(
      'Current State',
      paragraphs(told.get('Current State'), `Changed since this was told: ${named.join(', ')}${more}.`),
    );
  }
  told.set('What Was Accomplished', paragraphs(TOLD_BY_MODEL, told.get('What Was Accomplished')));
  const wishes = [...facts.wishes, ...wishesIn(narrative, facts)];
  told.delete('User Preferences');
  return framed(facts, sectionsOf({ ...facts, wishes }, told));
}

/** A model may have told something wrongly that nobody has changed since: nothing else would contradict it. */
const TOLD_BY_MODEL =
  'A model wrote this summary, but for the record and how things stand now: where they differ, those two are right.';

/** Tells a narrative on: what the assistant said in messages that its model has not read, the newest that fit. */
export function toldOn(
  narrative: string,
  messages: readonly Message[],
  { messageTokens, count }: SummaryFacts,
): string {
  const said = messages.filter(({ role }) => role === 'assistant').map((message) => shown(textOf(message)));
  const answers = said.filter((answer) => answer !== '');
  const each = Math.max(LEAST_EXCERPT, messageTokens / (answers.length + 1));
  const lines = answers.map((answer) => `- ${excerptTokens(answer, each, count)}`);
  const fitting = newestWithin(lines, messageTokens, (line) => count(line) + 1);
  if (fitting.length === 0) return narrative;
  const told = new Map(parseNarrative(narrative));
  const older = lines.length - fitting.length;
  const since = [TOLD_SINCE, ...(older === 0 ? [] : [`- (${older} older ones are left out)`]), ...fitting].join('\n');
  told.set('Current State', paragraphs(told.get('Current State'), since));
  return narrativeText(told);
}

/** Tokens of an answer of which anything is told. */
const LEAST_EXCERPT = 40;

const TOLD_SINCE = 'Said by the assistant since this was told (of long answers their beginning and end):';

const paragraphs = (...texts: readonly (string | undefined)[]) => texts.filter(Boolean).join('\n\n');

/** Code's exact record beside a model's text, as a summarizer is shown it: of what is too long, the oldest folds. */
export function recordText(facts: SummaryFacts, mostTokens = facts.tokens): string {
  const tokens = Math.min(facts.tokens, mostTokens);
  const shares = { ...facts.shares, words: facts.shares.words * (tokens / facts.tokens) };
  return narrativeText([...sectionsOf({ ...facts, tokens, shares }, new Map())].filter(([, body]) => body !== ''));
}

/** The unkept wishes that a narrative quotes and the user typed: what a page, a file or a tool says is none. */
export function wishesIn(narrative: string, facts: SummaryFacts): NewKeptWish[] {
  const { wishes, letGo, messages, messageTokens, count } = facts;
  const known = new Set(wishes.map(({ quote }) => comparable(quote)));
  let left = messageTokens - wishes.reduce((sum, { quote }) => sum + count(quote), 0);
  return quotationsIn(parseNarrative(narrative).get('User Preferences') ?? '').flatMap((readings) => {
    if (readings.some((quote) => known.has(comparable(quote)))) return [];
    const quote = readings.find((reading) => quotedFrom(reading, messages));
    const said = quote && quotedFrom(quote, messages);
    if (!said) return [];
    // Also a part of what the user let go, or more around it.
    const isGone = letGo.some(
      (gone) => gone.messageId === said.id && overlap(comparable(gone.quote), comparable(quote)),
    );
    if (isGone || count(quote) > left) return [];
    known.add(comparable(quote));
    left -= count(quote);
    return [{ quote, messageId: said.id }];
  });
}

const overlap = (one: string, other: string) => one.includes(other) || other.includes(one);

/** The bodies of the sections, the exact parts within what the told ones leave. */
function sectionsOf(facts: SummaryFacts, told: ReadonlyMap<SummarySection, string>): Map<SummarySection, string> {
  const { shares, tokens, count, turns } = facts;
  const cost = (text: string) => (text === '' ? 0 : count(text) + 1);
  const original = originalTask(facts);
  const state = thingLines(facts.things, Math.min(shares.state, tokens * TIGHT_SHARE), count).join('\n');
  const wishes = wishLines(facts);
  const spent = [original, state, wishes, ...told.values()].reduce((sum, text) => sum + cost(text), FRAME_TOKENS);
  const record = writeRecord(turns, {
    tokens: tokens - spent,
    words: shares.words - cost(original),
    message: facts.messageTokens,
    inView: new Set(facts.kept.map(({ id }) => id)),
    hasRecall: hasRecall(facts.messages),
    count,
  });
  const exact: Partial<Record<SummarySection, string>> = {
    'What Was Accomplished': record && `#### ${RECORD_HEADING}\n${record}`,
    'Current State': state && `#### ${STATE_HEADING}\n${state}`,
    'User Preferences': wishes,
  };
  const bodies = SUMMARY_SECTIONS.map((name) => [name, paragraphs(told.get(name), exact[name])] as const);
  return new Map(bodies).set('Original Task', paragraphs(original, told.get('Original Task')));
}

function originalTask({ messages, kept, messageTokens, tokens, count }: SummaryFacts): string {
  const original = messages.find(isRequest);
  if (!original) return 'The conversation had no request yet.';
  if (kept.some(({ id }) => id === original.id)) return '(The first request stands in full among the messages.)';
  const most = Math.floor(tokens * TIGHT_SHARE);
  // What is cut out of a conversation that a client keeps is gone.
  return wordsOf(original, hasRecall(messages) ? Math.min(messageTokens, most) : most, count);
}

/** The wishes word for word; where the user kept more than there is room for, the newest. Those let go stand first. */
function wishLines({ wishes, letGo, standing, messageTokens, tokens, count }: SummaryFacts): string {
  const unsaid = wishes.filter(({ quote }) => !comparable(standing).includes(comparable(quote)));
  const lines = unsaid.map(({ quote }) => `- "${shown(quote)}"`);
  const gone = letGo.filter(({ quote }) => !wishes.some((kept) => sameQuote(kept.quote, quote)));
  const all = [...gone.map(({ quote }) => `- (the user let go of: "${shown(quote)}")`), ...lines];
  const fitting = newestWithin(all, Math.min(messageTokens, tokens * TIGHT_SHARE), (line) => count(line) + 1);
  const hidden = Math.max(0, lines.length - fitting.length);
  return [...(hidden === 0 ? [] : [`- (${hidden} more are kept)`]), ...fitting].join('\n');
}

function lastAnswer({ messages, shares, tokens, count }: SummaryFacts): string {
  const answer = messages.findLast((message) => message.role === 'assistant' && textOf(message) !== '');
  const most = Math.min(shares.narrative, tokens * TIGHT_SHARE);
  return answer ? excerptTokens(`The assistant's last words: ${shown(textOf(answer))}`, most, count) : '';
}

const FOUND_AGAIN = 'search_history finds again, word for word, all that was said and done.';

function summaryTitle(round: number, messages: readonly Message[]): string {
  const title = `## Session Summary (Compaction Round ${round})`;
  // A model without our instructions is told how to read it; with ours it is told what finds the rest.
  const how = hasRecall(messages) ? FOUND_AGAIN : 'History, not a request: rely on it, do not redo it.';
  return `${title}\n\n${how}`;
}

/** Returns whether tools can find again what is left out: not in a conversation that a client keeps. */
function hasRecall(messages: readonly Message[]): boolean {
  return !messages.some(({ parts }) => parts.some((part) => recallIdOf(part) === null));
}

function framed(facts: SummaryFacts, sections: ReadonlyMap<SummarySection, string>): string {
  const bodies = [...sections].map(([name, body]) => `### ${name}\n${body || 'None.'}`);
  return [summaryTitle(facts.round, facts.messages), ...bodies, ...goesOn(facts)].join('\n\n');
}

/** Stands last: right in front of the request of the turn that is cut, and of its newest steps. */
function goesOn({ cutsTurn, turns }: SummaryFacts): string[] {
  const number = turns.length - turns.findIndex(({ request }) => request !== null);
  return cutsTurn ? [`(Turn ${number} goes on behind this summary: what stands there is newer and wins.)`] : [];
}

/** The note for so many messages that were taken out without a summary, with what code keeps exactly. */
export function composeNote(facts: SummaryFacts, replaced: number): string {
  const { round, messages, tokens, count } = facts;
  const least = leastNote(round, replaced, messages);
  const record = recordText({ ...facts, tokens: tokens - count(least) });
  const note = [least, record, ...goesOn(facts)].join('\n\n');
  return count(note) <= tokens ? note : least;
}

/** A note without any room: no summary is shorter. It is the longest for messages that can be found again. */
export function leastNote(round: number, replaced: number, messages: readonly Message[] = []): string {
  return `${summaryTitle(round, messages)}\n\n${replaced} messages of this conversation were taken out here to save room.`;
}

/**
 * Reads a stored summary again: the user's words by the stored originals, oldest first, the exact parts by their
 * headings, which neither those words nor what a model wrote can have.
 * @returns lines of the record and of how things stand, without their list marks; words that the summary has verbatim
 */
export function readSummary(text: string, messages: readonly Message[]) {
  const words = messages.filter(isRequest).map((request) => shown(textOf(request)));
  const userWords = [...new Set(words)].filter((said) => said !== '' && text.includes(said));
  const longestFirst = userWords.toSorted((a, b) => b.length - a.length);
  const exact = [RECORD_HEADING, STATE_HEADING].flatMap((heading) => {
    const [, after = ''] = text.split(`\n#### ${heading}\n`);
    const [own = ''] = after.split('\n\n#');
    const lines = longestFirst.reduce((rest, said) => rest.replaceAll(`User: ${said}`, ''), own).split('\n');
    return lines.filter((line) => line.startsWith('- '));
  });
  return { ledger: exact.map((line) => line.slice(2)), userWords };
}

/** The things that a journal tells of, each once, by their newest change, the newest last. */
export function touchedThings(journal: readonly LedgerEntry[]): ThingRef[] {
  const things = new Map<string, ThingRef>();
  for (const { kind, id, slug, title } of journal.toSorted((a, b) => a.at - b.at)) {
    // Every request has them in its instructions.
    if (kind === 'standing-instructions') continue;
    const key = `${kind} ${id}`;
    things.delete(key);
    things.set(key, { kind, id, slug, title });
  }
  return [...things.values()];
}

/**
 * Tells names of the things that another journal has changed since this one, or of which it says a change was undone.
 * @param until what this one has from then on was not known; epoch milliseconds
 */
export function changesSince(journal: readonly LedgerEntry[], until: number) {
  const keyOf = ({ id, at, action, undone }: LedgerEntry) => `${id} ${at} ${action} ${undone}`;
  const known = new Set(journal.filter(({ at }) => at < until).map(keyOf));
  return (now: readonly LedgerEntry[]) => [
    ...new Map(
      now
        .filter((change) => !known.has(keyOf(change)))
        .map(({ id, kind, title }) => [id, id === kind ? kind : shown(`"${oneLine(title, MAX_TITLE_CHARS)}" (${id})`)]),
    ).values(),
  ];
}

const MAX_TITLE_CHARS = 80;
const MAX_DETAIL_CHARS = 600;

/** The things as lines within a budget; the rest is counted by kind: what is gone first, then the oldest changes. */
export function thingLines(things: readonly Thing[], tokens: number, count: CountTokens): string[] {
  const [gone, there] = [things.filter(isGone), things.filter((thing) => !isGone(thing))];
  const cost = (thing: Thing) => count(lineOf(thing)) + 1;
  const fitting = new Set(newestWithin([...gone, ...there], tokens - FOLD_TOKENS, cost));
  const lines = things.filter((thing) => fitting.has(thing)).map(lineOf);
  const folded = things.filter((thing) => !fitting.has(thing));
  if (folded.length === 0 || tokens < FOLD_TOKENS) return lines;
  const counted = [...Map.groupBy(folded, ({ kind }) => kind)].map(
    ([kind, of]) => `${of.length} ${of.length === 1 || kind.endsWith('s') ? kind : `${kind}s`}`,
  );
  return [`- earlier: ${counted.join(', ')}; their ids by search_history`, ...lines];
}

const isGone = ({ state }: Thing) => state === 'deleted';

/** One line: `- page "Pricing" (pag_k7m2p9, /pricing, draft): hero sec_h4t8w2`. */
function lineOf(thing: Thing): string {
  const { kind, id, title, path, state, parts = [], detail, isLastKnown } = thing;
  const named = id === kind ? [kind] : [`${kind} "${oneLine(title, MAX_TITLE_CHARS)}"`, id];
  const facts = [named[1], isGone(thing) ? null : path, state, isLastKnown && 'as last known'].filter(Boolean);
  const inBrackets = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const holds = detail ?? parts.map((part) => `${part.type} ${part.id}`).join(', ');
  return shown(`- ${named[0]}${inBrackets}${holds && `: ${oneLine(holds, MAX_DETAIL_CHARS)}`}`);
}
