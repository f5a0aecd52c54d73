import type { OnFault } from '#server/agent/run-tool-call';
import { isOfStore, NotStoredError } from '#server/agent/store-patience';
import { NOTE_LABEL } from '#server/core/engine-words';
import { ThroughlineError, TurnLostError } from '#server/core/errors';
import { CANCELLED_BY_USER, INTERRUPTED_TOOL } from '#server/core/turns';
import type { TurnEnding } from '#server/core/turn-store';

/** Ending of a turn that did all that was asked. */
export const COMPLETED: TurnEnding = { status: 'completed', error: null };

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

/** A budget of ours is used up before the next step. @param isUnderWay something of the answer is there */
export function budgetEnding(refusal: string, isUnderWay: boolean): TurnEnding {
  return { status: isUnderWay ? 'completed' : 'failed', error: refusal, holdsQueue: true };
}

/** Reason for which a turn ends before it is done: another process has it, the user stopped it, the server stops. */
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
  /** Ends tools that write. The user's stop does not: a write that has begun is finished. */
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

/** Note for the last step of a turn whose time or steps are used up; the engine writes it, in the user's role. */
export function lastWordsNote(limit: string): string {
  return `${NOTE_LABEL} This turn ends here: ${limit} are used up, and no tool runs any more. Say in a few sentences what has been done and what is left, so that the user can decide how to go on.`;
}
