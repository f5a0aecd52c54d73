'use client';

import { CircleUser, KeyRound, LogOut, UserPen } from 'lucide-react';
import { useRouter } from 'next/navigation';
import useSWR from 'swr';
import { access, accessPaths } from '#components/access/access-client';
import { OwnAccountDialog } from '#components/access/own-account-dialog';
import { accessStrings } from '#components/access/words';
import { ACCOUNT_PATH } from '#components/desk/navigation';
import { useOpened } from '#components/ui/hooks';
import { Menu, MenuItem } from '#components/ui/menus';
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
