import type { ReactNode, Ref } from 'react';
import { AccessCard } from '#components/access/access-card';
import type { Submit } from '#components/access/access-client';
import { Button } from '#components/ui/buttons';
import { FormDialog } from '#components/ui/dialogs';
import { useIsMounted } from '#components/ui/hooks';

interface AccessFormProps {
  readonly ref?: Ref<HTMLFormElement>;
  readonly title: string;
  readonly body?: string;
  /** Label of the button. */
  readonly send: string;
  readonly sending: string;
  readonly submit: Submit;
  readonly onSubmit: () => void;
  /** Below the button. */
  readonly footnote?: string;
  /** The fields. */
  readonly children: ReactNode;
}

/** The one form on a page before the door. */
export function AccessForm({ ref, send, sending, submit, onSubmit, footnote, children, ...card }: AccessFormProps) {
  // Before that, the browser would send the form itself, and everything typed would be gone.
  const isMounted = useIsMounted();
  return (
    <AccessCard {...card}>
      <form
        ref={ref}
        noValidate
        className="mt-5 flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {submit.problem !== null && (
          <p role="alert" className="text-sm text-red">
            {submit.problem}
          </p>
        )}
        <Button type="submit" variant="primary" className="h-9" disabled={submit.isBusy || !isMounted}>
          {submit.isBusy ? sending : send}
        </Button>
        {footnote !== undefined && <p className="text-xs text-ink-3">{footnote}</p>}
      </form>
    </AccessCard>
  );
}

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
