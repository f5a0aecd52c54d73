import { editorStrings } from '#components/content/text/words';
import { isDraftRoot, type SiteRoot } from '#components/content/text/site-href';

/** Form of a text: one line, several lines, or Markdown. */
export type TextKind = 'line' | 'prose' | 'markdown';

interface FieldMark {
  readonly 'data-field'?: string;
  readonly 'data-text'?: TextKind;
  /** Hint that a style sheet shows while the field is empty. */
  readonly 'data-empty'?: string;
}

/** Marks an element with the field that it shows. `text`: its whole content is this text, which can be written there. */
export type MarkField = (field: string, text?: TextKind) => FieldMark;

const unmarked: MarkField = () => ({});
const marked: MarkField = (field, text) => {
  const empty = (editorStrings.empty as Readonly<Record<string, string>>)[field.split('.').at(-1) ?? ''];
  return { 'data-field': field, ...(text && { 'data-text': text }), ...(empty && { 'data-empty': empty }) };
};

/** Marks for the editor's tools, in drafts alone: the published site has none. */
export function fieldMarks(root: SiteRoot): MarkField {
  return isDraftRoot(root) ? marked : unmarked;
}
