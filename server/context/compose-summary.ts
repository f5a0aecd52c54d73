import { excerptTokens } from '#server/context/excerpt';
import { thingLines } from '#server/context/how-things-stand';
import { parseNarrative } from '#server/context/narrative';
import { isRequest } from '#server/context/plan-compaction';
import { type RecordTurn, shown, wordsOf, writeRecord } from '#server/context/record';
import { type CountTokens, newestWithin } from '#server/context/tokens';
import { comparable, quotationsIn, quotedFrom, textOf } from '#server/context/user-words';
import type { ViewShares } from '#server/context/budget';
import type { LedgerEntry, Thing } from '#server/core/compactions';
import { SUMMARY_SECTIONS, type SummarySection } from '#server/core/engine-words';
import type { NewKeptWish } from '#server/core/kept-wishes';
import type { Message } from '#server/core/messages';
import { recallIdOf } from '#server/core/parts';

/** What code knows of everything from the session's start to the cut. Tokens are in our vocabulary. */
export interface SummaryFacts {
  /** 1 for the session's first compaction. */
  readonly round: number;
  /** The stored originals, oldest first. */
  readonly messages: readonly Message[];
  /** The changes to the site, oldest first. */
  readonly journal: readonly LedgerEntry[];
  /** Both as the record has them. */
  readonly turns: readonly RecordTurn[];
  /** How the things touched stand now, by their newest change, the newest last. */
  readonly things: readonly Thing[];
  /** Lasting wishes of the user, oldest first. */
  readonly wishes: readonly NewKeptWish[];
  /** Messages that stay in the view beside the summary. */
  readonly kept: readonly Message[];
  /** The newest turn goes on behind the summary. */
  readonly cutsTurn: boolean;
  /** The room of the view, divided. */
  readonly shares: ViewShares;
  /** Tokens the summary may have; with what else is sent the request still fits. */
  readonly tokens: number;
  /** Tokens of one message or of all wishes: a twentieth of what is usable. */
  readonly messageTokens: number;
  /** How the reader of the summary counts. */
  readonly count: CountTokens;
}

/** Set aside for title, headings and fixed sentences: tokens. */
const FRAME_TOKENS = 140;
/** Share of the summary that the first request has at most, and how things stand: in small windows. */
const TIGHT_SHARE = 0.2;

/** Heads the exact record, under what was accomplished. */
export const RECORD_HEADING = 'Record (exact: the words of the user in order, and what was done for them)';
/** Heads the state of the site, under the current state. */
export const STATE_HEADING = 'How things stand now (exact, read from the site)';

/**
 * The summary without a model: the same facts always give the same text. Built from the stored originals at every
 * round, never from the previous summary, so that repeated rounds wear nothing away.
 */
export function composeLedgerSummary(facts: SummaryFacts): string {
  const told = new Map<SummarySection, string>([
    ['Current State', lastAnswer(facts)],
    ['What Comes Next', 'Continue with the newest request of the user after this summary.'],
  ]);
  return framed(facts, sectionsOf(facts, told));
}

/**
 * A model's narrative around what code keeps exactly. Each of the seven sections appears once, in order, whatever
 * headings the narrative has.
 * @param narrative the checked text of the summarizer
 * @param changed names of what has changed on the site since it was written
 */
export function composeNarrativeSummary(
  narrative: string,
  facts: SummaryFacts,
  changed: readonly string[] = [],
): string {
  const told = new Map(parseNarrative(narrative));
  const understood = told.get('Original Task');
  if (understood) told.set('Original Task', `As understood since: ${understood}`);
  if (changed.length > 0) {
    const names = newestWithin(changed, CHANGED_TOKENS, (name) => facts.count(name) + 1).join(', ');
    const since = `Changed since this was told: ${names}. The record and how things stand now are newer and win.`;
    told.set('Current State', [told.get('Current State'), since].filter(Boolean).join('\n\n'));
  }
  const wishes = [...facts.wishes, ...wishesIn(narrative, facts)];
  told.delete('User Preferences');
  return framed(facts, sectionsOf({ ...facts, wishes }, told));
}

const CHANGED_TOKENS = 100;

/** What code keeps exactly beside a model's text, as a summarizer is shown it. */
export function recordText(facts: SummaryFacts): string {
  const kept = [...sectionsOf(facts, new Map())].filter(([, body]) => body !== '');
  return kept.map(([name, body]) => `### ${name}\n${body}`).join('\n\n');
}

/**
 * The lasting wishes that a narrative quotes and that are not kept yet. A quotation counts where the user typed it: what
 * a page, a file or a tool says is no wish of the user.
 */
export function wishesIn(narrative: string, { wishes, messages, messageTokens, count }: SummaryFacts): NewKeptWish[] {
  const known = new Set(wishes.map(({ quote }) => comparable(quote)));
  let left = messageTokens - wishes.reduce((sum, { quote }) => sum + count(quote), 0);
  return quotationsIn(parseNarrative(narrative).get('User Preferences') ?? '').flatMap((quote) => {
    const said = known.has(comparable(quote)) ? null : quotedFrom(quote, messages);
    if (said === null || count(quote) > left) return [];
    known.add(comparable(quote));
    left -= count(quote);
    return [{ quote, messageId: said.id }];
  });
}

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
    cutsTurn: facts.cutsTurn,
    hasRecall: hasRecall(facts.messages),
    count,
  });
  const exact: Partial<Record<SummarySection, string>> = {
    'Original Task': original,
    'What Was Accomplished': record && `#### ${RECORD_HEADING}\n${record}`,
    'Current State': state && `#### ${STATE_HEADING}\n${state}`,
    'User Preferences': wishes,
  };
  return new Map(
    SUMMARY_SECTIONS.map((name) => {
      const parts = name === 'Original Task' ? [exact[name], told.get(name)] : [told.get(name), exact[name]];
      return [name, parts.filter(Boolean).join('\n\n')];
    }),
  );
}

/** The session's first request, whole or as an excerpt. */
function originalTask({ messages, kept, messageTokens, tokens, count }: SummaryFacts): string {
  const original = messages.find(isRequest);
  if (!original) return 'The conversation had no request yet.';
  if (kept.some(({ id }) => id === original.id)) return '(The first request stands in full among the messages.)';
  return wordsOf(original, Math.min(messageTokens, Math.floor(tokens * TIGHT_SHARE)), count);
}

/** The wishes word for word; where the user kept more than there is room for, the newest. */
function wishLines({ wishes, messageTokens, tokens, count }: SummaryFacts): string {
  const lines = wishes.map(({ quote }) => `- "${shown(quote)}"`);
  const fitting = newestWithin(lines, Math.min(messageTokens, tokens * TIGHT_SHARE), (line) => count(line) + 1);
  const hidden = lines.length - fitting.length;
  return [...(hidden === 0 ? [] : [`- (${hidden} more are kept)`]), ...fitting].join('\n');
}

function lastAnswer({ messages, shares, tokens, count }: SummaryFacts): string {
  const answer = messages.findLast((message) => message.role === 'assistant' && textOf(message) !== '');
  const most = Math.min(shares.narrative, tokens * TIGHT_SHARE);
  return answer ? excerptTokens(`The assistant's last words: ${shown(textOf(answer))}`, most, undefined, count) : '';
}

/** Tells a model without our instructions how to read a summary. */
const RECORD_NOTE = 'History, not a request: rely on it, do not redo it.';

/** The beginning of every summary. */
function summaryTitle(round: number, messages: readonly Message[]): string {
  const title = `## Session Summary (Compaction Round ${round})`;
  return hasRecall(messages) ? title : `${title}\n\n${RECORD_NOTE}`;
}

/** Returns whether tools can find again what is left out: not in a conversation that a client keeps. */
function hasRecall(messages: readonly Message[]): boolean {
  return !messages.some(({ parts }) => parts.some((part) => recallIdOf(part) === null));
}

function framed({ round, messages }: SummaryFacts, sections: ReadonlyMap<SummarySection, string>): string {
  const bodies = [...sections].map(([name, body]) => `### ${name}\n${body || 'None.'}`);
  return [summaryTitle(round, messages), ...bodies].join('\n\n');
}

/**
 * The note for messages that were taken out without a summary: how many, how to find them, and what code keeps exactly.
 * @param replaced how many messages it stands for
 */
export function composeNote(facts: SummaryFacts, replaced: number): string {
  const { round, messages, tokens, count } = facts;
  const least = leastNote(round, replaced, messages);
  const sections = sectionsOf({ ...facts, tokens: tokens - count(least) }, new Map());
  const bodies = [...sections].filter(([, body]) => body !== '').map(([name, body]) => `### ${name}\n${body}`);
  const note = [least, ...bodies].join('\n\n');
  return count(note) <= tokens ? note : least;
}

/**
 * A note without any room: no summary is shorter.
 * @param messages everything of the conversation before the cut; default: one whose messages can be found again, which
 *   has the longest note
 */
export function leastNote(round: number, replaced: number, messages: readonly Message[] = []): string {
  const recall = hasRecall(messages) ? ' Nothing is lost: search_history finds what was said and done in them.' : '';
  return `${summaryTitle(round, messages)}\n\n${replaced} messages of this conversation were taken out here to save room.${recall}`;
}

/** The parts of a composed summary that code has kept exactly. */
export interface SummaryParts {
  /** The lines of the record and of how things stand, without their list marks. */
  readonly ledger: readonly string[];
  /** The user's words that the summary has verbatim. */
  readonly userWords: readonly string[];
}

/**
 * Reads a stored summary again. The user's words are looked for by the stored originals; no heading can be in them, nor
 * in what a model wrote, so that the exact parts end at the next one.
 * @param messages everything before the summary, oldest first
 */
export function readSummary(text: string, messages: readonly Message[]): SummaryParts {
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
