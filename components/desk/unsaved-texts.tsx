import type { JsonValue } from '#server/core/json';

/** A field of a section, or (sectionId null) of the page itself. */
interface Place {
  readonly sectionId: string | null;
  readonly field: string;
}

/** A value that was written and is not known to be saved, as the browser keeps it. */
export interface UnsavedText {
  readonly place: Place;
  readonly value: JsonValue;
  /** Values that it may replace: the one it was written over, and what of it has been sent since. */
  readonly over: readonly JsonValue[];
  /** Tab that wrote it. */
  readonly tab: string;
  /** Epoch milliseconds. */
  readonly writtenAt: number;
}

const PREFIX = 'throughline-unsaved:';
const TAB = 'throughline-tab';
/** After this long without a letter, a text of another tab is taken for left behind; ms. */
const LEFT_BEHIND_MS = 15_000;

const keyOf = (entryId: string, { sectionId, field }: Place) => `${PREFIX}${entryId}:${sectionId ?? ''}:${field}`;

/** Storage can be full, or switched off. Texts then live as long as the page does. */
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
  ownTab ??= attempt(() => sessionStorage.getItem(TAB)) ?? undefined;
  if (ownTab === undefined) {
    const made = crypto.randomUUID();
    ownTab = made;
    attempt(() => sessionStorage.setItem(TAB, made));
  }
  return ownTab;
}

/** Keeps a text until it is forgotten, also when the page is closed. */
export function keepUnsaved(entryId: string, text: Pick<UnsavedText, 'place' | 'value' | 'over'>): void {
  const kept: UnsavedText = { ...text, tab: thisTab(), writtenAt: Date.now() };
  attempt(() => localStorage.setItem(keyOf(entryId, text.place), JSON.stringify(kept)));
}

/** Forgets a text that is saved, or that nobody wants. */
export function forgetUnsaved(entryId: string, place: Place): void {
  attempt(() => localStorage.removeItem(keyOf(entryId, place)));
}

/** Texts of a page that were left behind: by this tab before it was loaded anew, or by one that is gone. */
export function leftBehind(entryId: string): UnsavedText[] {
  const texts = attempt(() => {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}${entryId}:`));
    return keys.map((key) => attempt(() => JSON.parse(localStorage.getItem(key) ?? 'null') as UnsavedText | null));
  });
  return (texts ?? [])
    .filter((text) => text !== null)
    .filter(({ tab, writtenAt }) => tab === thisTab() || Date.now() - writtenAt > LEFT_BEHIND_MS);
}

/** Forgets all of them: the next person at this browser is not to read them. */
export function forgetAllUnsaved(): void {
  attempt(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  });
}
