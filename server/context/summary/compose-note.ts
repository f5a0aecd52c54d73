import type { Message } from '#server/core/messages';
import { LEDGER_HEADING, summaryTitle } from '#server/context/summary/compose-summary';
import { hasRecall } from '#server/context/summary/has-recall';
import { type SummaryFacts, keepFacts } from '#server/context/summary/summary-facts';
import { countTokens } from '#server/context/tokens';

/**
 * What stands for messages that were taken out without a summary: how many, how to find them, and, where there is room
 * for it, what code keeps exactly. A first request that the view shows anyway is not repeated.
 * @param replaced how many messages it stands for
 */
export function composeNote(facts: SummaryFacts, replaced: number): string {
  const { words, original, standing, ledger } = keepFacts(facts);
  const { kept = [], maxTokens = Infinity, count = countTokens } = facts;
  const isShown = words.original === null || kept.some(({ id }) => id === words.original?.id);
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`### ${heading}\n${lines.join('\n')}`];
  const least = leastNote(facts.round, replaced, facts.messages);
  const note = [
    least,
    ...section('Original Task', isShown ? [] : [original]),
    ...section('User Preferences', standing),
    ...section(LEDGER_HEADING, ledger),
  ].join('\n\n');
  return count(note) <= maxTokens ? note : least;
}

/**
 * A note without any room: no summary is shorter.
 * @param messages everything of the conversation before the cut; default: one whose messages can be found again, which has the longest note
 */
export function leastNote(round: number, replaced: number, messages: readonly Message[] = []): string {
  const recall = hasRecall(messages) ? ' Nothing is lost: search_history finds what was said and done in them.' : '';
  return `${summaryTitle(round, messages)}\n\n${replaced} messages of this conversation were taken out here to save room.${recall}`;
}
