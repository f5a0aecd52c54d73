import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { DialogHeader } from '#components/ui/dialog-header';
import { focusItself } from '#lib/focus/focus-itself';
import { keepOpenForToasts } from '#lib/ui/keep-open-for-toasts';
import { useReturnFocus } from '#lib/focus/use-return-focus';

interface ReadingDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Something to read over the page, as long as it is mounted; it scrolls by itself, and the focus goes back to where it was. */
export function ReadingDialog({ title, onClose, children }: ReadingDialogProps) {
  const returnFocus = useReturnFocus();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 bg-black/35" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusItself}
          onInteractOutside={keepOpenForToasts}
          onCloseAutoFocus={returnFocus}
          className="fixed top-1/2 left-1/2 z-50 flex max-h-[min(46rem,calc(100dvh-2rem))] w-[min(42rem,calc(100vw-1.5rem))] -translate-1/2 flex-col rounded-xl border border-rule bg-sheet shadow-sheet outline-none"
        >
          <DialogHeader title={title} isName />
          <div className="min-h-0 overflow-y-auto px-5">{children}</div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
