import { atom, type ReadableAtom } from 'nanostores';
import { useStore } from '#components/ui/hooks.ts';
import { reportSelection } from '#components/workspace/current-view.ts';
import type { Section, SectionType } from '#server/core/site/content';
import { sectionName } from '#server/core/site/section-name';

/** The page whose sections can be chosen. */
interface OpenPage {
  /** Path on the site, `/` for the home page. */
  readonly path: string;
  readonly entryId: string;
  readonly sections: readonly Section[];
}

/** The chosen section of the open page, with the text selected in it. */
export interface Chosen {
  readonly path: string;
  readonly entryId: string;
  readonly sectionId: string;
  readonly kind: SectionType;
  /** Heading or first words; empty if it has neither. */
  readonly name: string;
  /** Selected text; null: none. */
  readonly text: string | null;
}

/** Most characters of selected text that a message can contain, see server/http/schemas/chat. */
const MAX_TEXT = 4_000;

/* The preview shows one page at a time, so the selection belongs to the browser window and not to a component. */
let page: OpenPage | null = null;
/** Id of the chosen section, which the open page may not have, or not have yet. */
let sectionId: string | null = null;
/** Text selected in the chosen section. */
let text: string | null = null;
/** The selection that components show. */
const chosen = atom<Chosen | null>(null);
/** Section to choose when the page at a path is opened. */
let awaited: { readonly path: string; readonly sectionId: string } | null = null;

/** Sets the open page; a choice on another page is cleared. Null: no page with choosable sections. */
export function setOpenPage(open: OpenPage | null): void {
  // A choice made before the page was loaded is kept, because a click is faster than a response.
  const isOther = page !== null && (open?.entryId !== page.entryId || open.path !== page.path);
  if (isOther) [sectionId, text] = [null, null];
  if (open !== null && open.path === awaited?.path) [sectionId, awaited] = [awaited.sectionId, null];
  page = open;
  update();
}

/** Chooses a section of the open page, which may not be rendered yet; null clears the choice. */
export function choose(id: string | null): void {
  if (id !== sectionId) text = null;
  sectionId = id;
  update();
}

/** Chooses a section of a page that is about to be opened; takes effect in `setOpenPage`. */
export function chooseOn(path: string, id: string): void {
  awaited = { path, sectionId: id };
}

/** A section that the displayed page has to scroll to; a new object for each request. */
interface RevealedSection {
  readonly sectionId: string;
  /** True: once the page has been loaded again, because the section is not there yet. */
  readonly isComing: boolean;
}

const revealed = atom<RevealedSection | null>(null);

/** The newest section to scroll to. */
export const revealedSection: ReadableAtom<RevealedSection | null> = revealed;

/** Scrolls to a section of the displayed page. */
export function revealSection(id: string): void {
  revealed.set({ sectionId: id, isComing: false });
}

/** Scrolls to a section once the page has been loaded again. */
export function revealAfterLoad(id: string): void {
  revealed.set({ sectionId: id, isComing: true });
}

/** Adds selected text of the chosen section to the next message, cut to MAX_TEXT; null or blank text removes it. */
export function chooseText(selected: string | null): void {
  const cut = selected?.trim().slice(0, MAX_TEXT).toWellFormed() ?? '';
  text = cut === '' ? null : cut;
  update();
}

/** The chosen section; null without a choice, or if the page does not have it. */
export function useChosen(): Chosen | null {
  return useStore(chosen);
}

/** The present value of `useChosen`. */
export function getChosen(): Chosen | null {
  return chosen.get();
}

/** Id of the last chosen section, even before the page is loaded; null after the choice was cleared. */
export function lastChosenId(): string | null {
  return sectionId;
}

function update(): void {
  const next = read();
  if (isSame(next, chosen.get())) return;
  chosen.set(next);
  reportSelection(next);
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
