import { Dialog } from 'radix-ui';
import { useRef, useState } from 'react';
import { kindName, kindPurpose } from '#components/editor/model/field-labels.ts';
import { sketches } from '#sections/kinds';
import { KindPicture } from '#components/editor/panels/kind-picture';
import { sectionExample } from '#components/editor/section-examples.ts';
import { usePageEditor } from '#components/editor/model/page-editor.ts';
import { translator } from '#components/i18n.ts';
import { DialogHeader, DialogLayer } from '#components/ui/dialogs/dialogs';
import { useReturnFocus } from '#components/ui/focus/focus.ts';
import type { SectionType } from '#server/core/site/content';
import { createShortId } from '#server/core/ids';

const t = translator('addSection');
const kinds = Object.keys(sketches) as SectionType[];

interface AddSectionProps {
  /** Path of the displayed page. */
  readonly path: string;
  /** Index of the new section; 0 is before all others. */
  readonly index: number;
  /** Called with the id of the section that was added, once the dialog has closed. */
  readonly onAdded: (sectionId: string) => void;
  readonly onClose: () => void;
}

/** Dialog with pictures of all kinds of sections, to add one. */
export function AddSection(props: AddSectionProps) {
  return (
    <DialogLayer onClose={props.onClose}>
      <Content {...props} />
    </DialogLayer>
  );
}

function Content({ path, index, onAdded, onClose }: AddSectionProps) {
  const { editor } = usePageEditor(path);
  const addedId = useRef<string | null>(null);
  // Not earlier: what opens then would lose the focus that the dialog returns.
  const returnFocus = useReturnFocus(() => {
    if (addedId.current !== null) onAdded(addedId.current);
  });
  const [isBusy, setIsBusy] = useState(false);
  const add = async (type: SectionType) => {
    if (isBusy) return;
    setIsBusy(true);
    const id = createShortId('sec');
    const section = { id, type, fields: sectionExample(type) };
    const isAdded = await editor.apply(
      [{ op: 'insert-section', section, index }],
      t('added', { kind: kindName(type) }),
    );
    setIsBusy(false);
    if (!isAdded) return;
    addedId.current = id;
    onClose();
  };
  return (
    <Dialog.Content
      aria-describedby={undefined}
      onOpenAutoFocus={focusFirstKind}
      onCloseAutoFocus={returnFocus}
      className="fixed top-1/2 left-1/2 z-50 flex max-h-[min(44rem,calc(100dvh-2rem))] w-[min(46rem,calc(100vw-1.5rem))] -translate-1/2 flex-col rounded-xl border border-rule bg-sheet shadow-sheet outline-none"
    >
      <DialogHeader title={t('title')} />
      <ul
        aria-label={t('kinds')}
        aria-busy={isBusy}
        className="grid min-h-0 grid-cols-1 gap-2 overflow-y-auto p-4 sm:grid-cols-2 md:grid-cols-3"
      >
        {kinds.map((type) => (
          <li key={type}>
            <button
              type="button"
              onClick={() => void add(type)}
              className="group flex h-full w-full gap-3 rounded-lg border border-rule p-2 text-left hover:border-ink-3 sm:flex-col sm:gap-2"
            >
              <KindPicture type={type} className="w-24 shrink-0 rounded-md bg-desk sm:w-full" />
              <span className="px-0.5 pb-1">
                <span className="block text-sm font-medium">{kindName(type)}</span>
                <span className="block text-xs text-ink-2">{kindPurpose(type)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog.Content>
  );
}

function focusFirstKind(event: Event): void {
  event.preventDefault();
  (event.currentTarget as HTMLElement).querySelector<HTMLElement>('li button')?.focus();
}
