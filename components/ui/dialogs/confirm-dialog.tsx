import { AlertDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { type Near, useReturnFocus } from '#components/ui/focus/focus.ts';

const t = translator('shared');

interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly body: string;
  /** Label of the button that confirms. */
  readonly confirm: string;
  /** `primary`: for an action that can be undone. Default `danger`. */
  readonly variant?: 'danger' | 'primary';
  readonly onConfirm: () => void;
  /** True while it cannot be confirmed yet. Default false. */
  readonly isWaiting?: boolean;
  /** Content between the text and the buttons. */
  readonly children?: ReactNode;
  /** Receives the focus if the element that had it is gone when the dialog closes. */
  readonly near?: Near;
}

/** A question before an action, with a button that runs the action and one that cancels. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  body,
  confirm,
  variant = 'danger',
  onConfirm,
  isWaiting = false,
  children,
  near,
}: ConfirmDialogProps) {
  const buttons = (
    <>
      <AlertDialog.Cancel asChild>
        <Button variant="ghost">{t('common.cancel')}</Button>
      </AlertDialog.Cancel>
      <AlertDialog.Action asChild>
        <Button variant={variant} disabled={isWaiting} onClick={onConfirm}>
          {confirm}
        </Button>
      </AlertDialog.Action>
    </>
  );
  return (
    <AlertFrame open={open} onOpenChange={onOpenChange}>
      <AlertContent width="narrow" title={title} body={body} buttons={buttons} near={near}>
        {children}
      </AlertContent>
    </AlertFrame>
  );
}

/** CSS classes of the widths of a question. */
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

/** The layer of a question over the page, which the user has to answer first. Contains an `AlertContent`. */
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
  /** Content between body and buttons; scrolls by itself. */
  readonly children?: ReactNode;
  readonly buttons: ReactNode;
  readonly near?: Near | undefined;
}

/** The content of a question: title, body and buttons. On closing, the focus returns to its former element. */
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
