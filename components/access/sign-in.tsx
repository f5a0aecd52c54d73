'use client';

import { KeyRound } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { access } from '#components/access/access-client';
import { AccessCard, AccessForm, AccessLink, TextButton } from '#components/access/access-form';
import { accessProblem, accessStrings } from '#components/access/words';
import { HOME_PATH } from '#components/desk/navigation';
import { wordOf } from '#components/in-your-language';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { useIsMounted } from '#components/ui/hooks';
import { useSubmit } from '#components/ui/submit';

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

const { login, reset } = accessStrings;

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

/** The page in local mode, where nobody signs in. */
export function LocalMode() {
  const { local } = accessStrings;
  return (
    <AccessCard title={local.title} body={local.body}>
      <AccessLink href={HOME_PATH}>{local.go}</AccessLink>
    </AccessCard>
  );
}
