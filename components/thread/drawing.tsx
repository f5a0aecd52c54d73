import type { DrawnPoint } from '#components/thread/past-banner';

/** Rest after which a point is shown; ms. */
const REST = 140;

/** Shows points of the thread while one draws along it: the last one when the pointer rests, and "now" at once. */
export class Drawing {
  readonly #show: (point: DrawnPoint | null, path?: string) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(show: (point: DrawnPoint | null, path?: string) => void) {
    this.#show = show;
  }

  readonly draw = (point: DrawnPoint | null, path?: string): void => {
    this.stop();
    if (point === null) this.#show(null);
    else this.#timer = setTimeout(() => this.#show(point, path), REST);
  };

  readonly stop = (): void => clearTimeout(this.#timer);
}
