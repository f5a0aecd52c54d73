import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button, IconButton } from '#components/ui/buttons';
import { ToastPlace } from '#components/ui/toast-place';
import { focusFirstField, focusItself, useReturnFocus } from '#components/ui/focus';
import { keepOpenForToasts } from '#components/ui/toasts';
import { strings } from '#components/words';

const WIDTHS = { narrow: 'w-[min(28rem,calc(100vw-1.5rem))]', wide: 'w-[min(36rem,calc(100vw-1.5rem))]' };

interface DialogLayerProps {
  /** Default true, for a dialog that is mounted while it is open. */
  readonly open?: boolean;
  readonly onClose: () => void;
  /** The `Dialog.Content`. */
  readonly children: ReactNode;
}

/** Lays a dialog over the dimmed page. */
export function DialogLayer({ open = true, onClose, children }: DialogLayerProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 bg-black/35" />
        {children}
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface FormDialogProps {
  readonly title: string;
  readonly width: keyof typeof WIDTHS;
  /** Label of the submit button. */
  readonly save: string;
  readonly isBusy: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  /** Result of the submission, visible however long the form is. */
  readonly outcome?: ReactNode;
  /** At the other end of the row of buttons. */
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}

/** A form in a dialog of its own: it begins at the first field, and the focus goes back to where it was. */
export function FormDialog({ onClose, ...content }: FormDialogProps) {
  return (
    <DialogLayer onClose={onClose}>
      <Content {...content} />
    </DialogLayer>
  );
}

function Content({ title, width, save, isBusy, onSubmit, outcome, extra, children }: Omit<FormDialogProps, 'onClose'>) {
  const returnFocus = useReturnFocus();
  return (
    <Dialog.Content
      aria-describedby={undefined}
      onOpenAutoFocus={focusFirstField}
      onCloseAutoFocus={returnFocus}
      className={`fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] ${WIDTHS[width]} -translate-1/2 flex-col rounded-xl border border-rule bg-sheet shadow-sheet outline-none`}
    >
      <DialogHeader title={title} />
      <form
        noValidate
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          // The page around it may be a form too.
          event.stopPropagation();
          onSubmit();
        }}
      >
        <div className={`flex min-h-0 flex-col overflow-y-auto px-5 py-5 ${width === 'wide' ? 'gap-5' : 'gap-4'}`}>
          {children}
        </div>
        {outcome}
        <ToastPlace rank="layer" />
        <footer className="flex flex-wrap justify-end gap-2 border-t border-rule px-5 py-3">
          {extra}
          <Dialog.Close asChild>
            <Button variant="ghost">{strings.common.cancel}</Button>
          </Dialog.Close>
          <Button type="submit" variant="primary" disabled={isBusy}>
            {save}
          </Button>
        </footer>
      </form>
    </Dialog.Content>
  );
}

interface ReadingDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Text to read over the page, open while mounted. It scrolls by itself, and the focus returns to where it was. */
export function ReadingDialog({ title, onClose, children }: ReadingDialogProps) {
  const returnFocus = useReturnFocus();
  return (
    <DialogLayer onClose={onClose}>
      <Dialog.Content
        aria-describedby={undefined}
        onOpenAutoFocus={focusItself}
        onInteractOutside={keepOpenForToasts}
        onCloseAutoFocus={returnFocus}
        className="fixed top-1/2 left-1/2 z-50 flex max-h-[min(46rem,calc(100dvh-2rem))] w-[min(42rem,calc(100vw-1.5rem))] -translate-1/2 flex-col rounded-xl border border-rule bg-sheet shadow-sheet outline-none"
      >
        <DialogHeader title={title} isName />
        <div className="min-h-0 overflow-y-auto px-5">{children}</div>
        <ToastPlace rank="layer" />
      </Dialog.Content>
    </DialogLayer>
  );
}

/** Title of a dialog and the button that closes it. With `isName`, a long title is cut. */
export function DialogHeader({ title, isName = false }: { readonly title: string; readonly isName?: boolean }) {
  return (
    <header className="flex shrink-0 items-center justify-between gap-3 border-b border-rule py-3 pr-3 pl-5">
      <Dialog.Title className={`font-serif text-xl font-medium ${isName ? 'min-w-0 truncate' : ''}`}>
        {title}
      </Dialog.Title>
      <Dialog.Close asChild>
        <IconButton label={strings.common.close} icon={<X aria-hidden />} />
      </Dialog.Close>
    </header>
  );
}
