import { type FieldPlace, isWithin, placeKey, sameValue, valueAt, withValue } from '#components/editor/places';
import { forgetUnsaved, keepUnsaved, leftBehind } from '#components/desk/unsaved-texts';
import type { EntryDocument } from '#server/core/content';
import type { ChangedValue } from '#server/core/expected-values';
import type { JsonValue } from '#server/core/json';
import type { PlacedEntry } from '#server/core/site-lists';
import type { Presence } from '#server/core/presence';

/**
 * `waiting`: something is not sent yet, because it is still being typed or because the server cannot be reached.
 * `failed`: the server refused it for a reason that `problem` says; it is sent again with the next letter.
 */
export type SaveState = 'saved' | 'waiting' | 'saving' | 'failed' | 'conflict';

export interface PageEditorState {
  /** The entry on the server; null while loading, or where the path has none. */
  readonly entry: PlacedEntry | null;
  /** With what is not saved yet. */
  readonly document: EntryDocument | null;
  readonly save: SaveState;
  /** Epoch milliseconds; null: nothing was saved here yet. */
  readonly savedAt: number | null;
  /** The server's reason to refuse what is not saved. */
  readonly problem: string | null;
  readonly conflict: FieldConflict | null;
  /** Others on this page, and where they write. */
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

/** Two values for one place: what was typed here, and what somebody else saved meanwhile. */
export interface FieldConflict {
  readonly place: FieldPlace;
  readonly mine: JsonValue;
  /** Null: there is none any more. */
  readonly theirs: JsonValue;
  /** The person who saved theirs; null: not known. */
  readonly by: ChangedValue['by'];
  /** The section is gone: mine has no place, and can only be copied. */
  readonly isGone: boolean;
}

/** A value that is not saved yet. */
export interface Pending {
  readonly place: FieldPlace;
  readonly value: JsonValue;
  /** Value that it is written over. */
  readonly base: JsonValue;
  /** Set while it is on its way. */
  readonly sent?: JsonValue;
  /** Values that were sent when the page was left, without waiting for an answer: the server may have any of them. */
  readonly alsoSent?: readonly JsonValue[];
  readonly conflict?: Pick<FieldConflict, 'theirs' | 'by' | 'isGone'>;
}

/** Values typed on one page that are not saved yet, in the order in which they were begun. The browser keeps them as well. */
export class PendingValues {
  readonly #values = new Map<string, Pending>();
  readonly #entryId: () => string | null;

  constructor(entryId: () => string | null) {
    this.#entryId = entryId;
  }

  get size(): number {
    return this.#values.size;
  }

  /** All of them that could be sent. */
  get sendable(): readonly Pending[] {
    return [...this.#values.values()].filter(({ conflict }) => conflict === undefined);
  }

  /** The oldest that two have written; null: there is none. */
  get conflict(): FieldConflict | null {
    const found = [...this.#values.values()].find(({ conflict }) => conflict !== undefined);
    return found?.conflict === undefined ? null : { place: found.place, mine: found.value, ...found.conflict };
  }

  get(place: FieldPlace): Pending | undefined {
    return this.#values.get(placeKey(place));
  }

  /** Notes a value. True: another place waits too. */
  write(document: EntryDocument, place: FieldPlace, value: JsonValue): boolean {
    const known = this.get(place);
    if (known) this.#dropPartsSince(place);
    // With what waits in front of it, which may be a part of it: `items.2.question` of `items`.
    this.#put({ ...known, place, value, base: known ? known.base : valueAt(this.applyTo(document), place) });
    return this.#values.size > 1;
  }

  /** Drops parts of a value that were written after it: what it is now has them. */
  #dropPartsSince(whole: FieldPlace): void {
    const keys = [...this.#values.keys()];
    for (const key of keys.slice(keys.indexOf(placeKey(whole)) + 1)) {
      const later = this.#values.get(key);
      if (later && later.sent === undefined && isWithin(later.place, whole)) this.drop(later.place);
    }
  }

  markSent(pending: Pending): void {
    this.#put({ ...pending, sent: pending.value });
  }

  markAlsoSent(pending: Pending): void {
    this.#put({ ...pending, alsoSent: [...(pending.alsoSent ?? []), pending.value] });
  }

  /** A value did not arrive. */
  unsend(place: FieldPlace): void {
    const now = this.get(place);
    if (now === undefined) return;
    const { sent: _lost, ...rest } = now;
    this.#values.set(placeKey(place), rest);
  }

  /** A value has arrived, as it was when it was sent; what was typed since is written over it. True: nothing was. */
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

  markConflict(place: FieldPlace, conflict: NonNullable<Pending['conflict']>): void {
    const now = this.get(place);
    if (now !== undefined) this.#values.set(placeKey(place), { ...now, conflict });
  }

  /** Ends a conflict: mine is to be written over theirs. */
  overrule(place: FieldPlace): void {
    const now = this.get(place);
    if (now?.conflict === undefined) return;
    const { conflict, ...rest } = now;
    this.#put({ ...rest, base: conflict.theirs });
  }

  drop(place: FieldPlace): void {
    this.#values.delete(placeKey(place));
    const entryId = this.#entryId();
    if (entryId !== null) forgetUnsaved(entryId, place);
  }

  /** Takes up texts that were not saved when the page was closed. */
  takeUp({ id, draft }: Pick<PlacedEntry, 'id' | 'draft'>): void {
    for (const { place, value, over } of leftBehind(id)) {
      const present = valueAt(draft, place);
      if (sameValue(present, value)) forgetUnsaved(id, place);
      else {
        const base = over.find((each) => sameValue(each, present)) ?? over[0] ?? null;
        this.#values.set(placeKey(place), { place, value, base });
      }
    }
  }

  /** A document with all of them. */
  applyTo(document: EntryDocument): EntryDocument {
    return [...this.#values.values()].reduce((all, { place, value }) => withValue(all, place, value), document);
  }

  #put(pending: Pending): void {
    this.#values.set(placeKey(pending.place), pending);
    const entryId = this.#entryId();
    const { place, value, base, sent, alsoSent = [] } = pending;
    const over = [base, ...(sent === undefined ? [] : [sent]), ...alsoSent];
    if (entryId !== null) keepUnsaved(entryId, { place, value, over });
  }
}
