'use client';

import { CircleUser, KeyRound, LogOut, UserPen } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { access } from '#components/access/access-client.ts';
import { translator } from '#components/i18n.ts';
import { ACCOUNT_PATH } from '#components/workspace/navigation.ts';
import { useOpened } from '#components/ui/hooks.ts';
import { Menu } from '#components/ui/menus';
import { MenuItem } from '#components/ui/menu-rows';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { OwnAccountDialog } from '#components/shell/own-account-dialog';
import { useApi } from '#components/api/use-api.ts';
import { paths } from '#components/api/paths.ts';

const t = translator('access.account');

/** The signed-in user, and sign-out. Renders nothing in local mode. */
export function AccountMenu() {
  const { data: me, mutate } = useApi(paths.me);
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
            aria-label={t('open', { name: me.name })}
            className="flex h-8 min-w-0 items-center gap-2 rounded-md px-2 text-sm text-ink-2 hover:bg-ink/6 hover:text-ink [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:stroke-[1.75]"
          >
            <CircleUser aria-hidden />
            <span className="max-w-40 truncate">{me.name}</span>
          </button>
        }
      >
        <div className="px-2 py-1.5 text-xs text-ink-3">
          <p className="max-w-60 truncate">{me.email}</p>
          <p>{t(`roles.${me.role}`)}</p>
        </div>
        <MenuItem onSelect={() => dialog.open()}>
          <UserPen aria-hidden />
          {t('change')}
        </MenuItem>
        <MenuItem onSelect={() => router.push(ACCOUNT_PATH)}>
          <KeyRound aria-hidden />
          {t('keys')}
        </MenuItem>
        <MenuItem onSelect={signOut}>
          <LogOut aria-hidden />
          {t('signOut')}
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
