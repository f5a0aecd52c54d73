import { api } from '#components/api/api-client';
import type { FieldPlace } from '#components/editor/places';
import { whileVisible } from '#components/ui/hooks';
import type { PatchOp } from '#server/core/content';
import type { ChangedValue } from '#server/core/expected-values';
import type { Presence } from '#server/core/presence';

/** Time between reports of a window's place; ms. Shorter with others on the page or while somebody writes. */
const ALONE = 9_000;
const TOGETHER = 4_000;
/** The cursor passes through fields; ms. */
const PLACE_DELAY = 200;
/** The page itself is loaded first; ms. */
const FIRST_DELAY = 700;

/** Id of this window; a reload makes it another one. */
let windowId: string | undefined;

/** Answer of the server whenever this window says where it is. */
export interface Heard {
  readonly others: readonly Presence[];
  /** Null: the page is not kept here. */
  readonly revision: number | null;
}

/** Tells the server again and again which page is open here and which field is written in, and hears who else is there. */
export class PagePresence {
  readonly #entryId: string;
  readonly #onHeard: (heard: Heard) => void;
  readonly #stop: () => void;
  #place: FieldPlace | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTogether = false;
  #isSeen = false;

  constructor(entryId: string, onHeard: (heard: Heard) => void) {
    windowId ??= crypto.randomUUID();
    this.#entryId = entryId;
    this.#onHeard = onHeard;
    this.#stop = whileVisible(() => {
      this.#isSeen = true;
      this.#next(FIRST_DELAY);
      return () => this.#leave();
    });
  }

  /** The cursor is in this field now; null: in none. */
  write(place: FieldPlace | null): void {
    const isSame = this.#place?.sectionId === place?.sectionId && this.#place?.field === place?.field;
    if (isSame) return;
    this.#place = place;
    if (this.#isSeen) this.#next(PLACE_DELAY);
  }

  end(): void {
    this.#stop();
    clearTimeout(this.#timer);
  }

  #leave(): void {
    this.#isSeen = false;
    clearTimeout(this.#timer);
    void this.#say(true);
  }

  #next(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tell(), delay);
  }

  async #tell(): Promise<void> {
    const place = this.#place;
    const heard = await this.#say(false);
    if (!this.#isSeen) return;
    if (heard !== null) {
      this.#isTogether = heard.others.length > 0;
      this.#onHeard(heard);
    }
    // The cursor may have gone on meanwhile.
    if (this.#place !== place) this.#next(PLACE_DELAY);
    else this.#next(this.#isTogether || place !== null ? TOGETHER : ALONE);
  }

  /** Null: it was not heard; the next time it may be. */
  async #say(leaves: boolean): Promise<Heard | null> {
    const here = { windowId: windowId ?? '', entryId: this.#entryId, place: this.#place, leaves };
    return api.sayWhere(here, leaves).catch(() => null);
  }
}

/** Finds who wrote to a place last, as far as the newest changes say. */
export async function whoWrote(entryId: string, { sectionId, field }: FieldPlace): Promise<ChangedValue['by']> {
  const [name = ''] = field.split('.');
  const isThere = (operation: PatchOp) => {
    if (operation.op === 'set' || operation.op === 'unset') return sectionId === null && operation.field === name;
    if (operation.op === 'set-section')
      return operation.sectionId === sectionId && Object.hasOwn(operation.fields, name);
    return operation.op === 'remove-section' && operation.sectionId === sectionId;
  };
  const changes = await api.changesOf(entryId).catch(() => []);
  return changes.find(({ operations }) => operations.some(isThere))?.origin ?? null;
}
