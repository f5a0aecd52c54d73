import { X } from 'lucide-react';
import { AlertDialog, Dialog } from 'radix-ui';
import { type ReactNode, useEffect } from 'react';
import { Button, IconButton } from '#components/ui/buttons';
import { keepOpenForToasts, ToastPlace } from '#components/ui/toasts';
import { keepFieldInView } from '#components/ui/field-in-view';
import { focusItself, type Near, useReturnFocus } from '#components/ui/focus';
import { strings } from '#components/words';

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

interface DrawerProps {
  /** Its name, for screen readers. */
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A panel that slides over the page from the left, where there is no room beside it. Open while mounted. */
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

interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly body: string;
  readonly confirm: string;
  /** `primary`: for an action that can be undone. Default `danger`. */
  readonly variant?: 'danger' | 'primary';
  readonly onConfirm: () => void;
  /** Receives the focus if what had it is gone before the dialog is. */
  readonly near?: Near;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  body,
  confirm,
  variant = 'danger',
  onConfirm,
  near,
}: ConfirmDialogProps) {
  const buttons = (
    <>
      <AlertDialog.Cancel asChild>
        <Button variant="ghost">{strings.common.cancel}</Button>
      </AlertDialog.Cancel>
      <AlertDialog.Action asChild>
        <Button variant={variant} onClick={onConfirm}>
          {confirm}
        </Button>
      </AlertDialog.Action>
    </>
  );
  return (
    <AlertFrame open={open} onOpenChange={onOpenChange}>
      <AlertContent width="narrow" title={title} body={body} buttons={buttons} near={near} />
    </AlertFrame>
  );
}

const CONFIRM_WIDTHS = {
  narrow: 'w-[min(27rem,calc(100vw-2rem))]',
  medium: 'w-[min(30rem,calc(100vw-2rem))]',
  wide: 'w-[min(32rem,calc(100vw-2rem))]',
};

interface AlertFrameProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
}

/** A question over the page that has to be answered first. */
export function AlertFrame({ children, ...root }: AlertFrameProps) {
  return (
    <AlertDialog.Root {...root}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-50 bg-black/35" />
        {children}
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

interface AlertContentProps {
  readonly width: keyof typeof CONFIRM_WIDTHS;
  readonly title: string;
  readonly body: string;
  /** Content between body and buttons; it scrolls by itself. */
  readonly children?: ReactNode;
  readonly buttons: ReactNode;
  readonly near?: Near | undefined;
}

/** Title, body and buttons; the focus returns to where it was. */
export function AlertContent({ width, title, body, children, buttons, near }: AlertContentProps) {
  const returnFocus = useReturnFocus(undefined, near);
  return (
    <AlertDialog.Content
      onCloseAutoFocus={returnFocus}
      className={`fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] ${CONFIRM_WIDTHS[width]} -translate-1/2 flex-col rounded-xl border border-rule bg-sheet p-6 shadow-sheet`}
    >
      <AlertDialog.Title className="font-serif text-xl font-medium">{title}</AlertDialog.Title>
      <AlertDialog.Description aria-live="polite" className="mt-2 text-base text-ink-2">
        {body}
      </AlertDialog.Description>
      {children}
      <div className="mt-6 flex justify-end gap-2">{buttons}</div>
    </AlertDialog.Content>
  );
}
