'use client';

import { useMe } from '#components/access/access-client.ts';
import { Factors } from '#components/access/factors';
import { SignIns } from '#components/access/sign-ins';
import { paths } from '#components/api/paths.ts';
import { PendingApprovalList } from '#components/approvals/pending-approval-list';
import { translator } from '#components/i18n.ts';
import { ApiKeysSection } from '#components/keys/api-keys';
import { LanguageMenu } from '#components/shell/language-menu';
import { HelpedSection } from '#components/ui/help-section';
import { useAnswered, useHasBeen } from '#components/ui/hooks.ts';
import { LoadingBlock } from '#components/ui/notices';

const tShared = translator('shared');

const t = translator('apiKeys.account');

/** The account page: pending approvals, language, sign-in factors, sign-ins and API keys of the signed-in person. */
export function AccountScreen() {
  return (
    <div className="mt-8 max-w-3xl">
      {useAllPartsLoaded() ? (
        <>
          <PendingApprovalList />
          <HelpedSection name="language" title={tShared('language.label')} body={tShared('language.body')}>
            <LanguageMenu isNamed />
          </HelpedSection>
          <Factors />
          <SignIns />
          <ApiKeysSection />
        </>
      ) : (
        <>
          <LoadingBlock label={t('loading')} />
          <LoadingBlock />
          <LoadingBlock />
        </>
      )}
    </div>
  );
}

/** True once all parts have loaded or failed, because a late part would move those below it. */
function useAllPartsLoaded(): boolean {
  const me = useMe();
  const isPerson = me?.kind === 'user';
  const answered = [
    useAnswered(paths.me),
    useAnswered(paths.callRequests),
    useAnswered(isPerson && me.role !== 'author' ? paths.editorialCalls : null),
    useAnswered(isPerson ? paths.factors : null),
    useAnswered(isPerson ? paths.signIns : null),
    useAnswered(paths.apiKeys),
  ];
  return useHasBeen(!answered.includes(false));
}
