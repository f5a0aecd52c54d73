import { askDesk } from '#components/desk/desk-requests';
import { choose, getChosen } from '#components/editor/chosen';
import { kindWords } from '#components/editor/field-words';
import type { PageEditor } from '#components/editor/page-editor';
import { pointStrings } from '#components/editor/words';
import type { Section } from '#server/core/content';
import { createShortId } from '#server/core/ids';
import { sectionName } from '#server/core/section-name';

/** Name of a section as people read it: its kind, and its heading or first words. */
function nameOf(section: Pick<Section, 'type' | 'fields'>): string {
  return pointStrings.section(kindWords[section.type].name, sectionName(section));
}

function placeOf(editor: PageEditor, sectionId: string) {
  const sections = editor.getState().document?.sections ?? [];
  const index = sections.findIndex(({ id }) => id === sectionId);
  return { sections, index, section: sections[index] };
}

/** Moves a section to a place among its page's sections, counted from 0. False: it did not move. */
export async function moveSection(editor: PageEditor, sectionId: string, to: number): Promise<boolean> {
  const { sections, index } = placeOf(editor, sectionId);
  const place = Math.max(0, Math.min(to, sections.length - 1));
  if (index === -1 || place === index) return false;
  const isMoved = await editor.apply([{ op: 'move-section', sectionId, index: place }]);
  if (!isMoved) return false;
  announce(pointStrings.moved(place + 1, sections.length));
  askDesk('reveal-section', { sectionId, isComing: true });
  return true;
}

/** Moves a section one place up (-1) or down (1). */
export async function stepSection(editor: PageEditor, sectionId: string, by: -1 | 1): Promise<boolean> {
  return moveSection(editor, sectionId, placeOf(editor, sectionId).index + by);
}

/** Puts a copy of a section below it, and chooses the copy. */
export async function duplicateSection(editor: PageEditor, sectionId: string): Promise<void> {
  const { index, section } = placeOf(editor, sectionId);
  if (!section) return;
  const id = createShortId('sec');
  if (!(await editor.apply([{ op: 'insert-section', section: { ...section, id }, index: index + 1 }]))) return;
  choose(id);
  askDesk('reveal-section', { sectionId: id, isComing: true });
}

/** Removes a section with a toast that brings it back, and chooses its neighbour. */
export async function removeSection(editor: PageEditor, sectionId: string): Promise<void> {
  const { sections, index, section } = placeOf(editor, sectionId);
  if (!section) return;
  const isChosen = getChosen()?.sectionId === sectionId;
  const words = pointStrings.removed(nameOf(section));
  if (!(await editor.apply([{ op: 'remove-section', sectionId }], words))) return;
  if (isChosen) choose((sections[index + 1] ?? sections[index - 1])?.id ?? null);
}

const listeners = new Set<(words: string) => void>();

function announce(words: string): void {
  for (const listener of listeners) listener(words);
}

/** Calls `listener` with words for screen readers; gives back what ends that. */
export function onAnnounced(listener: (words: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
