'use client';

import { useRef, useState } from 'react';
import { access, accessProblem } from '#components/access/access-client';
import { AccessForm } from '#components/access/access-form';
import { accessStrings } from '#components/access/words';
import { HOME_PATH } from '#components/desk/navigation';
import { TextField } from '#components/ui/fields';
import { useSubmit } from '#components/ui/submit';

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
