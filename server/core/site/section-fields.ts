import type { z } from 'zod';
import type { sectionDefinitions } from '#sections/fields';

/* Types of the fields of sections. A kind of section is a folder in `sections`. */

type SectionType = keyof typeof sectionDefinitions;

/** The fields of one section type, as stored. */
export type SectionFields<Type extends SectionType> = z.infer<(typeof sectionDefinitions)[Type]['fields']>;

/** A section whose fields are typed by its type. */
export type TypedSection = {
  [Type in SectionType]: { readonly id: string; readonly type: Type; readonly fields: SectionFields<Type> };
}[SectionType];
