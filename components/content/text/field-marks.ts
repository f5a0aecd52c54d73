import { translator } from '#components/i18n.ts';
import { isDraftRoot, type SiteRoot } from '#components/content/text/site-href.ts';

const t = translator('draftPreview.empty');

/** Form of a text: one line, several lines, or Markdown. */
export type TextKind = 'line' | 'prose' | 'markdown';

/** Attributes of an element that shows a field. */
export interface FieldMark {
  readonly 'data-field'?: string;
  readonly 'data-text'?: TextKind;
  /** Placeholder that a style sheet shows while the field is empty. */
  readonly 'data-empty'?: string;
}

/**
 * Marks an element with the field that it shows. `text`: the whole content of the element is this text, which can be
 * edited in place.
 */
export type MarkField = (field: string, text?: TextKind) => FieldMark;

const unmarked: MarkField = () => ({});
const marked: MarkField = (field, text) => {
  const empty = t.find(field.split('.').at(-1) ?? '');
  return { 'data-field': field, ...(text && { 'data-text': text }), ...(empty && { 'data-empty': empty }) };
};

/**
 * The function that marks elements for the editor's tools: in drafts; on the published site, it returns no attributes.
 */
export function fieldMarks(root: SiteRoot): MarkField {
  return isDraftRoot(root) ? marked : unmarked;
}
