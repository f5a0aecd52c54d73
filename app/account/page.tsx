import { PageTitle } from '#components/admin/page-title';
import { WaitingCalls } from '#components/access/calls/waiting-calls';
import { ApiKeysSection } from '#components/settings/api-keys-section';
import { keyStrings } from '#lib/strings/keys';
import { requirePage } from '#server/http/require-page';

/** One's own API keys and what waits for one's word, for everybody who has signed in. */
export default async function AccountPage() {
  await requirePage('chat');
  return (
    <>
      <PageTitle title={keyStrings.account.title} />
      <div className="mt-8 max-w-3xl">
        <WaitingCalls />
        <ApiKeysSection />
      </div>
    </>
  );
}
