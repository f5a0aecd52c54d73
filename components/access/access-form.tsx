import { Problem, type Submit } from '#components/ui/submit';
import type { ReactNode, Ref } from 'react';
import { AccessCard } from '#components/access/access-card';
import { Button } from '#components/ui/buttons';
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
        <Problem text={submit.problem} />
        <Button type="submit" variant="primary" className="h-9" disabled={submit.isBusy || !isMounted}>
          {submit.isBusy ? sending : send}
        </Button>
        {footnote !== undefined && <p className="text-xs text-ink-3">{footnote}</p>}
      </form>
    </AccessCard>
  );
}
