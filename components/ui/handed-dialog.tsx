import { Dialog } from 'radix-ui';
import { Button, CopyButton } from '#components/ui/buttons';
import { DialogLayer } from '#components/ui/dialogs';
import { useReturnFocus } from '#components/ui/focus';
import { Problem } from '#components/ui/submit';

interface HandedDialogProps {
  readonly title: string;
  readonly body: string;
  /** Problem met on the way here. Default: none. */
  readonly problem?: string | null;
  /** Name of the value. */
  readonly label: string;
  readonly value: string;
  /** Labels of the buttons. */
  readonly copy: string;
  readonly done: string;
  readonly onClose: () => void;
}

/** A secret that is shown this one time, to be copied. It ends with a word, not with a click beside it: there is no second look. */
export function HandedDialog({ onClose, ...content }: HandedDialogProps) {
  return (
    <DialogLayer onClose={onClose}>
      <Content {...content} />
    </DialogLayer>
  );
}

function Content({ title, body, problem = null, label, value, copy, done }: Omit<HandedDialogProps, 'onClose'>) {
  const returnFocus = useReturnFocus();
  return (
    <Dialog.Content
      onCloseAutoFocus={returnFocus}
      onInteractOutside={(event) => event.preventDefault()}
      className="fixed top-1/2 left-1/2 z-50 w-[min(28rem,calc(100vw-1.5rem))] -translate-1/2 rounded-xl border border-rule bg-sheet p-6 shadow-sheet outline-none"
    >
      <Dialog.Title className="font-serif text-xl font-medium">{title}</Dialog.Title>
      <Problem text={problem} className="mt-2" />
      <Dialog.Description className="mt-2 text-base text-ink-2">{body}</Dialog.Description>
      <div className="mt-4 flex items-center gap-2 rounded-md border border-rule-strong bg-paper px-3 py-2">
        <input
          readOnly
          aria-label={label}
          value={value}
          onFocus={(event) => event.currentTarget.select()}
          className="min-w-0 flex-1 bg-transparent font-mono text-xs outline-none"
        />
        <CopyButton text={value} label={copy} />
      </div>
      <div className="mt-6 flex justify-end">
        <Dialog.Close asChild>
          <Button variant="primary">{done}</Button>
        </Dialog.Close>
      </div>
    </Dialog.Content>
  );
}
