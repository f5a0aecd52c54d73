'use client';

import { useState } from 'react';
import { toast } from 'sonner';
import { access } from '#components/access/access-client.ts';
import { accessProblem, accessStrings } from '#components/access/words.ts';
import { Option, TextField } from '#components/ui/fields';
import { SubmitDialog, useSubmit } from '#components/ui/dialogs/submit';
import type { Me } from '#server/core/admin/people';

const ownText = accessStrings.own;

interface OwnAccountDialogProps {
  readonly me: Me;
  readonly onSaved: (me: Me) => void;
  readonly onClose: () => void;
}

/** Dialog in which users change their own name and password. */
export function OwnAccountDialog({ me, onSaved, onClose }: OwnAccountDialogProps) {
  const [name, setName] = useState(me.name);
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [revokesKeys, setRevokesKeys] = useState(true);
  const submit = useSubmit(accessProblem);

  const save = async () => {
    const isDone = await submit.run(async () => {
      const password = { current, next, apiKeys: revokesKeys ? 'revoke' : 'keep' } as const;
      onSaved(await access.changeMe({ name, ...(next !== '' && { password }) }));
    });
    if (!isDone) return;
    toast(ownText.saved);
    onClose();
  };

  return (
    <SubmitDialog
      title={ownText.title}
      save={ownText.save}
      saving={ownText.saving}
      submit={submit}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label={ownText.name} autoComplete="name" value={name} onChange={setName} />
      <TextField
        label={ownText.next}
        hint={ownText.nextHint}
        type="password"
        autoComplete="new-password"
        value={next}
        onChange={setNext}
      />
      {next !== '' && (
        <>
          <TextField
            label={ownText.current}
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
          />
          <Option
            label={ownText.revokeKeys}
            hint={ownText.revokeKeysHint}
            isOn={revokesKeys}
            onChange={setRevokesKeys}
          />
        </>
      )}
    </SubmitDialog>
  );
}
