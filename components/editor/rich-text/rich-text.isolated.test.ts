import { Slice } from 'prosemirror-model';
import { type EditorState, Selection, type Transaction } from 'prosemirror-state';
import type { DirectEditorProps } from 'prosemirror-view';
import { afterEach, expect, it, vi } from 'vitest';
import { RichText } from '#components/editor/rich-text/rich-text.ts';

const PICTURE = 'https://lh3.googleusercontent.com/picture';

const { View, upload } = vi.hoisted(() => {
  /** The part of prosemirror-view's EditorView that needs no document. */
  class FakeView {
    state: EditorState;
    readonly isDestroyed = false;
    readonly pasteHTML = vi.fn();
    readonly #props: DirectEditorProps;

    constructor(_place: unknown, props: DirectEditorProps) {
      this.#props = props;
      this.state = props.state;
    }

    focus(): void {
      // Nothing to focus without a document.
    }

    updateState(state: EditorState): void {
      this.state = state;
    }

    dispatch(transaction: Transaction): void {
      this.#props.dispatchTransaction?.call(this as never, transaction);
    }

    paste(html: string): void {
      const clipboardData = { getData: (type: string) => (type === 'text/html' ? html : '') };
      this.#props.handlePaste?.call(undefined, this as never, { clipboardData } as never, Slice.empty);
    }
  }

  return { View: FakeView, upload: vi.fn() };
});

vi.mock('prosemirror-view', () => ({ EditorView: View }));
vi.mock('sonner', () => ({ toast: Object.assign(vi.fn(), { error: vi.fn() }) }));
vi.mock('#components/editor/rich-text/pasted-pictures.ts', async (actual) => ({
  ...(await actual<object>()),
  uploadPictures: upload,
}));

afterEach(() => vi.clearAllMocks());

it.each([
  ['shorter', 'Short.', 6],
  ['empty', '', 0],
  ['longer', 'First paragraph.\n\nSecond paragraph.\n\nThird.', 'Second paragraph.'.length],
])('pastes a text whose pictures are uploaded while the text becomes %s', async (_name, changed, offset) => {
  const uploaded = Promise.withResolvers<ReadonlyMap<string, string>>();
  upload.mockReturnValue(uploaded.promise);
  const markdown = 'First paragraph.\n\nSecond paragraph.';
  const text = new RichText({} as HTMLElement, {
    markdown,
    label: 'Body',
    onChange: vi.fn(),
    onLink: vi.fn(),
    onToolbar: vi.fn(),
  });
  const view = text.view as unknown as InstanceType<typeof View>;
  text.run((state, dispatch) => {
    dispatch?.(state.tr.setSelection(Selection.atEnd(state.doc)));
    return true;
  });

  view.paste(`<p>Pasted</p><img src="${PICTURE}">`);
  text.show(changed);
  uploaded.resolve(new Map([[PICTURE, '/media/picture.png']]));

  await vi.waitFor(() => expect(view.pasteHTML).toHaveBeenCalledWith(expect.stringContaining('/media/picture.png')));
  expect(view.state.selection.$head.parentOffset).toBe(offset);
});
