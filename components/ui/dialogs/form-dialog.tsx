import { Dialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { useBack } from '#components/ui/dialogs/back-button.ts';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { DialogHeader, DialogLayer } from '#components/ui/dialogs/dialogs';
import { focusFirstField, type Near, useReturnFocus } from '#components/ui/focus/focus.ts';
import { keepOpenForToasts, ToastPlace } from '#components/ui/dialogs/toasts';

const t = translator('shared');

const WIDTHS = { narrow: 'w-[min(28rem,calc(100vw-1.5rem))]', wide: 'w-[min(36rem,calc(100vw-1.5rem))]' };

interface FormDialogProps {
  readonly title: string;
  readonly width: keyof typeof WIDTHS;
  /** Label of the submit button. */
  readonly save: string;
  /** True while an action of the dialog runs; the form cannot be submitted then. */
  readonly isBusy: boolean;
  /** True while the input is being sent, so that closing the dialog loses nothing. Default: `isBusy`. */
  readonly isSent?: boolean;
  /** True if closing the dialog would lose something other than the value of a field, such as a choice by a button. */
  readonly isChanged?: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  /** Result of the submission, visible for forms of any length. */
  readonly outcome?: ReactNode;
  /** Shown at the other end of the button row. */
  readonly extra?: ReactNode;
  /** On closing, finds an element for the focus if the one that had it is gone. */
  readonly near?: Near;
  readonly children: ReactNode;
}

/**
 * A form in a dialog: focuses the first field, and returns the focus on closing. Asks for confirmation before unsaved
 * input is lost, except for the Cancel button and while the input is being sent.
 */
export function FormDialog(props: FormDialogProps) {
  const { isBusy, isSent = isBusy, isChanged = false, onClose } = props;
  const [isDirty, setIsDirty] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const isUnsaved = (isDirty || isChanged) && !isSent;
  useBack(isUnsaved, () => setIsAsking(true));
  return (
    <>
      <DialogLayer onClose={() => (isUnsaved ? setIsAsking(true) : onClose())}>
        <Content {...props} onChange={() => setIsDirty(true)} />
      </DialogLayer>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('unsaved.title')}
        body={t('unsaved.body')}
        confirm={t('unsaved.leave')}
        onConfirm={onClose}
      />
    </>
  );
}

interface ContentProps extends FormDialogProps {
  /** Called on every change of a field. */
  readonly onChange: () => void;
}

function Content({ title, width, save, isBusy, onSubmit, onClose, onChange, children, ...form }: ContentProps) {
  const returnFocus = useReturnFocus(undefined, form.near);
  return (
    <Dialog.Content
      aria-describedby={undefined}
      onOpenAutoFocus={focusFirstField}
      onInteractOutside={keepOpenForToasts}
      onCloseAutoFocus={returnFocus}
      className={`fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] ${WIDTHS[width]} -translate-1/2 flex-col rounded-xl border border-rule bg-sheet shadow-sheet outline-none`}
    >
      <DialogHeader title={title} />
      <form
        noValidate
        className="flex min-h-0 flex-col"
        // React also reports changes in a dialog that was opened from the form.
        onChange={(event) => event.currentTarget.contains(event.target) && onChange()}
        onSubmit={(event) => {
          event.preventDefault();
          // The surrounding page may be a form too.
          event.stopPropagation();
          if (!isBusy) onSubmit();
        }}
      >
        <div className={`flex min-h-0 flex-col overflow-y-auto px-5 py-5 ${width === 'wide' ? 'gap-5' : 'gap-4'}`}>
          {children}
        </div>
        {form.outcome}
        <ToastPlace rank="layer" />
        <footer className="flex flex-wrap justify-end gap-2 border-t border-rule px-5 py-3">
          {form.extra}
          <Button variant="ghost" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          {/* Keeps the focus, because a refusal is shown next to it. */}
          <Button type="submit" variant="primary" aria-disabled={isBusy}>
            {save}
          </Button>
        </footer>
      </form>
    </Dialog.Content>
  );
}
