import type { JsonValue } from '#server/core/json';

/** A field of a section or, if `sectionId` is null, of the page itself. */
interface Place {
  readonly sectionId: string | null;
  readonly field: string;
}

/** A written value, stored in the browser until it is known to be saved. */
export interface UnsavedText {
  readonly place: Place;
  readonly value: JsonValue;
  /** Values that it may replace: the value at the start of editing, and the values sent since. */
  readonly over: readonly JsonValue[];
  /** Name of the tab that wrote the value. */
  readonly tab: string;
  /** Epoch milliseconds. */
  readonly writtenAt: number;
}

/** Beginning of the keys in the local storage. */
const KEY_PREFIX = 'throughline-unsaved:';
/** Key of the tab's name in its session storage. */
const TAB_KEY = 'throughline-tab';
/** If another tab has written nothing for this time, its text counts as abandoned; ms. */
const ABANDONED_AFTER_MS = 15_000;

const keyOf = (entryId: string, { sectionId, field }: Place) => `${KEY_PREFIX}${entryId}:${sectionId ?? ''}:${field}`;

/** Runs `work`; null if storage is full or disabled, in which case texts are lost when the page is closed. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

let ownTab: string | undefined;

/** Name of this tab; it survives a reload. */
function thisTab(): string {
  ownTab ??= attempt(() => sessionStorage.getItem(TAB_KEY)) ?? undefined;
  if (ownTab === undefined) {
    const made = crypto.randomUUID();
    ownTab = made;
    attempt(() => sessionStorage.setItem(TAB_KEY, made));
  }
  return ownTab;
}

/** Stores a text until `removeUnsaved`, also after the page is closed. */
export function storeUnsaved(entryId: string, text: Pick<UnsavedText, 'place' | 'value' | 'over'>): void {
  const kept: UnsavedText = { ...text, tab: thisTab(), writtenAt: Date.now() };
  attempt(() => localStorage.setItem(keyOf(entryId, text.place), JSON.stringify(kept)));
}

/** Deletes a text that is saved or discarded. */
export function removeUnsaved(entryId: string, place: Place): void {
  attempt(() => localStorage.removeItem(keyOf(entryId, place)));
}

/** Abandoned texts of a page: written by this tab before it was reloaded, or by a closed tab. */
export function unsavedOf(entryId: string): UnsavedText[] {
  const texts = attempt(() => {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(`${KEY_PREFIX}${entryId}:`));
    return keys.map((key) => attempt(() => JSON.parse(localStorage.getItem(key) ?? 'null') as UnsavedText | null));
  });
  return (texts ?? [])
    .filter((text) => text !== null)
    .filter(({ tab, writtenAt }) => tab === thisTab() || Date.now() - writtenAt > ABANDONED_AFTER_MS);
}

/** Deletes all unsaved texts, so that the next person at this browser cannot read them. */
export function removeAllUnsaved(): void {
  attempt(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith(KEY_PREFIX)) localStorage.removeItem(key);
  });
}
