'use client';

import type { ReactNode, Ref } from 'react';
import { accessStrings } from '#components/access/words';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { useIsMounted } from '#components/ui/hooks';
import { Problem, type Submit } from '#components/ui/submit';
import { Wordmark } from '#components/ui/wordmark';

/* The frame and the fields that the pages before the sign-in share. */

interface AccessFormProps {
  readonly ref?: Ref<HTMLFormElement>;
  readonly title: string;
  readonly body?: string;
  /** Label of the button. */
  readonly send: string;
  readonly sending: string;
  readonly submit: Submit;
  readonly onSubmit: () => void;
  /** Another way, below the button. */
  readonly extra?: ReactNode;
  /** Text below the button. */
  readonly footnote?: ReactNode;
  /** The fields. */
  readonly children: ReactNode;
}

/** The form of a page before the sign-in, in the page's frame. */
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
        {extra}
        {footnote !== undefined && <p className="text-xs text-ink-3">{footnote}</p>}
      </form>
    </AccessCard>
  );
}

interface AccessCardProps {
  readonly title: string;
  readonly body?: string;
  readonly children: ReactNode;
}

/** The frame of a page before the sign-in: its title, and one thing to read or do. */
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

/** Link that leads on. A plain one, which loads the page anew: whoever reads it may be somebody else now. */
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

const { owner: ownerText, login } = accessStrings;

interface NewPasswordFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Field for a password that is chosen, with the rule for it. */
export function NewPasswordField({ value, onChange }: NewPasswordFieldProps) {
  return (
    <TextField
      label={login.password}
      hint={ownerText.passwordHint}
      type="password"
      autoComplete="new-password"
      required
      value={value}
      onChange={onChange}
    />
  );
}

/** Shows the known e-mail address of a sign-in: a password manager keeps the password with it. */
export function KnownEmail({ value }: { readonly value: string }) {
  return (
    <TextField
      label={login.email}
      type="email"
      autoComplete="username"
      readOnly
      value={value}
      onChange={() => undefined}
    />
  );
}
