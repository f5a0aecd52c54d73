import clsx from 'clsx';
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect } from 'react';
import { translator } from '#components/i18n.ts';
import { IconButton } from '#components/ui/buttons';
import { keepOpenForToasts, ToastPlace } from '#components/ui/dialogs/toasts';
import { keepFieldInView } from '#components/ui/focus/field-in-view.ts';
import { focusItself, useReturnFocus } from '#components/ui/focus/focus.ts';

const t = translator('shared');

interface DialogLayerProps {
  /** Default true, for a dialog that is mounted only while open. */
  readonly open?: boolean;
  readonly onClose: () => void;
  /** The `Dialog.Content`. */
  readonly children: ReactNode;
}

/** Shows a dialog over the dimmed page. */
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

interface ReadingDialogProps {
  readonly title: string;
  /** True for content in columns. Default false. */
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Text to read over the page, open while mounted. Scrolls by itself, and returns the focus on closing. */
export function ReadingDialog({ title, isWide = false, onClose, children }: ReadingDialogProps) {
  const returnFocus = useReturnFocus();
  return (
    <DialogLayer onClose={onClose}>
      <Dialog.Content
        aria-describedby={undefined}
        onOpenAutoFocus={focusItself}
        onInteractOutside={keepOpenForToasts}
        onCloseAutoFocus={returnFocus}
        className={clsx(
          'fixed top-1/2 left-1/2 z-50 flex max-h-[min(46rem,calc(100dvh-2rem))] -translate-1/2 flex-col rounded-xl border border-rule bg-sheet shadow-sheet outline-none',
          isWide ? 'w-[min(60rem,calc(100vw-1.5rem))]' : 'w-[min(42rem,calc(100vw-1.5rem))]',
        )}
      >
        <DialogHeader title={title} isName />
        <div className="min-h-0 overflow-y-auto px-5">{children}</div>
        <ToastPlace rank="layer" />
      </Dialog.Content>
    </DialogLayer>
  );
}

interface DrawerProps {
  /** Accessible name. */
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A panel that slides over the page from the left, for screens too narrow to show it next to the page. Open while
 * mounted.
 */
export function Drawer({ title, onClose, children }: DrawerProps) {
  useEffect(keepFieldInView, []);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/35" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusItself}
          className="fixed inset-y-0 left-0 z-40 flex w-[min(19rem,85vw)] flex-col border-r border-rule bg-desk shadow-sheet outline-none"
        >
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          <div className="min-h-0 flex-1">{children}</div>
          <ToastPlace rank="layer" />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Title of a dialog with a close button. With `isName`, a long title is cut. */
export function DialogHeader({ title, isName = false }: { readonly title: string; readonly isName?: boolean }) {
  return (
    <header className="flex shrink-0 items-center justify-between gap-3 border-b border-rule py-3 pr-3 pl-5">
      <Dialog.Title className={`font-serif text-xl font-medium ${isName ? 'min-w-0 truncate' : ''}`}>
        {title}
      </Dialog.Title>
      <Dialog.Close asChild>
        <IconButton label={t('common.close')} icon={<X aria-hidden />} />
      </Dialog.Close>
    </header>
  );
}
