import type { ChangeSet } from '#server/core/site/changes';
import type { Entry, Section } from '#server/core/site/content';
import { sectionTexts } from '#server/site/text/section-texts';

/* Finds pictures without alternative text in what a change has written. */

/** Note to the model about a picture without alternative text. */
export const MISSING_ALT_NOTE = 'alt is missing: describe it, or ask the user';

/** Fields that place or describe a picture. */
const PICTURE_FIELDS = new Set(['src', 'alt', 'image', 'imageAlt', 'images', 'items']);

function lacksAlt(section: Section): boolean {
  return sectionTexts(section, 0).some(
    ({ kind, text, alt }) => kind === 'image' && text.trim() !== '' && alt?.trim() === '',
  );
}

/** Sections in which a change has placed a picture that has no alternative text. */
export function sectionsWithoutAlt(entry: Entry, change: ChangeSet): readonly Section[] {
  const { sections } = entry.draft;
  const placed =
    change.action === 'create'
      ? sections
      : change.operations.flatMap((operation) => {
          if (operation.op === 'insert-section') return sections.filter(({ id }) => id === operation.section.id);
          if (operation.op !== 'set-section') return [];
          const isPlaced = Object.keys(operation.fields).some((field) => PICTURE_FIELDS.has(field));
          return isPlaced ? sections.filter(({ id }) => id === operation.sectionId) : [];
        });
  return placed.filter(lacksAlt);
}
