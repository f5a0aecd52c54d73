import { useState } from 'react';
import useSWR from 'swr';
import { access, accessPaths, useMe } from '#components/access/access-client';
import { CodeField, PasskeyButton } from '#components/access/sign-in';
import { KnownEmail } from '#components/access/access-form';
import { accessProblem, accessStrings } from '#components/access/words';
import { answerSignInAgain } from '#components/api/sign-in-again';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { SubmitDialog, useSubmit } from '#components/ui/submit';
import type { SignInFactors } from '#server/core/people';

const { again: text, login } = accessStrings;

/** Asks for the password or a passkey again, once the server wants a sign-in of a moment ago. */
export function AgainDialog() {
  const email = useMe()?.email ?? '';
  const provider = useSWR<SignInFactors>(accessPaths.factors).data?.provider ?? null;
  const [password, setPassword] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [code, setCode] = useState('');
  const submit = useSubmit(accessProblem);
  const send = () =>
    submit.run(async () => {
      const signedIn = await (needsCode ? access.signInWithCode(code, false) : access.signIn(email, password));
      if ('needsCode' in signedIn) setNeedsCode(true);
      else answerSignInAgain(true);
    });
  /** Comes back to this page, where what was begun has to be begun again. */
  const leave = () => {
    const { pathname, search, hash } = window.location;
    void submit.run(() => access.leaveForProvider(`${pathname}${search}${hash}`, true));
  };
  const sendPasskey = () =>
    submit.run(async () => {
      await access.signInWithPasskey();
      answerSignInAgain(true);
    });
  return (
    <SubmitDialog
      title={text.title}
      save={login.submit}
      saving={login.submitting}
      submit={submit}
      onSubmit={() => void send()}
      onClose={() => answerSignInAgain(false)}
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
          <KnownEmail value={email} />
          <TextField
            label={login.password}
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
          />
        </>
      )}
    </SubmitDialog>
  );
}
