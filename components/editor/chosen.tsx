import { useSyncExternalStore } from 'react';
import { noteChosen } from '#components/desk/here';
import type { Section, SectionType } from '#server/core/content';
import { sectionName } from '#server/core/section-name';

/** The page that can be pointed at. */
interface OpenPage {
  /** On the site, `/` for the home page. */
  readonly path: string;
  readonly entryId: string;
  readonly sections: readonly Section[];
}

/** The chosen section of the open page, with the words selected on it. */
export interface Chosen {
  readonly path: string;
  readonly entryId: string;
  readonly sectionId: string;
  readonly kind: SectionType;
  /** Heading or first words; empty where it has none. */
  readonly name: string;
  /** Words that are selected; null: none are. */
  readonly text: string | null;
}

/** Characters of a selection that a message takes along, see server/http/schemas/chat. */
const MAX_TEXT = 4_000;

const listeners = new Set<() => void>();
let page: OpenPage | null = null;
let sectionId: string | null = null;
let text: string | null = null;
let chosen: Chosen | null = null;
let awaited: { readonly path: string; readonly sectionId: string } | null = null;

/** Notes the page that is shown; what was chosen on another one is let go. Null: none can be pointed at. */
export function noteSections(open: OpenPage | null): void {
  // What was chosen before the page was known stays: a click is faster than an answer.
  const isOther = page !== null && (open?.entryId !== page.entryId || open.path !== page.path);
  if (isOther) [sectionId, text] = [null, null];
  if (open !== null && open.path === awaited?.path) [sectionId, awaited] = [awaited.sectionId, null];
  page = open;
  update();
}

/** Chooses a section of the open page, which may be about to appear on it; null lets go of what is chosen. */
export function choose(id: string | null): void {
  if (id !== sectionId) text = null;
  sectionId = id;
  update();
}

/** Chooses a section of a page that is about to be opened. */
export function chooseOn(path: string, id: string): void {
  awaited = { path, sectionId: id };
}

/** Takes selected words of the chosen section along with the next message; null: no longer. */
export function chooseText(words: string | null): void {
  const cut = words?.trim().slice(0, MAX_TEXT).toWellFormed() ?? '';
  text = cut === '' ? null : cut;
  update();
}

/** The chosen section; null while none is, or while it is not on the page. */
export function useChosen(): Chosen | null {
  return useSyncExternalStore(subscribe, getChosen, () => null);
}

/** Returns what `useChosen` would, at this moment. */
export function getChosen(): Chosen | null {
  return chosen;
}

/** Id of the section that was chosen last, also before the page is known; null: it was let go. */
export function wantedSection(): string | null {
  return sectionId;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function update(): void {
  const next = read();
  if (isSame(next, chosen)) return;
  chosen = next;
  noteChosen(chosen);
  for (const listener of listeners) listener();
}

function read(): Chosen | null {
  const section = page?.sections.find(({ id }) => id === sectionId);
  if (!page || !section) return null;
  const { path, entryId } = page;
  return { path, entryId, sectionId: section.id, kind: section.type, name: sectionName(section), text };
}

function isSame(one: Chosen | null, other: Chosen | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Sections of the draft, as our page marks them; a page that its CMS shows marks each of their elements. */
export const SECTION = '.site-entry > section[data-kind], [data-section]';

/** The elements that show a section: one on a page of ours. */
export function sectionElements(shown: Document, id: string): readonly HTMLElement[] {
  const own = shown.getElementById(id);
  if (own?.matches(SECTION)) return [own];
  return [...shown.querySelectorAll<HTMLElement>(`[data-section="${CSS.escape(id)}"]`)];
}
