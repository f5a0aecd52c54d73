'use client';

import { useRef, useState } from 'react';
import { access } from '#components/access/access-client.ts';
import { EmailField } from '#components/access/access-fields';
import { AccessCard, AccessForm, AccessLink, TextButton } from '#components/access/access-form';
import { translator } from '#components/i18n.ts';
import { accessProblem } from '#components/access/access-problem.ts';
import { HOME_PATH } from '#components/workspace/navigation.ts';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { useSubmit } from '#components/ui/dialogs/submit';
import { CodeForm } from '#components/access/code-form';
import { PasskeyButton } from '#components/access/passkey-button';

const t = translator('access');

interface SignInProps {
  /** Path to open after signing in. */
  readonly next: string;
  /** True if the server can mail a link for a forgotten password. */
  readonly canMail: boolean;
  /** Name of the OpenID Connect provider; null if none is configured. */
  readonly provider: string | null;
  /** Error code of the provider; null if there was no error. */
  readonly failure: string | null;
}

/** The sign-in form: with email and password, a passkey, or an OpenID Connect provider. Opens `next` afterwards. */
export function SignInForm({ next, canMail, provider, failure }: SignInProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [step, setStep] = useState<'password' | 'code' | 'forgotten'>('password');
  const submit = useSubmit(accessProblem);
  const problem =
    failure === null ? null : (t.find(`login.providerErrors.${failure}`) ?? t('login.providerErrors.other'));
  const form = useRef<HTMLFormElement>(null);

  // Loads a new page, so that nothing of the previous person is left in it.
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
      title={t('login.title')}
      send={t('login.submit')}
      sending={t('login.submitting')}
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
              {t('login.provider', { name: provider })}
            </Button>
          )}
        </>
      }
      footnote={
        canMail ? (
          <TextButton onClick={() => setStep('forgotten')}>{t('login.forgottenLink')}</TextButton>
        ) : (
          t('login.forgotten')
        )
      }
    >
      <EmailField value={email} onChange={setEmail} />
      <TextField
        label={t('login.password')}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
    </AccessForm>
  );
}

/** Requests a password reset link. */
function ForgottenForm({ email: known, onBack }: { readonly email: string; readonly onBack: () => void }) {
  const [email, setEmail] = useState(known);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const submit = useSubmit(accessProblem);
  const back = <TextButton onClick={onBack}>{t('reset.back')}</TextButton>;
  if (sentTo !== null) {
    return (
      <AccessCard title={t('reset.title')}>
        <output className="mt-2 block text-base text-ink-2">{t('reset.sent', { email: sentTo })}</output>
        <p className="mt-4 text-xs">{back}</p>
      </AccessCard>
    );
  }
  const send = async () => {
    if (await submit.run(() => access.forgotten(email.trim()))) setSentTo(email.trim());
  };
  return (
    <AccessForm
      title={t('reset.title')}
      body={t('reset.body')}
      send={t('reset.submit')}
      sending={t('reset.submitting')}
      submit={submit}
      onSubmit={() => void send()}
      footnote={back}
    >
      <EmailField value={email} onChange={setEmail} />
    </AccessForm>
  );
}

/** The sign-in page in local mode, which has no accounts. */
export function LocalMode() {
  return (
    <AccessCard title={t('local.title')} body={t('local.body')}>
      <AccessLink href={HOME_PATH}>{t('local.go')}</AccessLink>
    </AccessCard>
  );
}
