import { baseKeymap } from 'prosemirror-commands';
import { history, redo, undo } from 'prosemirror-history';
import { inputRules, textblockTypeInputRule, undoInputRule, wrappingInputRule } from 'prosemirror-inputrules';
import { keymap } from 'prosemirror-keymap';
import { type Command, EditorState, Selection, TextSelection } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { askDesk } from '#components/desk/desk-requests';
import { cleanPaste } from '#components/editor/rich-text/clean-paste';
import {
  type Around,
  around,
  indentItem,
  newItem,
  newLine,
  outdentItem,
  toggleEm,
  toggleStrong,
} from '#components/editor/rich-text/commands';
import { readMarkdown, type ReadText } from '#components/editor/rich-text/read-markdown';
import { schema } from '#components/editor/rich-text/schema';
import { writeMarkdown } from '#components/editor/rich-text/write-markdown';

export interface RichTextOptions {
  readonly markdown: string;
  /** Accessible name of the text. */
  readonly label: string;
  readonly onChange: (markdown: string) => void;
  /** Ctrl+K. */
  readonly onLink: () => void;
  /** Escape. */
  readonly onLeave?: (() => void) | undefined;
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

/** A step back or forth in the text; where there is none, the newest of the site. */
function orOnSite(step: Command, request: 'undo' | 'redo'): Command {
  return (state, dispatch) => step(state, dispatch) || askDesk(request, null);
}

/** The editor of one Markdown text: what is typed comes back as Markdown in which nothing else is changed. */
export class RichText {
  readonly view: EditorView;
  readonly #options: RichTextOptions;
  readonly #listeners = new Set<() => void>();
  #read: ReadText;
  /** Newest text that was given or taken. */
  #markdown: string;
  #around: Around;

  constructor(place: HTMLElement, options: RichTextOptions) {
    this.#options = options;
    this.#markdown = options.markdown;
    this.#read = readMarkdown(options.markdown);
    const state = this.#stateOf();
    this.#around = around(state);
    this.view = new EditorView(place, {
      state,
      attributes: attributesOf(options.label),
      transformPastedHTML: cleanPaste,
      dispatchTransaction: (transaction) => {
        this.view.updateState(this.view.state.apply(transaction));
        if (transaction.docChanged) this.#changed();
        this.#tell();
      },
      // A link is followed where it is read, not where it is written.
      handleClick: (_view, _position, event) => {
        event.preventDefault();
        return false;
      },
    });
  }

  readonly getAround = (): Around => this.#around;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Does something with what is selected, and goes on there. */
  run(command: Command): void {
    command(this.view.state, (transaction) => this.view.dispatch(transaction));
    this.view.focus();
  }

  /** Takes over a text that came from elsewhere; one that came from here is already shown. */
  show(markdown: string): void {
    if (markdown === this.#markdown) return;
    const { head } = this.view.state.selection;
    this.#markdown = markdown;
    this.#read = readMarkdown(markdown);
    const state = this.#stateOf();
    const selection = Selection.near(state.doc.resolve(Math.min(head, state.doc.content.size)));
    this.view.updateState(state.apply(state.tr.setSelection(selection)));
    this.#tell();
  }

  /** Puts the cursor to a point of the screen, or behind the last word. */
  focus(point?: { readonly x: number; readonly y: number }): void {
    const { state } = this.view;
    const found = point && this.view.posAtCoords({ left: point.x, top: point.y });
    const selection = found ? TextSelection.near(state.doc.resolve(found.pos)) : Selection.atEnd(state.doc);
    this.view.dispatch(state.tr.setSelection(selection));
    this.view.focus();
  }

  /** Attributes for assistive technology, beside the name of the text. */
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

  #stateOf(): EditorState {
    const leave: Command = () => {
      this.#options.onLeave?.();
      return this.#options.onLeave !== undefined;
    };
    const link: Command = () => {
      this.#options.onLink();
      return true;
    };
    const keys = keymap({
      'Mod-b': toggleStrong,
      'Mod-i': toggleEm,
      'Mod-k': link,
      'Mod-z': orOnSite(undo, 'undo'),
      'Shift-Mod-z': orOnSite(redo, 'redo'),
      'Mod-y': orOnSite(redo, 'redo'),
      'Mod-]': indentItem,
      'Mod-[': outdentItem,
      'Shift-Enter': newLine,
      Enter: newItem,
      Backspace: undoInputRule,
      Escape: leave,
    });
    return EditorState.create({ doc: this.#read.doc, plugins: [rules, keys, keymap(baseKeymap), history()] });
  }

  #changed(): void {
    const markdown = writeMarkdown(this.#read, this.view.state.doc);
    if (markdown === this.#markdown) return;
    this.#markdown = markdown;
    this.#options.onChange(markdown);
  }

  #tell(): void {
    this.#around = around(this.view.state);
    for (const listener of this.#listeners) listener();
  }
}
