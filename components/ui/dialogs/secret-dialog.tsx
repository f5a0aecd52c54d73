import { Dialog } from 'radix-ui';
import { CopyButton } from '#components/ui/controls/copy-button';
import { Button } from '#components/ui/buttons';
import { DialogLayer } from '#components/ui/dialogs/dialogs';
import { useReturnFocus } from '#components/ui/focus/focus.ts';
import { Problem } from '#components/ui/dialogs/submit';

interface ShownSecret {
  readonly title: string;
  readonly body: string;
  /** Problem that occurred before this dialog. Default: none. */
  readonly problem?: string | null;
  /** Name of the value. */
  readonly label: string;
  readonly value: string;
  /** Labels of the buttons. */
  readonly copy: string;
  readonly done: string;
}

interface SecretDialogProps extends ShownSecret {
  readonly onClose: () => void;
}

/**
 * Dialog with a secret to copy, which is shown only once. It closes only with its button, not with a click outside,
 * because the secret cannot be shown again.
 */
export function SecretDialog({ onClose, ...content }: SecretDialogProps) {
  return (
    <DialogLayer onClose={onClose}>
      <Content {...content} />
    </DialogLayer>
  );
}

function Content({ title, body, problem = null, label, value, copy, done }: ShownSecret) {
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
