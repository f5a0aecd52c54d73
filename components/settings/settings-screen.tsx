'use client';

import useSWR from 'swr';
import { accessPaths, useMe } from '#components/access/access-client';
import { paths } from '#components/api/paths';
import { useSites } from '#components/desk/site-of-page';
import { keyPaths } from '#components/keys/api-key-dialog';
import { SITES_PATH } from '#components/settings/site-dialog';
import { SettingsForm } from '#components/settings/settings-form';
import { settingsStrings } from '#components/settings/words';
import { useAnswered, useHasBeen } from '#components/ui/hooks';
import { LoadFailed } from '#components/ui/notices';
import { PageTitle } from '#components/ui/page-parts';
import type { StandingReport } from '#server/core/content';
import type { SettingsReport } from '#server/core/settings-report';

/** The settings page, once its data is there: all of it, for a part that came later would move those below. */
export function SettingsScreen() {
  const { data: report, error, mutate } = useSWR<SettingsReport, Error>(paths.engineSettings);
  const standing = useSWR<StandingReport, Error>(paths.standingInstructions);
  const { currentId } = useSites();
  const isWhole = useOtherParts();
  const failure = error ?? standing.error;
  return (
    <>
      <PageTitle title={settingsStrings.title} intro={settingsStrings.intro} />
      {report && standing.data && isWhole ? (
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
 * True once what the other parts of the page show is there, or could not be loaded, as the part then says. What is learned
 * later, as who looks, may need more: that loads in its place.
 */
function useOtherParts(): boolean {
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

/** Placeholder with the height of the form, so that nothing jumps. */
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
