'use client';

import { type ReactNode, type Ref, useRef, useState } from 'react';
import { access, accessProblem } from '#components/access/access-client';
import { accessStrings } from '#components/access/words';
import { HOME_PATH } from '#components/desk/navigation';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { useIsMounted } from '#components/ui/hooks';
import { Problem, type Submit, useSubmit } from '#components/ui/submit';
import { Wordmark } from '#components/ui/page-parts';

const text = accessStrings.login;

/** E-mail and password, and on to `next`. */
export function SignInForm({ next }: { readonly next: string }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = useSubmit(accessProblem);
  const form = useRef<HTMLFormElement>(null);

  const signIn = async () => {
    // A whole new page: nothing of who was here before is left in it.
    if (await submit.run(() => access.signIn(email.trim(), password))) return window.location.assign(next);
    const field = form.current?.querySelector<HTMLInputElement>('input:invalid, [type="password"]');
    field?.select();
  };

  return (
    <AccessForm
      ref={form}
      title={text.title}
      send={text.submit}
      sending={text.submitting}
      submit={submit}
      onSubmit={() => void signIn()}
      footnote={text.forgotten}
    >
      <TextField label={text.email} type="email" autoComplete="username" required value={email} onChange={setEmail} />
      <TextField
        label={text.password}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
    </AccessForm>
  );
}

const { owner: ownerText, login } = accessStrings;

/** The first account, in one step. */
export function OwnerForm() {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const submit = useSubmit(accessProblem);

  const create = () =>
    submit.run(async () => {
      await access.createOwner({ name, email: email.trim(), password, code });
      window.location.assign(HOME_PATH);
    });

  return (
    <AccessForm
      title={ownerText.title}
      body={ownerText.body}
      send={ownerText.submit}
      sending={ownerText.submitting}
      submit={submit}
      onSubmit={() => void create()}
    >
      <TextField
        label={ownerText.code}
        hint={ownerText.codeHint}
        autoComplete="off"
        spellCheck={false}
        required
        value={code}
        onChange={setCode}
      />
      <TextField label={ownerText.name} autoComplete="name" required value={name} onChange={setName} />
      <TextField label={login.email} type="email" autoComplete="username" required value={email} onChange={setEmail} />
      <TextField
        label={login.password}
        hint={ownerText.passwordHint}
        type="password"
        autoComplete="new-password"
        required
        value={password}
        onChange={setPassword}
      />
    </AccessForm>
  );
}

interface AccessFormProps {
  readonly ref?: Ref<HTMLFormElement>;
  readonly title: string;
  readonly body?: string;
  /** Label of the button. */
  readonly send: string;
  readonly sending: string;
  readonly submit: Submit;
  readonly onSubmit: () => void;
  /** Text below the button. */
  readonly footnote?: string;
  /** The fields. */
  readonly children: ReactNode;
}

/** The one form on a page before the door. */
function AccessForm({ ref, send, sending, submit, onSubmit, footnote, children, ...card }: AccessFormProps) {
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

interface AccessCardProps {
  readonly title: string;
  readonly body?: string;
  readonly children: ReactNode;
}

/** The one thing on a page before the door. */
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

/** The way on. A plain link: what is behind it belongs to somebody else now. */
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
