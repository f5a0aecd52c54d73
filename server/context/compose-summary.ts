import type { LedgerEntry } from '#server/core/ledger';
import type { Message } from '#server/core/messages';
import { excerptTokens, oneLine } from '#server/context/excerpt';
import { ledgerLines } from '#server/context/ledger-lines';
import { toolOutputText } from '#server/context/part-tokens';
import { countTokens } from '#server/context/tokens';
import { collectUserWords, textOf } from '#server/context/user-words';

/** What a summary is made of. `messages` is everything from the session's start to the cut, oldest first. */
export interface SummaryFacts {
  /** 1 for the session's first compaction. */
  readonly round: number;
  readonly messages: readonly Message[];
  readonly ledger: readonly LedgerEntry[];
  /** Tokens the summary may have, in our vocabulary. */
  readonly tokens: number;
}

const REQUEST_LINE_CHARS = 200;

/** The title that every summary begins with. */
function summaryTitle(round: number): string {
  return `## Session Summary (Compaction Round ${round})`;
}

/**
 * The summary without a model: the same facts always give the same text. Built from the stored originals at every
 * round, never from the previous summary, so that repeated rounds wear nothing away.
 */
export function composeLedgerSummary(facts: SummaryFacts): string {
  const words = collectUserWords(facts.messages);
  const budget = createPurse(facts.tokens - countTokens(HEADINGS_COST));
  const original = budget.text(words.original ?? 'The conversation had no request yet.', 0.3);
  const standing = budget.lines(words.standing.map(bullet), 0.35, 'standing instructions');
  const ledger = budget.lines(ledgerLines(facts.ledger), 0.55, 'things');
  const requests = budget.lines(
    words.requests.map((text) => bullet(oneLine(text, REQUEST_LINE_CHARS))),
    0.6,
    'requests',
  );
  const state = budget.text(lastAnswer(facts.messages), 0.5);
  const errors = budget.lines(toolErrors(facts.messages).slice(-5), 0.6, 'errors');
  const tools = budget.text(toolUse(facts.messages), 1);
  return [
    summaryTitle(facts.round),
    section('Original Task', original),
    section('What Was Accomplished', [ledger, requests && `The user asked, in this order:\n${requests}`]),
    section('Current State', state),
    section('User Preferences', standing),
    section('What Comes Next', 'Continue with the newest request of the user after this summary.'),
    section('Technical Context', tools),
    section('Errors & Resolutions', errors),
  ].join('\n\n');
}

/**
 * A model's narrative with what code keeps exactly: the original request, standing instructions and the ledger.
 * @param narrative the checked text of the summarizer, without a title
 */
export function composeNarrativeSummary(narrative: string, facts: SummaryFacts): string {
  const words = collectUserWords(facts.messages);
  const budget = createPurse(facts.tokens - countTokens(narrative) - countTokens(HEADINGS_COST));
  return [
    summaryTitle(facts.round),
    section('Original Task', budget.text(words.original ?? 'The conversation had no request yet.', 0.35)),
    // One section of that name: the verbatim one.
    narrative.trim().replace(/^#{1,4} *Original Task.*$/im, '### The Task As Understood'),
    section('Standing Instructions (verbatim)', budget.lines(words.standing.map(bullet), 0.4, 'standing instructions')),
    section('Ledger (exact record of what was done)', budget.lines(ledgerLines(facts.ledger), 1, 'things')),
  ].join('\n\n');
}

/** Stands for title, headings and notes when their tokens are set aside. */
const HEADINGS_COST =
  'Session Summary (Compaction Round 10) Original Task What Was Accomplished Current State User Preferences What Comes Next Technical Context Errors Resolutions The user asked, in this order: Continue with the newest request of the user after this summary. Standing Instructions (verbatim) Ledger (exact record of what was done) None. None. None. - (1000 earlier standing instructions not shown) - (1000 earlier things not shown) - (1000 earlier requests not shown) - (5 earlier errors not shown)';

function section(heading: string, body: string | readonly (string | null)[]): string {
  const text = [body].flat().filter(Boolean).join('\n\n');
  return `### ${heading}\n${text || 'None.'}`;
}

function bullet(text: string): string {
  return `- ${text}`;
}

/** Spends a token budget part by part; what one part leaves over is there for the next. */
function createPurse(tokens: number) {
  let left = Math.max(0, tokens);
  return {
    /** The text, or an excerpt of it within a share of what is left. */
    text(text: string, share: number): string {
      const fitted = excerptTokens(text, Math.floor(left * share));
      left -= countTokens(fitted);
      return fitted;
    },
    /** The newest lines that fit a share of what is left, in order, with a note of how many are not shown. */
    lines(lines: readonly string[], share: number, what: string): string {
      const kept: string[] = [];
      let room = left * share;
      for (const line of lines.toReversed()) {
        const cost = countTokens(line) + 1;
        if (cost > room) break;
        kept.unshift(line);
        room -= cost;
        left -= cost;
      }
      const hidden = lines.length - kept.length;
      return hidden === 0 ? kept.join('\n') : [`- (${hidden} earlier ${what} not shown)`, ...kept].join('\n');
    },
  };
}

function lastAnswer(messages: readonly Message[]): string {
  const answer = messages.findLast((message) => message.role === 'assistant' && textOf(message) !== '');
  return answer ? `The assistant's last words: ${textOf(answer)}` : '';
}

function toolErrors(messages: readonly Message[]): string[] {
  return messages
    .flatMap((message) => message.parts)
    .filter((part) => part.type === 'tool-result')
    .filter((part) => part.content.output.type.startsWith('error'))
    .map((part) => bullet(`${part.content.toolName}: ${oneLine(toolOutputText(part.content.output), 160)}`));
}

function toolUse(messages: readonly Message[]): string {
  const counts = new Map<string, number>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === 'tool-call') counts.set(part.content.toolName, (counts.get(part.content.toolName) ?? 0) + 1);
  }
  const most = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, 12);
  return most.length === 0 ? '' : `Tools used: ${most.map(([name, count]) => `${name} ${count}x`).join(', ')}.`;
}
