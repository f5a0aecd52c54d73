'use client';

import { CircleUser, KeyRound, LogOut, UserPen } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { toast } from '#components/toast';
import useSWR from 'swr';
import { access, accessPaths } from '#components/access/access-client';
import { accessProblem, accessStrings } from '#components/access/words';
import { ACCOUNT_PATH } from '#components/desk/navigation';
import { Option, TextField } from '#components/ui/fields';
import { useOpened } from '#components/ui/hooks';
import { Menu } from '#components/ui/menus';
import { MenuItem } from '#components/ui/menu-rows';
import { SubmitDialog, useSubmit } from '#components/ui/submit';
import { reportFailure } from '#components/ui/toasts';
import type { Me } from '#server/core/people';

const text = accessStrings.account;

/** The signed-in user, and sign-out. Renders nothing in local mode. */
export function AccountMenu() {
  const { data: me, mutate } = useSWR<Me, Error>(accessPaths.me);
  const router = useRouter();
  const dialog = useOpened();
  if (me?.kind !== 'user') return null;
  const signOut = () => {
    access.leave().catch(reportFailure);
  };
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={text.open(me.name)}
            className="flex h-8 min-w-0 items-center gap-2 rounded-md px-2 text-sm text-ink-2 hover:bg-ink/6 hover:text-ink [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:stroke-[1.75]"
          >
            <CircleUser aria-hidden />
            <span className="max-w-40 truncate">{me.name}</span>
          </button>
        }
      >
        <div className="px-2 py-1.5 text-xs text-ink-3">
          <p className="max-w-60 truncate">{me.email}</p>
          <p>{text.roles[me.role]}</p>
        </div>
        <MenuItem onSelect={() => dialog.open()}>
          <UserPen aria-hidden />
          {text.change}
        </MenuItem>
        <MenuItem onSelect={() => router.push(ACCOUNT_PATH)}>
          <KeyRound aria-hidden />
          {text.keys}
        </MenuItem>
        <MenuItem onSelect={signOut}>
          <LogOut aria-hidden />
          {text.signOut}
        </MenuItem>
      </Menu>
      {dialog.opened && (
        <OwnAccountDialog
          me={me}
          onSaved={(changed) => void mutate(changed, { revalidate: false })}
          onClose={dialog.close}
        />
      )}
    </>
  );
}

const ownText = accessStrings.own;

interface OwnAccountDialogProps {
  readonly me: Me;
  readonly onSaved: (me: Me) => void;
  readonly onClose: () => void;
}

/** The caller's own name and password. */
function OwnAccountDialog({ me, onSaved, onClose }: OwnAccountDialogProps) {
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
