'use client';

import useSWR from 'swr';
import { accessPaths, useMe } from '#components/access/access-client.ts';
import { paths } from '#components/api/paths.ts';
import { useSites } from '#components/workspace/site-of-page';
import { keyPaths } from '#components/keys/api-key-requests.ts';
import { SITES_PATH } from '#components/settings/sites/site-api.ts';
import { SettingsForm } from '#components/settings/settings-form';
import { settingsStrings } from '#components/settings/words.ts';
import { useAnswered, useHasBeen } from '#components/ui/hooks.ts';
import { LoadFailed } from '#components/ui/notices';
import { PageTitle } from '#components/ui/page-parts';
import type { StandingReport } from '#server/core/site/standing-instructions';
import type { SettingsReport } from '#server/core/admin/settings-report';

/** The settings page, rendered once all its data has loaded, because a late part would move those below it. */
export function SettingsScreen() {
  const { data: report, error, mutate } = useSWR<SettingsReport, Error>(paths.engineSettings);
  const standing = useSWR<StandingReport, Error>(paths.standingInstructions);
  const { currentId } = useSites();
  const areOthersLoaded = useOtherPartsLoaded();
  const failure = error ?? standing.error;
  return (
    <>
      <PageTitle title={settingsStrings.title} intro={settingsStrings.intro} />
      {report && standing.data && areOthersLoaded ? (
        <SettingsForm
          report={report}
          siteId={currentId ?? ''}
          onSaved={(saved) => void mutate(saved, { revalidate: false })}
          standing={{
            saved: standing.data,
            onSaved: (saved) => void standing.mutate(saved, { revalidate: false }),
            reload: () => standing.mutate(),
          }}
        />
      ) : failure === undefined ? (
        <Placeholder />
      ) : (
        <LoadFailed
          title={settingsStrings.failed}
          error={failure}
          onRetry={() => void Promise.all([mutate(), standing.mutate()])}
        />
      )}
    </>
  );
}

/**
 * True once the other parts of the page have loaded, or failed and show an error. Stays true when another part has to
 * be loaded later, for example because the user's role was not known before.
 */
function useOtherPartsLoaded(): boolean {
  const hasPeople = useMe()?.kind === 'user';
  const answered = [
    useAnswered(SITES_PATH),
    useAnswered(paths.models),
    useAnswered(paths.toolServers),
    useAnswered(accessPaths.me),
    useAnswered(hasPeople ? accessPaths.people : null),
    useAnswered(keyPaths.own),
  ];
  return useHasBeen(!answered.includes(false));
}

/** Placeholder with the height of the form, to avoid layout shift. */
function Placeholder() {
  return (
    <div className="mt-10 min-h-[120vh] lg:ml-60">
      <output className="sr-only">{settingsStrings.loading}</output>
      <div aria-hidden className="flex max-w-3xl animate-breathe flex-col gap-6">
        {[0, 1, 2, 3, 4, 5].map((row) => (
          <div key={row} className="flex items-center justify-between border-b border-rule pb-6">
            <div className="flex flex-col gap-2">
              <div className="h-4 w-44 rounded bg-rule" />
              <div className="h-3 w-72 rounded bg-rule max-sm:w-48" />
            </div>
            <div className="h-9 w-40 rounded-md bg-rule max-sm:hidden" />
          </div>
        ))}
      </div>
    </div>
  );
}
