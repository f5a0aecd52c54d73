import { AlertDialog } from 'radix-ui';
import { AlertContent, AlertFrame } from '#components/ui/alert-frame';
import { Button } from '#components/ui/button';
import { strings } from '#lib/strings';

interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly body: string;
  readonly confirm: string;
  /** `primary`: it can be taken back after all. Default `danger`. */
  readonly variant?: 'danger' | 'primary';
  readonly onConfirm: () => void;
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  body,
  confirm,
  variant = 'danger',
  onConfirm,
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
      <AlertContent width="narrow" title={title} body={body} buttons={buttons} />
    </AlertFrame>
  );
}
