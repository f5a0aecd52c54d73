import { fetchedLater } from '#components/ui/fetched-later';
import type { RichTextEditorProps } from '#components/editor/rich-text/rich-text-editor';

/** A Markdown text that is written as it looks, with its tools. Its code comes when it is first shown. */
export const MarkdownEditor = fetchedLater<RichTextEditorProps>(
  async () => (await import('#components/editor/rich-text/rich-text-editor')).RichTextEditor,
  ({ value, look }) =>
    look === 'bare' ? null : (
      <div
        aria-busy
        className="rounded-md border border-rule-strong bg-sheet px-3 pt-12 pb-2.5 font-serif whitespace-pre-wrap"
      >
        {value}
      </div>
    ),
);
