import { baseKeymap, chainCommands } from 'prosemirror-commands';
import { history, redo, undo } from 'prosemirror-history';
import { inputRules, textblockTypeInputRule, undoInputRule, wrappingInputRule } from 'prosemirror-inputrules';
import { keymap } from 'prosemirror-keymap';
import { type Command, EditorState, Selection, type SelectionBookmark, TextSelection } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { atom, type ReadableAtom, type WritableAtom } from 'nanostores';
import { toast } from 'sonner';
import { cleanPaste } from '#components/editor/rich-text/clean-paste.ts';
import { type CopiedPictures, copiedPictures, uploadPictures } from '#components/editor/rich-text/pasted-pictures.ts';
import { translator } from '#components/i18n.ts';
import {
  type CursorContext,
  cursorContext,
  indentItem,
  newItem,
  newLine,
  outdentItem,
  outdentNested,
  toggleCode,
  toggleEm,
  toggleStrike,
  toggleStrong,
} from '#components/editor/rich-text/commands.ts';
import { readMarkdown, type ReadText } from '#components/editor/rich-text/read-markdown.ts';
import { schema } from '#components/editor/rich-text/schema.ts';
import { cellBelow, leaveAtEdge, nextCell, previousCell } from '#components/editor/rich-text/table-commands.ts';
import { sliceForCell, tablePlugins } from '#components/editor/rich-text/table-rules.ts';
import { writeMarkdown } from '#components/editor/rich-text/write-markdown.ts';

const t = translator('richText');

/** Options of an editor of a Markdown text. */
export interface RichTextOptions {
  readonly markdown: string;
  /** Accessible name of the text. */
  readonly label: string;
  /** Called after each edit. */
  readonly onChange: (markdown: string) => void;
  /** Called on Ctrl+K. */
  readonly onLink: () => void;
  /** Called on Alt+F10, which leads to the toolbar as in WordPress. */
  readonly onToolbar: () => void;
  /** Called on Escape. */
  readonly onLeave?: (() => void) | undefined;
  /**
   * Called on the keys of undo and redo if the text has no such step. Default: the keys have no effect then.
   */
  readonly onUndoBeyond?: ((step: 'undo' | 'redo') => void) | undefined;
}

const { nodes } = schema;

const rules = inputRules({
  rules: [
    textblockTypeInputRule(/^(#{1,4})\s$/, nodes.heading, (match) => ({ level: match[1]?.length ?? 1 })),
    wrappingInputRule(/^\s*>\s$/, nodes.blockquote),
    wrappingInputRule(/^\s*[-+*]\s$/, nodes.bullet_list),
    wrappingInputRule(/^(\d{1,4})[.)]\s$/, nodes.ordered_list, (match) => ({ start: Number(match[1]) })),
  ],
});

function attributesOf(label: string): Record<string, string> {
  return { role: 'textbox', 'aria-multiline': 'true', 'aria-label': label, class: 'rich-text' };
}

/** The editor of one Markdown text, which it returns as Markdown: unedited blocks keep their original Markdown. */
export class RichText {
  readonly view: EditorView;
  readonly #options: RichTextOptions;
  /** Places of pastes whose pictures are being uploaded. */
  readonly #pastes = new Set<{ place: SelectionBookmark }>();
  #read: ReadText;
  /** The latest text, set or reported. */
  #markdown: string;
  readonly #cursor: WritableAtom<CursorContext>;
  /** What is around the cursor. */
  readonly cursor: ReadableAtom<CursorContext>;

  constructor(place: HTMLElement, options: RichTextOptions) {
    this.#options = options;
    this.#markdown = options.markdown;
    this.#read = readMarkdown(options.markdown);
    const state = this.#createState();
    this.cursor = this.#cursor = atom(cursorContext(state));
    this.view = new EditorView(place, {
      state,
      attributes: attributesOf(options.label),
      transformPastedHTML: (html) => this.#clean(html),
      handlePaste: (view, event, slice) => {
        const html = event.clipboardData?.getData('text/html') ?? '';
        const { found, missing } = copiedPictures(html, event.clipboardData?.getData('text/rtf'));
        if (missing > 0) toast.error(t('picturesNotCopied', { count: missing }));
        if (found.size > 0) void this.#pasteWithPictures(html, found);
        const line = found.size > 0 ? null : sliceForCell(view.state, slice);
        if (line !== null) {
          view.dispatch(view.state.tr.replaceSelection(line.slice).scrollIntoView());
          if (line.isSimplified) toast(t('simplified.cellLines'));
        }
        return found.size > 0 || line !== null;
      },
      dispatchTransaction: (transaction) => {
        this.view.updateState(this.view.state.apply(transaction));
        for (const waiting of this.#pastes) waiting.place = waiting.place.map(transaction.mapping);
        if (transaction.docChanged) this.#reportMarkdown();
        this.#notify();
      },
      // Links are not followed in an editor.
      handleClick: (_view, _position, event) => {
        event.preventDefault();
        return false;
      },
    });
  }

  /** Runs a command on the selection, and keeps the focus in the text. */
  run(command: Command): void {
    command(this.view.state, (transaction) => this.view.dispatch(transaction));
    this.view.focus();
  }

  /**
   * Shows a text that was changed elsewhere; a text reported by this editor is displayed already. Discards the undo
   * history, whose steps belong to the former text. The cursor, and pastes whose pictures are being uploaded, stay at
   * the same position as far as the new text reaches.
   */
  show(markdown: string): void {
    if (markdown === this.#markdown) return;
    const { doc: former, selection } = this.view.state;
    this.#markdown = markdown;
    this.#read = readMarkdown(markdown);
    const state = this.#createState();
    const near = (position: number) => Selection.near(state.doc.resolve(Math.min(position, state.doc.content.size)));
    // A bookmark beyond the end of the new text could not be resolved.
    for (const paste of this.#pastes) paste.place = near(paste.place.resolve(former).head).getBookmark();
    this.view.updateState(state.apply(state.tr.setSelection(near(selection.head))));
    this.#notify();
  }

  /** Moves the cursor to a point of the screen, or to the end of the text. */
  focus(point?: { readonly x: number; readonly y: number }): void {
    const { state } = this.view;
    const found = point && this.view.posAtCoords({ left: point.x, top: point.y });
    const selection = found ? TextSelection.near(state.doc.resolve(found.pos)) : Selection.atEnd(state.doc);
    this.view.dispatch(state.tr.setSelection(selection));
    this.view.focus();
  }

  /** Attributes for assistive technology, in addition to the name of the text. */
  describe(ids: string | undefined, isInvalid: boolean): void {
    const { label } = this.#options;
    this.view.setProps({
      attributes: {
        ...attributesOf(label),
        ...(ids !== undefined && { 'aria-describedby': ids }),
        ...(isInvalid && { 'aria-invalid': 'true' }),
      },
    });
  }

  destroy(): void {
    this.view.destroy();
  }

  #createState(): EditorState {
    const leave: Command = () => {
      this.#options.onLeave?.();
      return this.#options.onLeave !== undefined;
    };
    const { onUndoBeyond } = this.#options;
    const orBeyond =
      (command: Command, step: 'undo' | 'redo'): Command =>
      (state, dispatch) => {
        if (command(state, dispatch)) return true;
        onUndoBeyond?.(step);
        return onUndoBeyond !== undefined;
      };
    const link: Command = () => {
      this.#options.onLink();
      return true;
    };
    const toolbar: Command = () => {
      this.#options.onToolbar();
      return true;
    };
    const keys = keymap({
      'Mod-b': toggleStrong,
      'Mod-i': toggleEm,
      'Mod-Shift-x': toggleStrike,
      'Mod-e': toggleCode,
      'Mod-k': link,
      'Mod-z': orBeyond(undo, 'undo'),
      'Shift-Mod-z': orBeyond(redo, 'redo'),
      'Mod-y': orBeyond(redo, 'redo'),
      'Mod-]': indentItem,
      'Mod-[': outdentItem,
      // Where there is nothing to indent, the key goes on to the next field.
      Tab: chainCommands(nextCell, indentItem),
      'Shift-Tab': chainCommands(previousCell, outdentNested),
      'Shift-Enter': chainCommands(cellBelow, newLine),
      Enter: chainCommands(cellBelow, newItem),
      ArrowUp: leaveAtEdge('before'),
      ArrowDown: leaveAtEdge('after'),
      'Alt-F10': toolbar,
      Backspace: undoInputRule,
      Escape: leave,
    });
    const plugins = [rules, keys, ...tablePlugins, keymap(baseKeymap), history()];
    return EditorState.create({ doc: this.#read.doc, plugins });
  }

  /** Pastes where the selection was, once the pictures are in the media library. */
  async #pasteWithPictures(html: string, pictures: CopiedPictures['found']): Promise<void> {
    const paste = { place: this.view.state.selection.getBookmark() };
    this.#pastes.add(paste);
    toast(t('copyingPictures', { count: pictures.size }));
    const addresses = await uploadPictures(pictures);
    this.#pastes.delete(paste);
    const missing = pictures.size - addresses.size;
    if (missing > 0) toast.error(t('picturesFailed', { count: missing }));
    if (this.view.isDestroyed) return;
    const { state } = this.view;
    this.view.dispatch(state.tr.setSelection(paste.place.resolve(state.doc)));
    this.view.pasteHTML(cleanPaste(html, addresses).html);
  }

  /** Cleans pasted HTML, and tells the user what a text cannot hold. */
  #clean(html: string): string {
    const { html: clean, simplified } = cleanPaste(html);
    for (const what of simplified) toast(t(`simplified.${what}`));
    return clean;
  }

  #reportMarkdown(): void {
    const markdown = writeMarkdown(this.#read, this.view.state.doc);
    if (markdown === this.#markdown) return;
    this.#markdown = markdown;
    this.#options.onChange(markdown);
  }

  #notify(): void {
    this.#cursor.set(cursorContext(this.view.state));
  }
}
