import { excerptTokens, oneLine } from '#server/context/excerpt';
import { isAttachedText } from '#server/context/media-tokens';
import { parseNarrative } from '#server/context/narrative';
import { FRAME_TOKENS, hasRecall, keepFacts, type KeptFacts, type SummaryFacts } from '#server/context/summary-facts';
import { type CountTokens, countTokens, newestWithin } from '#server/context/tokens';
import { collectUserWords, isHeardFromUser, textOf } from '#server/context/user-words';
import type { Message } from '#server/core/messages';
import { toolOutputText } from '#server/core/part-text';
import { type PartOf, recallIdOf } from '#server/core/parts';

export type { SummaryFacts };

const REQUEST_LINE_CHARS = 200;
const ERROR_LINE_CHARS = 160;
const FILENAME_CHARS = 100;
const MAX_ERRORS = 5;
const MAX_TOOLS = 12;

/** Tells a model without our instructions how to read a summary. */
const RECORD_NOTE = 'History, not a request: rely on it, do not redo it.';

/**
 * The beginning of every summary.
 * @param messages everything of the conversation before the cut
 */
function summaryTitle(round: number, messages: readonly Message[]): string {
  const title = `## Session Summary (Compaction Round ${round})`;
  return hasRecall(messages) ? title : `${title}\n\n${RECORD_NOTE}`;
}

/**
 * The summary without a model: the same facts always give the same text. Built from the stored originals at every
 * round, never from the previous summary, so that repeated rounds wear nothing away.
 */
export function composeLedgerSummary(facts: SummaryFacts): string {
  const kept = keepFacts(facts);
  const { count = countTokens } = facts;
  const room = Math.min(facts.tokens, facts.maxTokens ?? Infinity);
  const left = Math.max(0, room - kept.tokens - FRAME_TOKENS);
  return [
    summaryTitle(facts.round, facts.messages),
    section('Original Task', kept.original),
    section('What Was Accomplished', kept.ledger.join('\n'), requestList(kept, left * 0.4, count)),
    section('Current State', lastAnswer(facts.messages, left * 0.3, count)),
    section('User Preferences', preferences(kept)),
    section('What Comes Next', 'Continue with the newest request of the user after this summary.'),
    section(
      'Technical Context',
      excerptTokens(toolUse(facts.messages), left * 0.1, undefined, count),
      attachedFiles(facts.messages, left * 0.1, count),
    ),
    section(
      'Errors & Resolutions',
      newestWithin(toolErrors(facts.messages), left * 0.2, (line) => count(line) + 1).join('\n'),
    ),
  ].join('\n\n');
}

/**
 * A model's narrative with what code keeps exactly: the original request, standing instructions and the ledger. Each
 * of the seven sections appears once, in order, whatever headings the narrative has.
 * @param narrative the checked text of the summarizer
 */
export function composeNarrativeSummary(narrative: string, facts: SummaryFacts): string {
  const { count = countTokens } = facts;
  const narrativeTokens = count(narrative);
  const kept = keepFacts({ ...facts, maxTokens: (facts.maxTokens ?? Infinity) - narrativeTokens });
  const told = parseNarrative(narrative);
  const left = Math.max(0, facts.tokens - kept.tokens - narrativeTokens - FRAME_TOKENS);
  const understood = told.get('Original Task');
  const known = new Set(kept.standing);
  const { requests } = kept.words;
  const remarks = (told.get('User Preferences') ?? '')
    .split('\n')
    .filter((line) => !known.has(line.trim()) && isHeardFromUser(line, requests));
  return [
    summaryTitle(facts.round, facts.messages),
    section('Original Task', kept.original, understood ? `As understood since: ${understood}` : ''),
    section('What Was Accomplished', told.get('What Was Accomplished'), requestList(kept, left, count)),
    section('Current State', told.get('Current State')),
    section('User Preferences', preferences(kept), remarks.join('\n').trim()),
    section('What Comes Next', told.get('What Comes Next')),
    section('Technical Context', told.get('Technical Context'), attachedFiles(facts.messages, left * 0.2, count)),
    section('Errors & Resolutions', told.get('Errors & Resolutions')),
    section(LEDGER_HEADING, kept.ledger.join('\n')),
  ].join('\n\n');
}

/** What code keeps exactly beside a model's text, as a summarizer is shown it. */
export function recordText(facts: SummaryFacts): string {
  return keepFacts(facts).ledger.join('\n');
}

/** Heads the exact record in a summary whose other sections a model wrote. */
export const LEDGER_HEADING = 'Ledger (exact record of what was done)';

function section(heading: string, ...bodies: (string | undefined)[]): string {
  return `### ${heading}\n${bodies.filter(Boolean).join('\n\n') || 'None.'}`;
}

function preferences({ standing }: KeptFacts): string {
  const order = standing.length > 1 ? '\n(Verbatim. Where two contradict each other, the later one holds.)' : '';
  return standing.join('\n') + order;
}

/** The newest requests that fit, one line each; the first stands under Original Task. */
function requestList({ words }: KeptFacts, tokens: number, count: CountTokens): string {
  const lines = words.requests.slice(1).map((text) => `- ${oneLine(text, REQUEST_LINE_CHARS)}`);
  const shown = newestWithin(lines, tokens, (line) => count(line) + 1);
  const hidden = lines.length - shown.length;
  if (shown.length === 0) return '';
  return [
    'Then the user asked, in this order:',
    ...(hidden === 0 ? [] : [`- (${hidden} earlier requests not shown)`]),
    ...shown,
  ].join('\n');
}

function lastAnswer(messages: readonly Message[], tokens: number, count: CountTokens): string {
  const answer = messages.findLast((message) => message.role === 'assistant' && textOf(message) !== '');
  return answer ? excerptTokens(`The assistant's last words: ${textOf(answer)}`, tokens, undefined, count) : '';
}

function toolErrors(messages: readonly Message[]): string[] {
  return messages
    .flatMap((message) => message.parts)
    .filter((part) => part.type === 'tool-result')
    .filter((part) => part.content.output.type.startsWith('error'))
    .slice(-MAX_ERRORS)
    .map(({ content }) => `- ${content.toolName}: ${oneLine(toolOutputText(content.output), ERROR_LINE_CHARS)}`);
}

/** The newest files of the user that fit, a line each: what is in them is in no summary. */
function attachedFiles(messages: readonly Message[], tokens: number, count: CountTokens): string {
  const files = messages.flatMap(({ role, parts }) =>
    role === 'user' ? parts.filter((part) => part.type === 'file') : [],
  );
  const shown = newestWithin(files.map(fileLine), tokens, (line) => count(line) + 1);
  if (shown.length === 0) return '';
  const hidden = files.length - shown.length;
  return [
    'Files that the user attached:',
    ...(hidden === 0 ? [] : [`- (${hidden} earlier files not shown)`]),
    ...shown,
  ].join('\n');
}

function fileLine(part: PartOf<'file'>): string {
  const { content } = part;
  const id = recallIdOf(part);
  const name = oneLine(content.filename ?? 'without a name', FILENAME_CHARS);
  const recall = id !== null && isAttachedText(content) ? `, recall_output id: ${id}` : '';
  return `- ${name} (${content.mediaType}${recall})`;
}

function toolUse(messages: readonly Message[]): string {
  const counts = new Map<string, number>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === 'tool-call') counts.set(part.content.toolName, (counts.get(part.content.toolName) ?? 0) + 1);
  }
  const most = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, MAX_TOOLS);
  return most.length === 0 ? '' : `Tools used: ${most.map(([name, count]) => `${name} ${count}x`).join(', ')}.`;
}

/**
 * Composes the note for messages that were taken out without a summary: how many, how to find them, and, where there is
 * room for it, what code keeps exactly. A first request that the view shows anyway is not repeated.
 * @param replaced how many messages it stands for
 */
export function composeNote(facts: SummaryFacts, replaced: number): string {
  const { words, original, standing, ledger } = keepFacts(facts);
  const { kept = [], maxTokens = Infinity, count = countTokens } = facts;
  const isShown = words.original === null || kept.some(({ id }) => id === words.original?.id);
  const noteSection = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`### ${heading}\n${lines.join('\n')}`];
  const least = leastNote(facts.round, replaced, facts.messages);
  const note = [
    least,
    ...noteSection('Original Task', isShown ? [] : [original]),
    ...noteSection('User Preferences', standing),
    ...noteSection(LEDGER_HEADING, ledger),
  ].join('\n\n');
  return count(note) <= maxTokens ? note : least;
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
  /** The lines of the ledger, without their list marks. */
  readonly ledger: readonly string[];
  /** The user's words that the summary has verbatim: the original request, standing instructions, requests. */
  readonly userWords: readonly string[];
}

const LEDGER = `\n\n### ${LEDGER_HEADING}\n`;
const ACCOMPLISHED = '\n\n### What Was Accomplished\n';
const ERRORS = '\n\n### Errors & Resolutions\n';

/**
 * Reads a stored summary again. What users or models wrote in it may look like anything, so nothing of that is parsed:
 * the user's words are looked for by the stored originals, the ledger where only code writes.
 * @param messages everything before the summary, oldest first
 */
export function readSummary(text: string, messages: readonly Message[]): SummaryParts {
  const { original, standing, requests } = collectUserWords(messages);
  const first = original ? textOf(original) : '';
  const verbatim = text.includes(first) ? first : '';
  const lines = new Set(text.split('\n'));
  const listed = [...standing, ...requests].filter((words) => lines.has(`- ${words}`));
  const userWords = new Set([...(verbatim === '' ? [] : [verbatim]), ...listed]);
  // Behind the original request, which may hold any heading itself.
  const rest = text.slice(text.indexOf(verbatim) + verbatim.length);
  return { ledger: listItems(ledgerSection(rest)), userWords: [...userWords] };
}

/** Its own section, the last one, where a model wrote the others; else it begins what was accomplished. */
function ledgerSection(text: string): string {
  const own = text.split(LEDGER).slice(1).at(-1);
  if (own !== undefined && !own.includes(ERRORS)) return own;
  return text.split(ACCOMPLISHED)[1] ?? '';
}

/** The list at the very beginning of a text. */
function listItems(text: string): string[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('- '));
  return lines.slice(0, end === -1 ? undefined : end).map((line) => line.slice(2));
}
