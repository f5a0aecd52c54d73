'use client';

import { useState } from 'react';
import { toast } from 'sonner';
import { access } from '#components/access/access-client.ts';
import { translator } from '#components/i18n.ts';
import { accessProblem } from '#components/access/access-problem.ts';
import { Option, TextField } from '#components/ui/fields';
import { SubmitDialog, useSubmit } from '#components/ui/dialogs/submit';
import type { Me } from '#server/core/admin/people';
import { MIN_PASSWORD } from '#server/core/limits';

const t = translator('access.own');

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
    toast(t('saved'));
    onClose();
  };

  return (
    <SubmitDialog
      title={t('title')}
      save={t('save')}
      saving={t('saving')}
      submit={submit}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label={t('name')} autoComplete="name" value={name} onChange={setName} />
      <TextField
        label={t('next')}
        hint={t('nextHint', { min: MIN_PASSWORD })}
        type="password"
        autoComplete="new-password"
        value={next}
        onChange={setNext}
      />
      {next !== '' && (
        <>
          <TextField
            label={t('current')}
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
          />
          <Option label={t('revokeKeys')} hint={t('revokeKeysHint')} isOn={revokesKeys} onChange={setRevokesKeys} />
        </>
      )}
    </SubmitDialog>
  );
}
