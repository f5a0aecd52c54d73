import type { SectionDisplay } from '#components/content/section-props.ts';
import type { Section, SectionType } from '#server/core/site/content';
import type { SectionFields } from '#server/core/site/section-fields';
import { sectionViews } from '#sections/views';

const displays: { readonly [Type in SectionType]: SectionDisplay<Type> } = sectionViews;

/** How a section is shown, and its fields. */
export interface DisplayedSection {
  readonly display: SectionDisplay<SectionType>;
  readonly fields: SectionFields<SectionType>;
}

/** The display of a section, by its type. */
export function displayOf({ type, fields }: Section): DisplayedSection {
  // Every write validates the fields against the type, see server/site/section-types.
  return { display: displays[type], fields: fields as SectionFields<SectionType> };
}
