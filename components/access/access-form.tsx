'use client';

import type { ReactNode, Ref } from 'react';
import { Button } from '#components/ui/buttons';
import { useIsMounted } from '#components/ui/hooks.ts';
import { Problem, type Submit } from '#components/ui/dialogs/submit';
import { Wordmark } from '#components/ui/wordmark';

interface AccessFormProps {
  readonly ref?: Ref<HTMLFormElement>;
  readonly title: string;
  readonly body?: string;
  /** Label of the button. */
  readonly send: string;
  readonly sending: string;
  readonly submit: Submit;
  readonly onSubmit: () => void;
  /** An alternative action, below the button. */
  readonly extra?: ReactNode;
  /** Text below the button. */
  readonly footnote?: ReactNode;
  /** The fields. */
  readonly children: ReactNode;
}

/** The form of a page before sign-in, in the page's frame. */
export function AccessForm({
  ref,
  send,
  sending,
  submit,
  onSubmit,
  extra,
  footnote,
  children,
  ...card
}: AccessFormProps) {
  // Before hydration the browser would submit the form itself and lose what was typed.
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
        {extra}
        {footnote !== undefined && <p className="text-xs text-ink-3">{footnote}</p>}
      </form>
    </AccessCard>
  );
}

interface AccessCardProps {
  readonly title: ReactNode;
  readonly body?: string;
  readonly children: ReactNode;
}

/** The frame of a page before sign-in, with its title and one thing to read or do. */
export function AccessCard({ title, body, children }: AccessCardProps) {
  return (
    <main className="grid min-h-dvh place-content-center px-4 py-8">
      <div className="w-[min(26rem,calc(100vw-2rem))] rounded-xl border border-rule bg-sheet p-8 shadow-sheet max-sm:p-6">
        <Wordmark />
        <h1 className="mt-6 font-serif text-xl font-medium">{title}</h1>
        {body !== undefined && <p className="mt-2 text-base text-ink-2">{body}</p>}
        {children}
      </div>
    </main>
  );
}

/** Link to the next page. A plain link that reloads the page, because another person may now be signed in. */
export function AccessLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a
      href={href}
      className="mt-6 inline-flex h-9 items-center rounded-md bg-accent px-4 text-sm font-medium text-accent-ink transition-colors hover:bg-accent-strong"
    >
      {children}
    </a>
  );
}

/** A button within a text. */
export function TextButton({ onClick, children }: { readonly onClick: () => void; readonly children: ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="rounded text-accent underline underline-offset-2">
      {children}
    </button>
  );
}
