import { LEDGER_HEADING, summaryTitle } from '#server/context/compose-summary';
import { type SummaryFacts, keepFacts } from '#server/context/summary-facts';

/**
 * What stands for messages that were taken out without a summary: how many, how to find them, and what code keeps
 * exactly.
 * @param replaced how many messages it stands for
 */
export function composeNote(facts: SummaryFacts, replaced: number): string {
  const { original, standing, ledger } = keepFacts(facts);
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`### ${heading}\n${lines.join('\n')}`];
  return [
    summaryTitle(facts.round),
    `${replaced} messages of this conversation were taken out here to save room. Nothing is lost: search_history finds what was said and done in them.`,
    ...section('Original Task', [original]),
    ...section('User Preferences', standing),
    ...section(LEDGER_HEADING, ledger),
  ].join('\n\n');
}
