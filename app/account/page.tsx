import { keyStrings } from '#components/keys/words.ts';
import { AccountScreen } from '#components/settings/account-screen';
import { PageTitle } from '#components/ui/page-parts';
import { requirePage } from '#server/http/page-access';

/** Account page of the signed-in user. */
export default async function AccountPage() {
  await requirePage('chat');
  return (
    <>
      <PageTitle title={keyStrings.account.title} />
      <AccountScreen />
    </>
  );
}
