import { Dialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { useBack } from '#components/ui/back';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog, DialogHeader, DialogLayer } from '#components/ui/dialogs';
import { focusFirstField, type Near, useReturnFocus } from '#components/ui/focus';
import { keepOpenForToasts, ToastPlace } from '#components/ui/toasts';
import { strings } from '#components/words';

const WIDTHS = { narrow: 'w-[min(28rem,calc(100vw-1.5rem))]', wide: 'w-[min(36rem,calc(100vw-1.5rem))]' };

interface FormDialogProps {
  readonly title: string;
  readonly width: keyof typeof WIDTHS;
  /** Label of the submit button. */
  readonly save: string;
  readonly isBusy: boolean;
  /** What was typed is on its way, and kept there. Default: while it is busy. */
  readonly isSent?: boolean;
  /** Something would be lost that no change of a field tells of, as a choice by a button. */
  readonly isChanged?: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  /** Result of the submission, visible however long the form is. */
  readonly outcome?: ReactNode;
  /** At the other end of the row of buttons. */
  readonly extra?: ReactNode;
  /** Receives the focus if what had it is gone by then. */
  readonly near?: Near;
  readonly children: ReactNode;
}

/**
 * A form in a dialog of its own: it begins at the first field, and the focus goes back to where it was. It asks before
 * what was typed is lost, but for its Cancel button, and once it is on its way.
 */
export function FormDialog(props: FormDialogProps) {
  const { isBusy, isSent = isBusy, isChanged = false, onClose } = props;
  const [isDirty, setIsDirty] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const text = strings.unsaved;
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
        title={text.title}
        body={text.body}
        confirm={text.leave}
        onConfirm={onClose}
      />
    </>
  );
}

interface ContentProps extends FormDialogProps {
  /** Called whenever a field is changed. */
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
        // React tells a form also of what is changed in a dialog that was opened from it.
        onChange={(event) => event.currentTarget.contains(event.target) && onChange()}
        onSubmit={(event) => {
          event.preventDefault();
          // The page around it may be a form too.
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
            {strings.common.cancel}
          </Button>
          {/* It keeps the focus: a refusal is read beside it. */}
          <Button type="submit" variant="primary" aria-disabled={isBusy}>
            {save}
          </Button>
        </footer>
      </form>
    </Dialog.Content>
  );
}
