import { useState } from 'react';
import { AccessDialog } from '#components/access/access-dialog';
import { Switch } from '#components/admin/switch';
import { TextField } from '#components/ui/field';
import { Option } from '#components/ui/option';
import { access } from '#lib/access/access-client';
import { useSubmit } from '#lib/access/use-submit';
import { accessStrings } from '#lib/strings/access';
import type { Person } from '#server/core/people';
import type { Role } from '#server/core/principal';

const { form: text } = accessStrings.people;

interface PersonDialogProps {
  /** Null: a new one. */
  readonly person: Person | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Somebody to add, or to give another name or password. */
export function PersonDialog({ person, onSaved, onClose }: PersonDialogProps) {
  const [name, setName] = useState(person?.name ?? '');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const [password, setPassword] = useState('');
  const [revokesKeys, setRevokesKeys] = useState(true);
  const submit = useSubmit();

  const apiKeys = revokesKeys ? 'revoke' : 'keep';
  const save = async () => {
    const isDone = await submit.run(() =>
      person
        ? access.changePerson(person.id, { name, ...(password !== '' && { password, apiKeys }) })
        : access.addPerson({ name, email: email.trim(), role, password }),
    );
    if (isDone) onSaved();
  };

  return (
    <AccessDialog
      title={person ? text.editTitle(person.name) : text.addTitle}
      save={text.save}
      saving={text.saving}
      submit={submit}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label={text.name} autoComplete="off" value={name} onChange={setName} />
      {person === null && (
        <>
          <TextField label={text.email} type="email" autoComplete="off" value={email} onChange={setEmail} />
          <div>
            <p aria-hidden className="mb-1 text-sm font-medium">
              {text.role}
            </p>
            <div className="flex">
              <Switch label={text.role} value={role} choices={accessStrings.account.roles} onChange={setRole} />
            </div>
          </div>
        </>
      )}
      <TextField
        label={person ? text.newPassword : text.password}
        hint={person ? text.newPasswordHint : text.passwordHint}
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
      {person !== null && password !== '' && (
        <Option label={text.revokeKeys} hint={text.revokeKeysHint} isOn={revokesKeys} onChange={setRevokesKeys} />
      )}
    </AccessDialog>
  );
}
