import type { OnFault } from '#server/conversation/step/run-tool-call';
import { isOfStore, NotStoredError } from '#server/conversation/step/retrying-writer';
import { NOTE_LABEL } from '#server/core/conversation/labels';
import { ThroughlineError, TurnLostError } from '#server/core/errors';
import { CANCELLED_BY_USER, INTERRUPTED_TOOL } from '#server/core/conversation/turns';
import type { TurnEnding } from '#server/core/conversation/turn-store';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';

/** Ending of a turn that finished its work. */
export const COMPLETED: TurnEnding = { status: 'completed', error: null };

/**
 * Ending of a turn that was stopped from outside; its existing answer is kept, unless a write was refused.
 * @param error error that ended the turn
 */
export function stoppedEnding(reason: StopReason, error?: unknown): TurnEnding {
  const isRefused = error instanceof TurnLostError;
  return {
    status: reason === 'cancelled' ? 'cancelled' : 'interrupted',
    error: isRefused ? serverText('turn-taken-over') : null,
  };
}

/**
 * Ends a failed turn. The text of an unexpected error may contain anything, even a query and its values: it is only
 * logged.
 */
export function failedEnding(turnId: string, fault: unknown, onFault: OnFault): TurnEnding & { error: ServerText } {
  const error = isOfStore(fault) ? new NotStoredError(fault) : fault;
  if (error instanceof ThroughlineError) return { status: 'failed', error: error.text };
  const isStored = !(error instanceof NotStoredError);
  onFault(`Turn ${turnId} failed`, isStored ? error : error.cause);
  return { status: 'failed', error: isStored ? serverText('turn-internal') : error.text };
}

/** Ending of a turn that reached one of our limits. */
export function limitEnding(limit: ServerText): TurnEnding {
  return { status: 'completed', error: serverText('turn-limit', { limit }) };
}

/** Ending of a turn whose budget is used up before the next step. @param isUnderWay a part of the answer exists */
export function budgetEnding(refusal: ServerText, isUnderWay: boolean): TurnEnding {
  return { status: isUnderWay ? 'completed' : 'failed', error: refusal, holdsQueue: true };
}

/** Reason why a turn ends early: another process owns it, the user stopped it, the server stops. */
export type StopReason = 'lost' | 'cancelled' | 'stopping';

const stopped = (message: string) => new DOMException(message, 'AbortError');

/**
 * Ends a running turn from outside, with a separate signal for each reason. The model reads the message of the reason
 * as the result of a call that it ended.
 */
export class TurnStop {
  readonly #lost = new AbortController();
  readonly #cancelled = new AbortController();
  readonly #stopping = new AbortController();
  #isClosing = false;
  /** Ends model calls, compactions, pauses and tools that only read. */
  readonly signal = AbortSignal.any([this.#lost.signal, this.#cancelled.signal, this.#stopping.signal]);
  /** Ends tools that write. The user's stop does not: a write in progress is finished. */
  readonly writers = AbortSignal.any([this.#lost.signal, this.#stopping.signal]);

  /** The reason that decides how the turn ends, if there are several. */
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

  /** The running step may end, but the next one does not start. */
  close(): void {
    this.#isClosing = true;
  }

  /** Call it between two steps. @throws the reason why no further step may start */
  check(): void {
    if (this.#isClosing) this.stop();
    this.signal.throwIfAborted();
  }
}

/** Note for the last step of a turn whose time or steps are used up; the engine writes it, in the user's role. */
export function lastWordsNote(limit: string): string {
  return `${NOTE_LABEL} This turn ends here: ${limit} are used up, and no tool runs any more. Say in a few sentences what has been done and what is left, so that the user can decide how to go on.`;
}
