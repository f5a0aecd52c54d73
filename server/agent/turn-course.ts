import { writtenCall } from '#server/agent/odd-answers';
import { ENDED_EARLY, FAULTY } from '#server/agent/provider-errors';
import type { StepOutcome } from '#server/agent/stream-processor';
import { COMPLETED } from '#server/agent/turn-ending';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { NOTE_LABEL } from '#server/core/engine-words';
import type { CompactionReason } from '#server/core/events';
import type { TurnEnding } from '#server/core/turn-store';

/** Settings for a turn's next step. */
export interface NextStep {
  /** Compact first, whatever fits. */
  readonly force?: CompactionReason;
  /** Said to the model before its next step; the engine writes it, in the user's role. */
  readonly note?: string;
}

/** Decides behind each step of a turn whether it goes on, and how. */
export class TurnCourse {
  #continuations = 0;
  #hasAskedAgain = false;

  /** @param isOffered tells whether there is a tool of this name */
  after(
    outcome: StepOutcome,
    { autoCompact, maxContinuations }: Pick<ContextSettings, 'autoCompact' | 'maxContinuations'>,
    isOffered: (toolName: string) => boolean,
  ): TurnEnding | NextStep {
    const { wasCut, calls, droppedCall, finishReason, lastText } = outcome;
    if (wasCut) {
      const force = compactionAfter(outcome);
      const isAllowed = autoCompact || force === 'provider-overflow';
      return isAllowed && this.#goesOn(maxContinuations)
        ? { force, note: continueNote(outcome) }
        : notice(cutForGood(isAllowed));
    }
    const isCutCall = droppedCall !== null && finishReason === 'length';
    if (isCutCall && this.#goesOn(maxContinuations)) return { note: smallerPiecesNote(droppedCall) };
    if (calls.length > 0) return {};
    const isEmpty = lastText.trim() === '' && droppedCall === null && !ENDED_EARLY.has(finishReason);
    const isFaulty = finishReason === FAULTY;
    if ((isEmpty || isFaulty) && !this.#hasAskedAgain) {
      this.#hasAskedAgain = true;
      return { note: isFaulty ? FAULTY_NOTE : EMPTY_NOTE };
    }
    return answeredEnding(outcome, isOffered);
  }

  /** Counts how often the turn is taken up again where an answer was cut. */
  #goesOn(maxContinuations: number): boolean {
    this.#continuations += 1;
    return this.#continuations <= maxContinuations;
  }
}

const FAULTY_NOTE = `${NOTE_LABEL} The answer ended in a call that could not be read, so nothing was run. Make the call again, or say in words what is so.`;

const EMPTY_NOTE = `${NOTE_LABEL} The answer held no words and no call. Go on with the work, or say in words what was done and found.`;

function smallerPiecesNote(toolName: string): string {
  return `${NOTE_LABEL} The answer reached the longest output that the model gives, in the middle of a call of ${toolName}, which has not been run. Make the call again in smaller pieces: less text at once, and the rest in further calls. Do not repeat what was done before it.`;
}

/** Ending of a turn that ended by itself, but not as answers do: what happened, and what the user can do. */
const notice = (error: string): TurnEnding => ({ status: 'completed', error });

const CALL_TOO_LONG = notice(
  'The answers reached the longest output that the model gives, each time in the middle of a tool call, which has not been run. Ask for it in smaller pieces.',
);
const TEXT_TOO_LONG = notice(
  'The answer reached the longest output that the model gives, and is cut here. Say "continue" to go on.',
);
const THOUGHTS_TOO_LONG = notice(
  'The model used up its longest output before it said anything: thoughts count. Ask for less at once, or choose another model.',
);
const FILTERED = notice(
  "The model's provider ended the answer here by its content rules. Change the message, or choose another model.",
);
const UNREADABLE = notice(
  'The answer ended in a tool call that could not be read, so nothing of it was done. Say "continue" to try again, or choose another model.',
);
const THOUGHTS_ONLY = notice(
  'The model only thought, and ended its answer without saying anything. Say "continue", or choose another model.',
);
const EMPTY = notice(
  'The model ended its answer without saying anything. What was done before is shown above. Say "continue", or choose another model.',
);

/** The ending of a turn whose model makes no more calls. */
function answeredEnding(
  { droppedCall, finishReason, lastText, hasThoughts }: StepOutcome,
  isOffered: (toolName: string) => boolean,
): TurnEnding {
  const isSilent = lastText.trim() === '';
  if (droppedCall !== null) return CALL_TOO_LONG;
  if (finishReason === 'length') return isSilent ? THOUGHTS_TOO_LONG : TEXT_TOO_LONG;
  if (finishReason === 'content-filter') return FILTERED;
  if (finishReason === FAULTY) return UNREADABLE;
  if (isSilent) return hasThoughts ? THOUGHTS_ONLY : EMPTY;
  const written = writtenCall(lastText, isOffered);
  return written === null ? COMPLETED : notice(writtenCallText(written));
}

function writtenCallText(toolName: string): string {
  return `The model wrote a call of ${toolName} as text, so nothing was done. Choose a model that can use tools; of a local server, check that its chat template and tool parser fit the model.`;
}

/**
 * Length of the end of a cut text that the note repeats: the compaction may have had to summarize the text itself.
 * Characters.
 */
const QUOTED_CHARS = 600;

const CUT = `${NOTE_LABEL} The answer was cut here because the context window was full; older messages have been summarized.`;

/** Note for the next step after one that was cut; the engine writes it, in the user's role. */
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

/** The reason to compact before the next step after one that was cut. */
function compactionAfter({ error }: StepOutcome): CompactionReason {
  return error === undefined ? 'real-time' : 'provider-overflow';
}

/** The reason for which a cut answer is not continued (any more); everything up to there is stored. */
function cutForGood(autoCompact: boolean): string {
  const reason = autoCompact
    ? 'the answer filled the context window again and again. What was written is kept. Say "continue" to go on.'
    : 'the answer filled the context window, and automatic compaction is switched off. What was written is kept. Compact the conversation, then say "continue".';
  return `compaction_limit_reached: ${reason}`;
}
