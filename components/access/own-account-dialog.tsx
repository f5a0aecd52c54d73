import { useState } from 'react';
import { toast } from 'sonner';
import { AccessDialog } from '#components/access/access-dialog';
import { TextField } from '#components/ui/field';
import { Option } from '#components/ui/option';
import { access } from '#lib/access/access-client';
import { useSubmit } from '#lib/access/use-submit';
import { accessStrings } from '#lib/strings/access';
import type { Me } from '#server/core/people';

const text = accessStrings.own;

interface OwnAccountDialogProps {
  readonly me: Me;
  readonly onSaved: (me: Me) => void;
  readonly onClose: () => void;
}

/** The caller's own name and password. */
export function OwnAccountDialog({ me, onSaved, onClose }: OwnAccountDialogProps) {
  const [name, setName] = useState(me.name);
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [revokesKeys, setRevokesKeys] = useState(true);
  const submit = useSubmit();

  const save = async () => {
    const isDone = await submit.run(async () => {
      const password = { current, next, apiKeys: revokesKeys ? 'revoke' : 'keep' } as const;
      onSaved(await access.changeMe({ name, ...(next !== '' && { password }) }));
    });
    if (!isDone) return;
    toast(text.saved);
    onClose();
  };

  return (
    <AccessDialog
      title={text.title}
      save={text.save}
      saving={text.saving}
      submit={submit}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label={text.name} autoComplete="name" value={name} onChange={setName} />
      <TextField
        label={text.next}
        hint={text.nextHint}
        type="password"
        autoComplete="new-password"
        value={next}
        onChange={setNext}
      />
      {next !== '' && (
        <>
          <TextField
            label={text.current}
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
          />
          <Option label={text.revokeKeys} hint={text.revokeKeysHint} isOn={revokesKeys} onChange={setRevokesKeys} />
        </>
      )}
    </AccessDialog>
  );
}
