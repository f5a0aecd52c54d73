'use client';

import { useState } from 'react';
import { access } from '#components/access/access-client.ts';
import { NewPasswordField } from '#components/access/access-fields';
import { AccessForm } from '#components/access/access-form';
import { accessProblem, accessStrings } from '#components/access/words.ts';
import { HOME_PATH } from '#components/workspace/navigation.ts';
import { TextField } from '#components/ui/fields';
import { useSubmit } from '#components/ui/dialogs/submit';

const { owner: ownerText, login } = accessStrings;

/** Form that creates the first account, with the code from the server's log. */
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
