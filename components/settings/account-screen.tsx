'use client';

import { accessPaths, useMe } from '#components/access/access-client';
import { Factors } from '#components/access/factors';
import { SignIns } from '#components/access/sign-ins';
import { paths } from '#components/api/paths';
import { WaitingCalls } from '#components/calls/waiting-calls';
import { keyPaths } from '#components/keys/api-key-dialog';
import { keyStrings } from '#components/keys/words';
import { ApiKeysSection } from '#components/settings/settings-form';
import { LanguageMenu } from '#components/shell/language-menu';
import { HelpedSection } from '#components/ui/help-section';
import { useAnswered, useHasBeen } from '#components/ui/hooks';
import { LoadingBlock } from '#components/ui/notices';
import { strings } from '#components/words';

/** Waiting calls, language, sign-ins and API keys of the signed-in person, shown all at once. */
export function AccountScreen() {
  return (
    <div className="mt-8 max-w-3xl">
      {useIsWhole() ? (
        <>
          <WaitingCalls />
          <HelpedSection name="language" title={strings.language.label} body={strings.language.body}>
            <LanguageMenu isNamed />
          </HelpedSection>
          <Factors />
          <SignIns />
          <ApiKeysSection />
        </>
      ) : (
        <>
          <LoadingBlock label={keyStrings.account.loading} />
          <LoadingBlock />
          <LoadingBlock />
        </>
      )}
    </div>
  );
}

/** True once what the parts show is there, or could not be loaded: one that came later would move those below. */
function useIsWhole(): boolean {
  const me = useMe();
  const isPerson = me?.kind === 'user';
  const answered = [
    useAnswered(accessPaths.me),
    useAnswered(paths.callRequests),
    useAnswered(isPerson && me.role !== 'author' ? paths.editorialCalls : null),
    useAnswered(isPerson ? accessPaths.factors : null),
    useAnswered(isPerson ? accessPaths.signIns : null),
    useAnswered(keyPaths.own),
  ];
  return useHasBeen(!answered.includes(false));
}
