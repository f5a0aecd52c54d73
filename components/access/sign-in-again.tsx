import { useEffect, useState } from 'react';
import useSWR from 'swr';
import { access, accessPaths, forgetPerson, useMe } from '#components/access/access-client';
import { CodeField, PasskeyButton } from '#components/access/sign-in';
import { KnownEmail } from '#components/access/access-form';
import { expiredStrings } from '#components/access/expired-words';
import { accessProblem, accessStrings } from '#components/access/words';
import { createApiClient } from '#components/api/api-client';
import { answerSignInAgain, type AskedBecause } from '#components/api/sign-in-again';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { SubmitDialog, useSubmit } from '#components/ui/submit';
import { LOGIN_PATH } from '#server/core/addresses';
import type { Me, SignInFactors } from '#server/core/people';

const { again, login } = accessStrings;

interface AgainDialogProps {
  readonly because: AskedBecause;
  readonly onClose: () => void;
}

/** Asks for the password or a passkey again, over the page as it is: nothing written on it is lost. */
export function AgainDialog({ because, onClose }: AgainDialogProps) {
  const isExpired = because === 'expired';
  const text = isExpired ? expiredStrings : again;
  const me = useMe();
  const provider = useSWR<SignInFactors>(isExpired ? null : accessPaths.factors).data?.provider ?? null;
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [code, setCode] = useState('');
  const submit = useSubmit(accessProblem);
  useSignInElsewhere(isExpired, me?.id);

  const send = () =>
    submit.run(async () => {
      const signedIn = needsCode
        ? await access.signInWithCode(code, false)
        : await access.signIn(me?.email ?? email.trim(), password);
      if ('needsCode' in signedIn) setNeedsCode(true);
      else goOn(signedIn.id, me?.id);
    });
  /** Comes back to this page, where what was begun has to be begun again. */
  const leave = () => {
    const { pathname, search, hash } = window.location;
    void submit.run(() => access.leaveForProvider(`${pathname}${search}${hash}`, true));
  };
  const sendPasskey = () => submit.run(async () => goOn((await access.signInWithPasskey()).id, me?.id));
  return (
    <SubmitDialog
      title={text.title}
      save={login.submit}
      saving={login.submitting}
      submit={submit}
      onSubmit={() => void send()}
      // Leaving it leaves the page.
      isChanged={isExpired}
      onClose={onClose}
      extra={
        provider === null ? (
          <PasskeyButton isBusy={submit.isBusy} onPress={() => void sendPasskey()} />
        ) : (
          <Button className="h-9" disabled={submit.isBusy} onClick={leave}>
            {login.provider(provider)}
          </Button>
        )
      }
    >
      <p className="text-sm text-ink-2">{needsCode ? login.codeBody : text.body}</p>
      {needsCode ? (
        <CodeField code={code} onChange={setCode} />
      ) : (
        <>
          {me ? (
            <KnownEmail value={me.email ?? ''} />
          ) : (
            <TextField label={login.email} type="email" autoComplete="username" value={email} onChange={setEmail} />
          )}
          <TextField
            label={login.password}
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
          />
        </>
      )}
      {isExpired && (
        <p className="text-xs text-ink-3">
          <a href={LOGIN_PATH} target="_blank" rel="noreferrer" className="rounded text-accent underline">
            {expiredStrings.elsewhere}
          </a>{' '}
          {expiredStrings.comeBack}
        </p>
      )}
    </SubmitDialog>
  );
}

/** Goes on with what was refused. Somebody else gets a page of their own: this one shows what another was reading. */
function goOn(id: string | null, expected: string | null | undefined): void {
  if (expected === undefined || id === expected) answerSignInAgain(true);
  else {
    forgetPerson();
    window.location.reload();
  }
}

/** Its refusals ask nobody to sign in. */
const door = createApiClient();

/** Goes on by itself after a sign-in in another tab, or one that was quicker than this dialog. */
function useSignInElsewhere(isWaiting: boolean, expected: string | null | undefined): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      // Nobody has, as far as is known.
      door.get<Me>(accessPaths.me).then(
        ({ id }) => goOn(id, expected),
        () => undefined,
      );
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [isWaiting, expected]);
}
