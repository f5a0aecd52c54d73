import { CANCELLED_BY_USER, INTERRUPTED_TOOL } from '#server/core/turns';

/** Why a turn ends before it is done: another process has it, the user stopped it, the server stops. */
export type StopReason = 'lost' | 'cancelled' | 'stopping';

const stopped = (message: string) => new DOMException(message, 'AbortError');

/**
 * What can end a running turn from outside, each by a signal of its own. The reason's message is what the model reads as
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

  /** Of several the one that decides how the turn ends. */
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
