import type { ReactNode } from 'react';
import { FormDialog } from '#components/ui/form-dialog';
import type { Submit } from '#lib/access/use-submit';

interface AccessDialogProps {
  readonly title: string;
  readonly save: string;
  readonly saving: string;
  readonly submit: Submit;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form about a person, in a dialog of its own. */
export function AccessDialog({ save, saving, submit, children, ...dialog }: AccessDialogProps) {
  return (
    <FormDialog {...dialog} width="narrow" save={submit.isBusy ? saving : save} isBusy={submit.isBusy}>
      {children}
      {submit.problem !== null && (
        <p role="alert" className="text-sm text-red">
          {submit.problem}
        </p>
      )}
    </FormDialog>
  );
}
