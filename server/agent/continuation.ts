import { NOTE_LABEL } from '#server/core/engine-words';
import type { StepOutcome } from '#server/agent/stream-processor';

/** Of the cut text, what the note repeats: the compaction may have had to summarize the text itself. Characters. */
const QUOTED_CHARS = 600;

const CUT = `${NOTE_LABEL} The answer was cut here because the context window was full; older messages have been summarized.`;

/** What the next step is told after one that was cut; the engine writes it, in the user's role. */
export function continueNote({
  calls,
  lastText,
  droppedCall,
}: Pick<StepOutcome, 'calls' | 'lastText' | 'droppedCall'>): string {
  if (droppedCall !== null) {
    return `${CUT} The call of ${droppedCall} was not complete and has not been run: make it again, in smaller pieces where its input is long. Do not repeat what was said or done before it.`;
  }
  if (calls.length > 0) return `${CUT} Its tool calls have been run. Go on from their results.`;
  if (lastText === '') return `${CUT} It had not said anything yet: answer now, briefly.`;
  const end = lastText.slice(-QUOTED_CHARS).toWellFormed();
  return `${CUT} Continue exactly where the text stopped, without repeating anything that is there already. It ends with:\n${end}`;
}

/** Why a cut answer is not continued (any more); everything up to there is stored. */
export function cutForGood(autoCompact: boolean): string {
  const reason = autoCompact
    ? 'the answer filled the context window again and again. What was written is kept. Say "continue" to go on.'
    : 'the answer filled the context window, and automatic compaction is switched off. What was written is kept. Compact the conversation, then say "continue".';
  return `compaction_limit_reached: ${reason}`;
}

/** What the last step of a turn is told whose time or steps are used up; the engine writes it, in the user's role. */
export function lastWordsNote(limit: string): string {
  return `${NOTE_LABEL} This turn ends here: ${limit} are used up, and no tool runs any more. Say in a few sentences what has been done and what is left, so that the user can decide how to go on.`;
}
