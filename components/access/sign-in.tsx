'use client';

import { KeyRound } from 'lucide-react';
import { type ReactNode, type Ref, useEffect, useRef, useState } from 'react';
import { access } from '#components/access/access-client';
import { accessProblem, accessStrings } from '#components/access/words';
import { HOME_PATH } from '#components/desk/navigation';
import { wordOf } from '#components/in-your-language';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { useIsMounted } from '#components/ui/hooks';
import { Problem, type Submit, useSubmit } from '#components/ui/submit';
import { Wordmark } from '#components/ui/wordmark';

const text = accessStrings.login;

interface SignInProps {
  readonly next: string;
  /** The server can mail a link for a forgotten password. */
  readonly canMail: boolean;
  /** Name of the OpenID Connect provider; null: none is set. */
  readonly provider: string | null;
  /** Code of what went wrong with it; null: nothing. */
  readonly failure: string | null;
}

/** E-mail and password, and on to `next`. */
export function SignInForm({ next, canMail, provider, failure }: SignInProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [step, setStep] = useState<'password' | 'code' | 'forgotten'>('password');
  const submit = useSubmit(accessProblem);
  const problem = failure === null ? null : (wordOf(text.providerErrors, failure) ?? text.providerErrors.other);
  const form = useRef<HTMLFormElement>(null);

  // A whole new page: nothing of who was here before is left in it.
  const enter = () => window.location.assign(next);
  const signIn = async () => {
    const isDone = await submit.run(async () => {
      const signedIn = await access.signIn(email.trim(), password);
      if ('needsCode' in signedIn) setStep('code');
      else enter();
    });
    if (isDone) return;
    const field = form.current?.querySelector<HTMLInputElement>('input:invalid, [type="password"]');
    field?.select();
  };

  const withPasskey = () =>
    submit.run(async () => {
      await access.signInWithPasskey();
      enter();
    });

  if (step === 'forgotten') return <ForgottenForm email={email} onBack={() => setStep('password')} />;
  if (step === 'code') return <CodeForm onEntered={enter} />;
  return (
    <AccessForm
      ref={form}
      title={text.title}
      send={text.submit}
      sending={text.submitting}
      submit={{ ...submit, problem: submit.problem ?? problem }}
      onSubmit={() => void signIn()}
      extra={
        <>
          <PasskeyButton isBusy={submit.isBusy} onPress={() => void withPasskey()} />
          {provider !== null && (
            <Button
              className="h-9"
              disabled={submit.isBusy}
              onClick={() => void submit.run(() => access.leaveForProvider(next))}
            >
              {text.provider(provider)}
            </Button>
          )}
        </>
      }
      footnote={
        canMail ? <TextButton onClick={() => setStep('forgotten')}>{text.forgottenLink}</TextButton> : text.forgotten
      }
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

const { owner: ownerText, login, reset } = accessStrings;

function TextButton({ onClick, children }: { readonly onClick: () => void; readonly children: ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="rounded text-accent underline underline-offset-2">
      {children}
    </button>
  );
}

/** Asks for a link for a forgotten password. */
function ForgottenForm({ email: known, onBack }: { readonly email: string; readonly onBack: () => void }) {
  const [email, setEmail] = useState(known);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const submit = useSubmit(accessProblem);
  const back = <TextButton onClick={onBack}>{reset.back}</TextButton>;
  if (sentTo !== null) {
    return (
      <AccessCard title={reset.title}>
        <output className="mt-2 block text-base text-ink-2">{reset.sent(sentTo)}</output>
        <p className="mt-4 text-xs">{back}</p>
      </AccessCard>
    );
  }
  const send = async () => {
    if (await submit.run(() => access.forgotten(email.trim()))) setSentTo(email.trim());
  };
  return (
    <AccessForm
      title={reset.title}
      body={reset.body}
      send={reset.submit}
      sending={reset.submitting}
      submit={submit}
      onSubmit={() => void send()}
      footnote={back}
    >
      <TextField label={login.email} type="email" autoComplete="username" required value={email} onChange={setEmail} />
    </AccessForm>
  );
}

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
      <NewPasswordField value={password} onChange={setPassword} />
    </AccessForm>
  );
}

interface NewPasswordFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A password that is chosen, with what it has to be. */
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

/** The e-mail address that is signed in with, where it is known: a password manager keeps the password with it. */
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

interface PasskeyButtonProps {
  readonly onPress: () => void;
  readonly isBusy: boolean;
}

/** Signs in with a passkey; nothing where the browser has none for this address. */
export function PasskeyButton({ onPress, isBusy }: PasskeyButtonProps) {
  const isMounted = useIsMounted();
  // Drawn with the page, so that nothing jumps when it is taken over.
  const isOffered = !isMounted || 'PublicKeyCredential' in window;
  return isOffered ? (
    <Button className="h-9" disabled={isBusy || !isMounted} onClick={onPress}>
      <KeyRound aria-hidden className="size-4" />
      {login.passkey}
    </Button>
  ) : null;
}

/** The code of an app, or a recovery code, after a right password. */
export function CodeForm({ onEntered }: { readonly onEntered: () => void }) {
  const [code, setCode] = useState('');
  const [isRecovery, setIsRecovery] = useState(false);
  const submit = useSubmit(accessProblem);
  const send = () =>
    submit.run(async () => {
      await access.signInWithCode(code, isRecovery);
      onEntered();
    });
  return (
    <AccessForm
      title={login.codeTitle}
      body={isRecovery ? login.recoveryBody : login.codeBody}
      send={login.submit}
      sending={login.submitting}
      submit={submit}
      onSubmit={() => void send()}
      footnote={
        <TextButton
          onClick={() => {
            setIsRecovery(!isRecovery);
            setCode('');
          }}
        >
          {isRecovery ? login.toCode : login.toRecovery}
        </TextButton>
      }
    >
      <CodeField key={String(isRecovery)} code={code} isRecovery={isRecovery} onChange={setCode} />
    </AccessForm>
  );
}

interface CodeFieldProps {
  readonly code: string;
  readonly isRecovery?: boolean;
  readonly onChange: (code: string) => void;
}

/** Code field that phones can fill in. */
export function CodeField({ code, isRecovery = false, onChange }: CodeFieldProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.querySelector('input')?.focus(), []);
  return (
    <div ref={place}>
      <TextField
        label={isRecovery ? login.recovery : login.code}
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        spellCheck={false}
        required
        value={code}
        onChange={onChange}
      />
    </div>
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
  /** Another way, below the button. */
  readonly extra?: ReactNode;
  /** Text below the button. */
  readonly footnote?: ReactNode;
  /** The fields. */
  readonly children: ReactNode;
}

/** The one form on a page before the door. */
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

/** Nobody signs in here. */
export function LocalMode() {
  const { local } = accessStrings;
  return (
    <AccessCard title={local.title} body={local.body}>
      <AccessLink href={HOME_PATH}>{local.go}</AccessLink>
    </AccessCard>
  );
}
