import { api } from '#components/api/api-client.ts';
import type { FieldPlace } from '#components/editor/model/places.ts';
import { whileVisible } from '#components/ui/hooks.ts';
import type { Presence } from '#server/core/site/presence';

/**
 * Time between reports of a window's position; ms. The shorter one applies while others are on the page or the user is
 * typing. Both are well below the time after which the server counts a window as closed (GONE_AFTER_MS, 25 seconds), so
 * that one lost report does not make the window disappear.
 */
const INTERVAL_ALONE = 9_000;
const INTERVAL_TOGETHER = 4_000;
/** Delay of a report after the cursor has moved, so that fields which it only passes are not reported; ms. */
const PLACE_DELAY = 200;
/** Delay of the first report, so that the page itself loads first; ms. */
const FIRST_DELAY = 700;

/**
 * Id of this browser window; a reload creates a new one. Created in the browser only, not when the module is loaded on
 * the server.
 */
let windowId: string | undefined;

/** Response of the server to a position report. */
export interface PresenceUpdate {
  readonly others: readonly Presence[];
  /** Null if the page is not stored on this server. */
  readonly revision: number | null;
}

/**
 * Reports periodically which page is open here and which field is being edited, and receives who else is on the page.
 */
export class PagePresence {
  readonly #entryId: string;
  readonly #onPresence: (update: PresenceUpdate) => void;
  readonly #stop: () => void;
  #place: FieldPlace | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTogether = false;
  #isVisible = false;

  constructor(entryId: string, onPresence: (update: PresenceUpdate) => void) {
    windowId ??= crypto.randomUUID();
    this.#entryId = entryId;
    this.#onPresence = onPresence;
    this.#stop = whileVisible(() => {
      this.#isVisible = true;
      this.#schedule(FIRST_DELAY);
      return () => this.#leave();
    });
  }

  /** Reports that the cursor is now in this field; null: in none. */
  moveTo(place: FieldPlace | null): void {
    const isSame = this.#place?.sectionId === place?.sectionId && this.#place?.field === place?.field;
    if (isSame) return;
    this.#place = place;
    if (this.#isVisible) this.#schedule(PLACE_DELAY);
  }

  /** Reports that the window has left the page, and stops. */
  end(): void {
    this.#stop();
    clearTimeout(this.#timer);
  }

  #leave(): void {
    this.#isVisible = false;
    clearTimeout(this.#timer);
    void this.#send(true);
  }

  #schedule(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#report(), delay);
  }

  async #report(): Promise<void> {
    const place = this.#place;
    const update = await this.#send(false);
    if (!this.#isVisible) return;
    if (update !== null) {
      this.#isTogether = update.others.length > 0;
      this.#onPresence(update);
    }
    // The cursor may have moved during the request.
    if (this.#place !== place) this.#schedule(PLACE_DELAY);
    else this.#schedule(this.#isTogether || place !== null ? INTERVAL_TOGETHER : INTERVAL_ALONE);
  }

  /** Null if the request failed; the next one may succeed. */
  async #send(leaves: boolean): Promise<PresenceUpdate | null> {
    const here = { windowId: windowId ?? '', entryId: this.#entryId, place: this.#place, leaves };
    return api.reportPresence(here, leaves).catch(() => null);
  }
}
