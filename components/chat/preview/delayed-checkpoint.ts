import type { HistoryPoint } from '#components/history/checkpoints.ts';

/** Time without movement after which a checkpoint is shown. A choice, not measured. */
const POINTER_REST_MS = 140;

/**
 * Shows checkpoints of the history while the user drags along it: a checkpoint once the pointer rests, the current
 * state immediately.
 */
export class DelayedCheckpoint {
  readonly #show: (point: HistoryPoint | null, path?: string) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(show: (point: HistoryPoint | null, path?: string) => void) {
    this.#show = show;
  }

  /** Shows a checkpoint after the delay, unless another call follows; null shows the current state now. */
  readonly showPoint = (point: HistoryPoint | null, path?: string): void => {
    this.stop();
    if (point === null) this.#show(null);
    else this.#timer = setTimeout(() => this.#show(point, path), POINTER_REST_MS);
  };

  /** Cancels a checkpoint that was not shown yet. */
  readonly stop = (): void => clearTimeout(this.#timer);
}
