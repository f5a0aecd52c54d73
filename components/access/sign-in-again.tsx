import { useState } from 'react';
import { access, accessProblem, useMe } from '#components/access/access-client';
import { accessStrings } from '#components/access/words';
import { answerSignInAgain } from '#components/api/sign-in-again';
import { TextField } from '#components/ui/fields';
import { SubmitDialog, useSubmit } from '#components/ui/submit';

const { again: text, login } = accessStrings;

/** Asks for the password again, once the server wants a sign-in of a moment ago. */
export function AgainDialog() {
  const email = useMe()?.email ?? '';
  const [password, setPassword] = useState('');
  const submit = useSubmit(accessProblem);
  const send = async () => {
    if (await submit.run(() => access.signIn(email, password))) answerSignInAgain(true);
  };
  return (
    <SubmitDialog
      title={text.title}
      save={login.submit}
      saving={login.submitting}
      submit={submit}
      onSubmit={() => void send()}
      onClose={() => answerSignInAgain(false)}
    >
      <p className="text-sm text-ink-2">{text.body}</p>
      <TextField
        label={login.email}
        type="email"
        autoComplete="username"
        readOnly
        value={email}
        onChange={() => undefined}
      />
      <TextField
        label={login.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
    </SubmitDialog>
  );
}
