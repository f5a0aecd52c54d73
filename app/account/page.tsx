import { translator } from '#components/i18n.ts';
import { AccountScreen } from '#components/settings/account-screen';
import { PageTitle } from '#components/ui/page-parts';
import { requirePage } from '#server/http/page-access';

const t = translator('apiKeys.account');

/** Account page of the signed-in user. */
export default async function AccountPage() {
  await requirePage('chat');
  return (
    <>
      <PageTitle title={t('title')} />
      <AccountScreen />
    </>
  );
}
