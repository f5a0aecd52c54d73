import { useEffect, useState } from 'react';
import { access, forgetPerson, useMe } from '#components/access/access-client.ts';
import { CodeField } from '#components/access/code-form';
import { PasskeyButton } from '#components/access/passkey-button';
import { KnownEmail } from '#components/access/access-fields';
import { translator } from '#components/i18n.ts';
import { accessProblem } from '#components/access/access-problem.ts';
import { createApiClient } from '#components/api/api-client.ts';
import { answerSignInAgain, type SignInReason } from '#components/api/sign-in-again.ts';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { SubmitDialog, useSubmit } from '#components/ui/dialogs/submit';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { LOGIN_PATH } from '#server/core/sign-in-paths';

const t = translator('access');
const tSignedOut = translator('signedOut');

interface SignInAgainDialogProps {
  /** Why the server refused a request. */
  readonly because: SignInReason;
  readonly onClose: () => void;
}

/** Asks for the password or a passkey again in a dialog over the page, so that no input on the page is lost. */
export function SignInAgainDialog({ because, onClose }: SignInAgainDialogProps) {
  const isExpired = because === 'expired';
  const me = useMe();
  const factors = useApi(isExpired ? null : paths.factors).data;
  const provider = factors?.provider ?? null;
  // The provider may not report when the person signed in there; a code or passkey of this server proves it.
  const confirmsWithCode = factors !== undefined && factors.hasTotp && !factors.hasPassword;
  const hasPasskey = provider === null || (factors?.passkeys.length ?? 0) > 0;
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [code, setCode] = useState('');
  const submit = useSubmit(accessProblem);
  useSignInElsewhere(isExpired, me?.id);

  const send = () =>
    submit.run(async () => {
      if (confirmsWithCode) {
        await access.confirmWithCode(code);
        continuePage(me?.id ?? null, me?.id);
        return;
      }
      const signedIn = needsCode
        ? await access.signInWithCode(code, false)
        : await access.signIn(me?.email ?? email.trim(), password);
      if ('needsCode' in signedIn) setNeedsCode(true);
      else continuePage(signedIn.id, me?.id);
    });
  /** Returns to this page afterwards; the action must then be started again. */
  const leave = () => {
    const { pathname, search, hash } = window.location;
    void submit.run(() => access.leaveForProvider(`${pathname}${search}${hash}`, true));
  };
  const sendPasskey = () => submit.run(async () => continuePage((await access.signInWithPasskey()).id, me?.id));
  return (
    <SubmitDialog
      title={isExpired ? tSignedOut('title') : t('again.title')}
      save={t('login.submit')}
      saving={t('login.submitting')}
      submit={submit}
      onSubmit={() => void send()}
      // Closing the dialog leaves the page.
      isChanged={isExpired}
      onClose={onClose}
      extra={
        <>
          {hasPasskey && <PasskeyButton isBusy={submit.isBusy} onPress={() => void sendPasskey()} />}
          {provider !== null && (
            <Button className="h-9" disabled={submit.isBusy} onClick={leave}>
              {t('login.provider', { name: provider })}
            </Button>
          )}
        </>
      }
    >
      <p className="text-sm text-ink-2">
        {needsCode || confirmsWithCode ? t('login.codeBody') : isExpired ? tSignedOut('body') : t('again.body')}
      </p>
      {needsCode || confirmsWithCode ? (
        <CodeField code={code} onChange={setCode} />
      ) : (
        <>
          {me ? (
            <KnownEmail value={me.email ?? ''} />
          ) : (
            <TextField
              label={t('login.email')}
              type="email"
              autoComplete="username"
              value={email}
              onChange={setEmail}
            />
          )}
          <TextField
            label={t('login.password')}
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
          />
        </>
      )}
      {provider !== null && !factors?.hasPassword && !factors?.hasTotp && !hasPasskey && (
        <p className="text-xs text-ink-3">{t('again.noTime', { provider })}</p>
      )}
      {isExpired && (
        <p className="text-xs text-ink-3">
          <a href={LOGIN_PATH} target="_blank" rel="noreferrer" className="rounded text-accent underline">
            {tSignedOut('elsewhere')}
          </a>{' '}
          {tSignedOut('comeBack')}
        </p>
      )}
    </SubmitDialog>
  );
}

/**
 * Retries the refused requests after a sign-in. If another person than `expected` has signed in, reloads the page
 * instead, because it shows the data of the previous person. `expected` undefined: it is not known who was signed in.
 */
function continuePage(id: string | null, expected: string | null | undefined): void {
  if (expected === undefined || id === expected) answerSignInAgain(true);
  else {
    forgetPerson();
    window.location.reload();
  }
}

/** Client whose refusals do not open the sign-in dialog. */
const unauthenticatedApi = createApiClient();

/** Continues automatically after a sign-in in another tab, or one that finished before this dialog opened. */
function useSignInElsewhere(isWaiting: boolean, expected: string | null | undefined): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    const check = () => {
      if (document.visibilityState !== 'visible') return;
      // On failure: not signed in, as far as is known.
      unauthenticatedApi.get(paths.me).then(
        ({ id }) => continuePage(id, expected),
        () => undefined,
      );
    };
    check();
    document.addEventListener('visibilitychange', check);
    return () => document.removeEventListener('visibilitychange', check);
  }, [isWaiting, expected]);
}
