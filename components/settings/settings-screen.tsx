'use client';

import { useMe } from '#components/access/access-client.ts';
import { paths } from '#components/api/paths.ts';
import { useSites } from '#components/workspace/site-of-page';
import { SettingsForm } from '#components/settings/settings-form';
import { settingsStrings } from '#components/settings/words.ts';
import { useAnswered, useHasBeen } from '#components/ui/hooks.ts';
import { LoadFailed } from '#components/ui/notices';
import { PageTitle } from '#components/ui/page-parts';
import { useApi } from '#components/api/use-api.ts';

/** The settings page, rendered once all its data has loaded, because a late part would move those below it. */
export function SettingsScreen() {
  const { data: report, error, mutate } = useApi(paths.engineSettings);
  const standing = useApi(paths.standingInstructions);
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
    useAnswered(paths.connectedSites),
    useAnswered(paths.models),
    useAnswered(paths.toolServers),
    useAnswered(paths.me),
    useAnswered(hasPeople ? paths.people : null),
    useAnswered(paths.apiKeys),
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
