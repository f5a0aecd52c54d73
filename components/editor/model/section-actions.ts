import { announcement } from '#components/editor/model/announcements.ts';
import { choose, getChosen, revealAfterLoad } from '#components/editor/model/selection.ts';
import { sectionTitle } from '#components/editor/model/field-labels.ts';
import type { PageEditor } from '#components/editor/model/page-editor.ts';
import { translator } from '#components/i18n.ts';
import type { SectionContent } from '#server/core/site/content';
import { createShortId } from '#server/core/ids';
import { sectionName } from '#server/core/site/section-name';

const t = translator('pageSections');

/** Display name of a section: its kind, and its heading or first words. */
function nameOf(section: SectionContent): string {
  return sectionTitle(section.type, sectionName(section));
}

function placeOf(editor: PageEditor, sectionId: string) {
  const sections = editor.getState().document?.sections ?? [];
  const index = sections.findIndex(({ id }) => id === sectionId);
  return { sections, index, section: sections[index] };
}

/**
 * Moves a section to a position on its page, counted from 0; a position outside the page means its first or last one.
 * False if the section did not move. Like the other functions here, it informs the user of a refused change itself.
 */
export async function moveSection(editor: PageEditor, sectionId: string, to: number): Promise<boolean> {
  const { sections, index } = placeOf(editor, sectionId);
  const place = Math.max(0, Math.min(to, sections.length - 1));
  if (index === -1 || place === index) return false;
  const isMoved = await editor.apply([{ op: 'move-section', sectionId, index: place }]);
  if (!isMoved) return false;
  announcement.set(t('moved', { place: place + 1, count: sections.length }));
  revealAfterLoad(sectionId);
  return true;
}

/** Moves a section one place up (-1) or down (1). False if the section did not move. */
export async function stepSection(editor: PageEditor, sectionId: string, by: -1 | 1): Promise<boolean> {
  return moveSection(editor, sectionId, placeOf(editor, sectionId).index + by);
}

/** Inserts a copy of a section below the section, and chooses the copy. */
export async function duplicateSection(editor: PageEditor, sectionId: string): Promise<void> {
  const { index, section } = placeOf(editor, sectionId);
  if (!section) return;
  const id = createShortId('sec');
  if (!(await editor.apply([{ op: 'insert-section', section: { ...section, id }, index: index + 1 }]))) return;
  choose(id);
  revealAfterLoad(id);
}

/** Removes a section, offers an undo in a toast, and chooses the next section if this one was chosen. */
export async function removeSection(editor: PageEditor, sectionId: string): Promise<void> {
  const { sections, index, section } = placeOf(editor, sectionId);
  if (!section) return;
  const isChosen = getChosen()?.sectionId === sectionId;
  const words = t('removed', { what: nameOf(section) });
  if (!(await editor.apply([{ op: 'remove-section', sectionId }], words))) return;
  if (isChosen) choose((sections[index + 1] ?? sections[index - 1])?.id ?? null);
}
