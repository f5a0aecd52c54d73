import type { z } from 'zod';
import type { JsonObject } from '#server/core/json';
import type { SiteTexts } from '#server/core/messages/site-texts';

/** Shapes of the small picture of a kind of section, from top to bottom; a list is drawn side by side. */
export type SketchRow = SketchShape | readonly SketchShape[];
export type SketchShape =
  | 'title'
  | 'line'
  | 'short'
  | 'button'
  | 'picture'
  | 'box'
  | 'field'
  | 'quote'
  | 'fold'
  | 'code';

/** How requests to the basic assistant name the fields of a section. */
export interface SpokenFields {
  /** Fields by the label that people use; `items.x` is a field of an entry of the list. */
  readonly labels: Readonly<Record<string, string>>;
  /** The field for content without a label. */
  readonly main?: string;
}

/** A kind of section: its fields, and what depends on them on the server. */
export interface SectionDefinition<Fields extends z.ZodObject = z.ZodObject> {
  /** Place among the kinds, in the dialog and in the definitions of tools. Prompt caches depend on it. */
  readonly order: number;
  /**
   * Strict: an unknown field is an error, never dropped. Parsing returns the keys in the order of the schema, so that
   * equal fields are equal text too. `layout` is omitted for the default layout.
   */
  readonly fields: Fields;
  /** Purpose in a few words, for the model. */
  readonly purpose: string;
  /** Values of required fields that were omitted on creation; a function of the site's texts, if there is text in them. */
  readonly defaults: JsonObject | ((texts: SiteTexts['defaults']) => JsonObject);
  /** The field without which the section shows nothing. */
  readonly main?: string;
  /** Absent: the basic assistant neither adds nor changes sections of this kind. */
  readonly spoken?: SpokenFields;
  /** Small picture of the kind, in the dialog that adds a section. */
  readonly sketch: readonly SketchRow[];
}

/** Defines a kind of section; keeps the type of its fields. */
export function defineSection<Fields extends z.ZodObject>(
  definition: SectionDefinition<Fields>,
): SectionDefinition<Fields> {
  return definition;
}
