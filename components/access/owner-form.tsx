'use client';

import { useState } from 'react';
import { access } from '#components/access/access-client.ts';
import { EmailField, NewPasswordField } from '#components/access/access-fields';
import { AccessForm } from '#components/access/access-form';
import { translator } from '#components/i18n.ts';
import { accessProblem } from '#components/access/access-problem.ts';
import { HOME_PATH } from '#components/workspace/navigation.ts';
import { TextField } from '#components/ui/fields';
import { useSubmit } from '#components/ui/dialogs/submit';

const t = translator('access');

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
      title={t('owner.title')}
      body={t('owner.body')}
      send={t('owner.submit')}
      sending={t('owner.submitting')}
      submit={submit}
      onSubmit={() => void create()}
    >
      <TextField
        label={t('owner.code')}
        hint={t('owner.codeHint')}
        autoComplete="off"
        spellCheck={false}
        required
        value={code}
        onChange={setCode}
      />
      <TextField label={t('owner.name')} autoComplete="name" required value={name} onChange={setName} />
      <EmailField value={email} onChange={setEmail} />
      <NewPasswordField value={password} onChange={setPassword} />
    </AccessForm>
  );
}
