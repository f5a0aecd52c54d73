'use client';

import { useState } from 'react';
import { AccessForm } from '#components/access/access-form';
import { TextField } from '#components/ui/field';
import { access } from '#lib/access/access-client';
import { useSubmit } from '#lib/access/use-submit';
import { HOME_PATH } from '#lib/desk/navigation';
import { accessStrings } from '#lib/strings/access';

const { owner: text, login } = accessStrings;

/** The first account, in one step. */
export function OwnerForm() {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const submit = useSubmit();

  const create = () =>
    submit.run(async () => {
      await access.createOwner({ name, email: email.trim(), password, code });
      window.location.assign(HOME_PATH);
    });

  return (
    <AccessForm
      title={text.title}
      body={text.body}
      send={text.submit}
      sending={text.submitting}
      submit={submit}
      onSubmit={() => void create()}
    >
      <TextField
        label={text.code}
        hint={text.codeHint}
        autoComplete="off"
        spellCheck={false}
        required
        value={code}
        onChange={setCode}
      />
      <TextField label={text.name} autoComplete="name" required value={name} onChange={setName} />
      <TextField label={login.email} type="email" autoComplete="username" required value={email} onChange={setEmail} />
      <TextField
        label={login.password}
        hint={text.passwordHint}
        type="password"
        autoComplete="new-password"
        required
        value={password}
        onChange={setPassword}
      />
    </AccessForm>
  );
}
