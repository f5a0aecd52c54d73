import { type FieldPlace, isWithin, placeKey, sameValue, valueAt, withValue } from '#components/editor/model/places.ts';
import { removeUnsaved, storeUnsaved, unsavedOf } from '#components/workspace/unsaved-texts.ts';
import type { EntryDocument } from '#server/core/site/content';
import type { ChangedValue } from '#server/core/site/write-checks/write-conflict';
import type { JsonValue } from '#server/core/json';
import type { PlacedEntry } from '#server/core/site/site-lists';
import type { Presence } from '#server/core/site/presence';

/**
 * `waiting`: something is unsent, because the user is still typing or the server cannot be reached.
 *
 * `failed`: the server refused it for the reason in `problem`; further typing sends it again.
 */
export type SaveState = 'saved' | 'waiting' | 'saving' | 'failed' | 'conflict';

/** What an editor of a page shows. */
export interface PageEditorState {
  /** The entry on the server; null while loading, or if the path has none. */
  readonly entry: PlacedEntry | null;
  /** The draft of `entry` with the unsaved values; null if `entry` is null. */
  readonly document: EntryDocument | null;
  readonly save: SaveState;
  /** Epoch milliseconds; null if nothing was saved here yet. */
  readonly savedAt: number | null;
  /** The server's reason for refusing an unsaved value; null if it has refused none. */
  readonly problem: string | null;
  readonly conflict: FieldConflict | null;
  /** Others on this page, and the fields that they edit. */
  readonly others: readonly Presence[];
}

/** State of a page before it is loaded. */
export const NO_PAGE_STATE: PageEditorState = {
  entry: null,
  document: null,
  save: 'saved',
  savedAt: null,
  problem: null,
  conflict: null,
  others: [],
};

/** Two values for one place: the one typed here, and one that another person has saved since. */
export interface FieldConflict {
  readonly place: FieldPlace;
  readonly mine: JsonValue;
  /** Null if the other person removed the value. */
  readonly theirs: JsonValue;
  /** The person who saved the other value; null if unknown. */
  readonly by: ChangedValue['by'];
  /** The section was deleted: the user's value has no place, and can only be copied. */
  readonly isGone: boolean;
}

/** An unsaved value. */
export interface Pending {
  readonly place: FieldPlace;
  readonly value: JsonValue;
  /** Value on the server that `value` replaces. */
  readonly base: JsonValue;
  /** Value in the running request; undefined if none is running. */
  readonly sent?: JsonValue;
  /** Values that were sent when the page was left, without waiting for a response: the server may have any of them. */
  readonly alsoSent?: readonly JsonValue[];
  readonly conflict?: Pick<FieldConflict, 'theirs' | 'by' | 'isGone'>;
}

/**
 * Unsaved values of one page, in the order in which the user began to type them. They are also kept in the browser's
 * storage, so that they survive a reload.
 */
export class PendingValues {
  readonly #values = new Map<string, Pending>();
  readonly #entryId: () => string | null;

  constructor(entryId: () => string | null) {
    this.#entryId = entryId;
  }

  get size(): number {
    return this.#values.size;
  }

  /** All values that may be sent. */
  get sendable(): readonly Pending[] {
    return [...this.#values.values()].filter(({ conflict }) => conflict === undefined);
  }

  /** The oldest conflict; null if there are none. */
  get conflict(): FieldConflict | null {
    const found = [...this.#values.values()].find(({ conflict }) => conflict !== undefined);
    return found?.conflict === undefined ? null : { place: found.place, mine: found.value, ...found.conflict };
  }

  get(place: FieldPlace): Pending | undefined {
    return this.#values.get(placeKey(place));
  }

  /** Stores a typed value. True: another place has an unsaved value too. */
  write(document: EntryDocument, place: FieldPlace, value: JsonValue): boolean {
    const known = this.get(place);
    if (known) this.#dropPartsSince(place);
    // Applies the earlier pending values, which may contain this place: `items.2.question` of `items`.
    this.#put({ ...known, place, value, base: known ? known.base : valueAt(this.applyTo(document), place) });
    return this.#values.size > 1;
  }

  /** Drops later pending parts of a value, because the new value contains them. */
  #dropPartsSince(whole: FieldPlace): void {
    const keys = [...this.#values.keys()];
    for (const key of keys.slice(keys.indexOf(placeKey(whole)) + 1)) {
      const later = this.#values.get(key);
      if (later && later.sent === undefined && isWithin(later.place, whole)) this.drop(later.place);
    }
  }

  /** Call this before a value is sent. */
  markSent(pending: Pending): void {
    this.#put({ ...pending, sent: pending.value });
  }

  /** Call this when a value was sent without waiting for a response. */
  markAlsoSent(pending: Pending): void {
    this.#put({ ...pending, alsoSent: [...(pending.alsoSent ?? []), pending.value] });
  }

  /** Call this when sending a value failed. */
  unsend(place: FieldPlace): void {
    const now = this.get(place);
    if (now === undefined) return;
    const { sent: _failed, ...rest } = now;
    this.#values.set(placeKey(place), rest);
  }

  /**
   * The server has saved a value in the state in which it was sent; later typing becomes an edit of it. True: no later
   * typing.
   */
  settle({ place, value, alsoSent: older }: Pending): boolean {
    const now = this.get(place);
    if (now === undefined || sameValue(now.value, value)) {
      this.drop(place);
      return true;
    }
    const { sent: _arrived, alsoSent = [], ...rest } = now;
    this.#put({ ...rest, base: value, alsoSent: alsoSent.slice(older?.length ?? 0) });
    return false;
  }

  /** Call this when another person has changed the value at a place: it is not sent until the user decides. */
  markConflict(place: FieldPlace, conflict: NonNullable<Pending['conflict']>): void {
    const now = this.get(place);
    if (now !== undefined) this.#values.set(placeKey(place), { ...now, conflict });
  }

  /** Resolves a conflict: the user's value will replace the other one. */
  overrule(place: FieldPlace): void {
    const now = this.get(place);
    if (now?.conflict === undefined) return;
    const { conflict, ...rest } = now;
    this.#put({ ...rest, base: conflict.theirs });
  }

  /** Forgets the unsaved value at a place, here and in the browser's storage. */
  drop(place: FieldPlace): void {
    this.#values.delete(placeKey(place));
    const entryId = this.#entryId();
    if (entryId !== null) removeUnsaved(entryId, place);
  }

  /** Restores values that were not saved when the page was closed, from the browser's storage. */
  restore({ id, draft }: Pick<PlacedEntry, 'id' | 'draft'>): void {
    for (const { place, value, over } of unsavedOf(id)) {
      const present = valueAt(draft, place);
      if (sameValue(present, value)) removeUnsaved(id, place);
      else {
        const base = over.find((each) => sameValue(each, present)) ?? over[0] ?? null;
        this.#values.set(placeKey(place), { place, value, base });
      }
    }
  }

  /** A document with all pending values applied. */
  applyTo(document: EntryDocument): EntryDocument {
    return [...this.#values.values()].reduce((all, { place, value }) => withValue(all, place, value), document);
  }

  #put(pending: Pending): void {
    this.#values.set(placeKey(pending.place), pending);
    const entryId = this.#entryId();
    const { place, value, base, sent, alsoSent = [] } = pending;
    const over = [base, ...(sent === undefined ? [] : [sent]), ...alsoSent];
    if (entryId !== null) storeUnsaved(entryId, { place, value, over });
  }
}
