import { translator } from '#components/i18n.ts';
import type { ReactNode } from 'react';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { useShowTarget } from '#components/settings/form/settings-target.ts';
import { useHasBeen } from '#components/ui/hooks.ts';
import { LoadFailed } from '#components/ui/notices';
import type { SettingsReport } from '#server/core/admin/settings-report';

const t = translator('settings');

interface LoadedProps {
  /** True once all parts have loaded, or failed and show an error, because a late part would move those below it. */
  readonly isLoaded: boolean;
  readonly children: ReactNode;
}

/** Content of a settings page once it has loaded, and the element in it that the address leads to. */
export function Loaded({ isLoaded, children }: LoadedProps) {
  return useHasBeen(isLoaded) ? <Shown>{children}</Shown> : <Placeholder />;
}

function Shown({ children }: { readonly children: ReactNode }) {
  useShowTarget();
  return children;
}

interface ReportLoadedProps {
  /** True if everything else on the page has loaded. */
  readonly isLoaded: boolean;
  /** Why something else on the page could not be loaded. */
  readonly error?: Error | undefined;
  /** Loads that again. */
  readonly onRetry?: (() => unknown) | undefined;
  /** `onSaved` takes the settings in force after a save. */
  readonly children: (report: SettingsReport, onSaved: (saved: SettingsReport) => void) => ReactNode;
}

/** Content that shows the settings of the server, once these and everything else have loaded. */
export function ReportLoaded({ isLoaded, error, onRetry, children }: ReportLoadedProps) {
  const { data: report, error: ownError, mutate } = useApi(paths.engineSettings);
  const isShown = useHasBeen(isLoaded && report !== undefined);
  const failure = ownError ?? error;
  if (!isShown && failure !== undefined) {
    const retry = () => void Promise.all([mutate(), onRetry?.()]);
    return <LoadFailed title={t('failed')} error={failure} onRetry={retry} />;
  }
  return (
    <Loaded isLoaded={isShown}>
      {report && children(report, (saved) => void mutate(saved, { revalidate: false }))}
    </Loaded>
  );
}

/** Placeholder with the height of the form, to avoid layout shift. */
function Placeholder() {
  return (
    <div className="min-h-[120vh]">
      <output className="sr-only">{t('loading')}</output>
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
