import type { ReactNode } from 'react';
import type { SiteContext } from '#components/content/site-context.ts';
import type { MarkField } from '#components/content/text/field-marks.ts';
import type { SectionFields, TypedSection } from '#server/core/site/section-fields';

/** What a section is shown with. */
export interface SectionProps<Type extends TypedSection['type']> {
  /** Id of the section. */
  readonly id: string;
  readonly fields: SectionFields<Type>;
  readonly site: SiteContext;
  /** Marks the elements that show a field, for the editor. */
  readonly mark: MarkField;
  /** True for the section with the page's main heading. */
  readonly hasMainHeading: boolean;
  /** True for a section that is visible without scrolling: its pictures load before others. */
  readonly loadsFirst: boolean;
  /** True if markup is shown as plain text, because the page has too much of it. */
  readonly isPlain: boolean;
}

/** A question with its answer, for search engines. */
export interface AnsweredQuestion {
  readonly question: string;
  readonly answer: string;
}

/** How a kind of section is shown on the site. */
export interface SectionDisplay<Type extends TypedSection['type']> {
  /** The content of the section; null for a section that shows nothing. */
  readonly Content: (props: SectionProps<Type>) => ReactNode;
  /** True for a section that visitors do not see at all. Default: they see every section. */
  readonly isHidden?: (fields: SectionFields<Type>) => boolean;
  /** Addresses of its pictures, for link previews. Default: none. */
  readonly pictures?: (fields: SectionFields<Type>) => readonly (string | undefined)[];
  /** What it answers, for search engines. Default: nothing. */
  readonly questions?: (fields: SectionFields<Type>) => readonly AnsweredQuestion[];
  /**
   * Facts about the business, for search engines: properties of schema.org's LocalBusiness; undefined: there are none.
   * Sections with one of the example addresses may be unchanged examples, which are no facts.
   */
  readonly business?: (fields: SectionFields<Type>, exampleAddresses: readonly string[]) => object | undefined;
}
