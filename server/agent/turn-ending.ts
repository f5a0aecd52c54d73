import { isOfStore, NotStoredError } from '#server/agent/answer-writer';
import { writtenCall } from '#server/agent/odd-answers';
import type { OnFault } from '#server/agent/run-tool-call';
import type { StepOutcome } from '#server/agent/stream-processor';
import { NOTE_LABEL } from '#server/core/engine-words';
import type { CompactionReason } from '#server/core/events';
import { ThroughlineError, TurnLostError } from '#server/core/errors';
import { CANCELLED_BY_USER, INTERRUPTED_TOOL } from '#server/core/messages';
import type { TurnEnding } from '#server/core/turn-store';

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

/**
 * Ends a turn that failed. The text of an unforeseen error may hold anything, a query and its values too: it goes to
 * the log alone.
 */
export function failedEnding(turnId: string, fault: unknown, onFault: OnFault): TurnEnding & { error: string } {
  const error = isOfStore(fault) ? new NotStoredError(fault) : fault;
  if (error instanceof ThroughlineError) return { status: 'failed', error: error.message };
  const isStored = !(error instanceof NotStoredError);
  onFault(`Turn ${turnId} failed`, isStored ? error : error.cause);
  return { status: 'failed', error: isStored ? INTERNAL : error.message };
}

/** A limit of ours ended the turn. */
export function limitEnding(limit: string): TurnEnding {
  return { status: 'completed', error: `Stopped after ${limit}. Say "continue" to go on.` };
}

/** Why a turn ends before it is done: another process has it, the user stopped it, the server stops. */
export type StopReason = 'lost' | 'cancelled' | 'stopping';

const stopped = (message: string) => new DOMException(message, 'AbortError');

/**
 * Ends a running turn from outside, each reason by a signal of its own. The reason's message is what the model reads as
 * the result of a call that it ended.
 */
export class TurnStop {
  readonly #lost = new AbortController();
  readonly #cancelled = new AbortController();
  readonly #stopping = new AbortController();
  #isClosing = false;
  /** Ends model calls, compactions, pauses and tools that only read. */
  readonly signal = AbortSignal.any([this.#lost.signal, this.#cancelled.signal, this.#stopping.signal]);
  /** Ends tools that write, too: one may finish that the user wants no more of. */
  readonly writers = AbortSignal.any([this.#lost.signal, this.#stopping.signal]);

  /** The reason that decides how the turn ends, where there are several. */
  get reason(): StopReason | null {
    if (this.#lost.signal.aborted) return 'lost';
    if (this.#cancelled.signal.aborted) return 'cancelled';
    return this.#stopping.signal.aborted ? 'stopping' : null;
  }

  cancel(): void {
    this.#cancelled.abort(stopped(CANCELLED_BY_USER));
  }

  lose(): void {
    this.#lost.abort(stopped('Another process has taken this turn over.'));
  }

  stop(): void {
    this.#stopping.abort(stopped(INTERRUPTED_TOOL));
  }

  /** The running step may end, the next one does not begin. */
  close(): void {
    this.#isClosing = true;
  }

  /** Between two steps. @throws the reason for which no other step may begin */
  check(): void {
    if (this.#isClosing) this.stop();
    this.signal.throwIfAborted();
  }
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

/** The reason to compact before the next step; undefined after a step that was not cut. */
export function compactionAfter({ wasCut, error }: StepOutcome): CompactionReason | undefined {
  if (!wasCut) return undefined;
  return error === undefined ? 'real-time' : 'provider-overflow';
}

/** Why a cut answer is not continued (any more); everything up to there is stored. */
export function cutForGood(autoCompact: boolean): string {
  const reason = autoCompact
    ? 'the answer filled the context window again and again. What was written is kept. Say "continue" to go on.'
    : 'the answer filled the context window, and automatic compaction is switched off. What was written is kept. Compact the conversation, then say "continue".';
  return `compaction_limit_reached: ${reason}`;
}

/** Note for the last step of a turn whose time or steps are used up; the engine writes it, in the user's role. */
export function lastWordsNote(limit: string): string {
  return `${NOTE_LABEL} This turn ends here: ${limit} are used up, and no tool runs any more. Say in a few sentences what has been done and what is left, so that the user can decide how to go on.`;
}
