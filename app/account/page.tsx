import { Factors } from '#components/access/factors';
import { SignIns } from '#components/access/sign-ins';
import { WaitingCalls } from '#components/calls/waiting-calls';
import { keyStrings } from '#components/keys/words';
import { ApiKeysSection } from '#components/settings/settings-form';
import { LanguageMenu } from '#components/shell/language-menu';
import { HelpedSection } from '#components/ui/help-section';
import { PageTitle } from '#components/ui/page-parts';
import { strings } from '#components/words';
import { requirePage } from '#server/http/page-access';

/** Account page of the signed-in user: waiting calls, language, sign-ins and API keys. */
export default async function AccountPage() {
  await requirePage('chat');
  return (
    <>
      <PageTitle title={keyStrings.account.title} />
      <div className="mt-8 max-w-3xl">
        <WaitingCalls />
        <HelpedSection name="language" title={strings.language.label} body={strings.language.body}>
          <LanguageMenu isNamed />
        </HelpedSection>
        <Factors />
        <SignIns />
        <ApiKeysSection />
      </div>
    </>
  );
}
