import { ThroughlineError, TurnLostError } from '#server/core/errors';
import type { TurnEnding } from '#server/core/turn-store';
import { NotStoredError } from '#server/agent/answer-writer';
import type { OnFault } from '#server/agent/run-tool-call';
import type { StepOutcome } from '#server/agent/stream-processor';
import type { StopReason } from '#server/agent/turn-stop';
import { writtenCall } from '#server/agent/written-call';

/** It did all that was asked. */
export const COMPLETED: TurnEnding = { status: 'completed', error: null };

/** It ended by itself, but not as answers do: what happened, and what the user can do. */
const notice = (error: string): TurnEnding => ({ status: 'completed', error });

const CALL_TOO_LONG = notice(
  'The answer reached the longest output that the model gives, in the middle of a tool call, which has not been run. Ask for it in smaller pieces.',
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
const THOUGHTS_ONLY = notice(
  'The model only thought, and ended its answer without saying anything. Say "continue", or choose another model.',
);
const EMPTY = notice(
  'The model ended its answer without saying anything. What was done before is shown above. Say "continue", or choose another model.',
);

/** The ending of a turn whose model makes no more calls. */
export function answeredEnding(
  { droppedCall, finishReason, lastText, hasThoughts }: StepOutcome,
  isOffered: (toolName: string) => boolean,
): TurnEnding {
  const isSilent = lastText.trim() === '';
  if (droppedCall !== null) return CALL_TOO_LONG;
  if (finishReason === 'length') return isSilent ? THOUGHTS_TOO_LONG : TEXT_TOO_LONG;
  if (finishReason === 'content-filter') return FILTERED;
  if (isSilent) return hasThoughts ? THOUGHTS_ONLY : EMPTY;
  const written = writtenCall(lastText, isOffered);
  return written === null ? COMPLETED : notice(writtenCallText(written));
}

function writtenCallText(toolName: string): string {
  return `The model wrote a call of ${toolName} as text, so nothing was done. Choose a model that can use tools; of a local server, check that its chat template and tool parser fit the model.`;
}

const INTERNAL = 'The turn failed for an internal reason. What was done before is kept: say "continue" to go on.';

const TAKEN_OVER =
  'This turn was taken over: the server or its database did not answer for so long that it counted as gone. Words that are not stored disappear when the page is loaded again: copy what you need, then say "continue" to go on.';

/**
 * The turn was ended from outside; what there is of its answer is kept, unless a write was refused.
 * @param error what the turn ended with
 */
export function stoppedEnding(reason: StopReason, error?: unknown): TurnEnding {
  const isRefused = error instanceof TurnLostError;
  return { status: reason === 'cancelled' ? 'cancelled' : 'interrupted', error: isRefused ? TAKEN_OVER : null };
}

/** What an error says that nobody foresaw may be anything, a query and its values too: it is for the log alone. */
export function failedEnding(turnId: string, error: unknown, onFault: OnFault): TurnEnding & { error: string } {
  if (error instanceof ThroughlineError) return { status: 'failed', error: error.message };
  const isStored = !(error instanceof NotStoredError);
  onFault(`Turn ${turnId} failed`, isStored ? error : error.cause);
  return { status: 'failed', error: isStored ? INTERNAL : error.message };
}

/** A limit of ours ended the turn. */
export function limitEnding(limit: string): TurnEnding {
  return { status: 'completed', error: `Stopped after ${limit}. Say "continue" to go on.` };
}
