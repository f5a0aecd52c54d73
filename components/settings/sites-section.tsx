import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { toast } from '#components/toast';
import useSWR, { useSWRConfig } from 'swr';
import { paths } from '#components/api/paths';
import { HelpedSection } from '#components/ui/help-section';
import { OWN_SITE, OwnSiteRow, siteApi, SiteDialog, SITES_PATH, WordPressRow } from '#components/settings/site-dialog';
import { sitesStrings } from '#components/settings/site-words';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs';
import { refocus } from '#components/ui/focus';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { useOpened } from '#components/ui/hooks';
import { NotLoaded } from '#components/ui/notices';
import { reportFailure } from '#components/ui/toasts';
import type { SitesReport, WordPressSite } from '#server/core/remote-site';

/** Polling interval while a site is being fetched; milliseconds. */
const LOOK_AGAIN_MS = 1_000;

interface Target {
  readonly id: string;
  readonly name: string;
}

/** The built-in site and all connected ones, with the standard one of them. */
export function SitesSection() {
  const { mutate: mutateKey } = useSWRConfig();
  const { data, error, mutate } = useSWR<SitesReport, Error>(SITES_PATH, {
    // Once it is fetched it can be chosen at the top of the page.
    onSuccess: () => void mutateKey(paths.sites),
    refreshInterval: (report) => (report?.wordpress.some(({ pulling }) => pulling !== null) ? LOOK_AGAIN_MS : 0),
  });
  const list = useRef<HTMLUListElement>(null);
  /** The site; null: a new one. */
  const dialog = useOpened<WordPressSite | null>();
  const [target, setTarget] = useState<Target | null>(null);
  const [leaving, setLeaving] = useState<Target | null>(null);
  const take = (report: SitesReport) => {
    void mutate(report, { revalidate: false });
    void mutateKey(paths.sites);
  };

  const firstButton = () => list.current?.querySelector<HTMLElement>('button');
  const makeStandard = async ({ id, name }: Target) => {
    try {
      take(await siteApi.activate(id));
      toast(sitesStrings.switchTo.done(name));
      // What was pressed is gone.
      refocus(firstButton);
    } catch (failure) {
      reportFailure(failure);
    }
  };
  const disconnect = async ({ id, name }: Target) => {
    try {
      await siteApi.disconnect(id);
      await Promise.all([mutate(), mutateKey(paths.sites)]);
      toast(sitesStrings.leave.done(name));
    } catch (failure) {
      reportFailure(failure);
    }
  };

  return (
    <HelpedSection name="site" title={sitesStrings.title} body={sitesStrings.body}>
      <div className="border-t border-rule">
        {data ? (
          <>
            <ul ref={list}>
              <li>
                <OwnSiteRow
                  isActive={data.activeSiteId === OWN_SITE}
                  onWork={() => setTarget({ id: OWN_SITE, name: sitesStrings.own })}
                />
              </li>
              {data.wordpress.map((site) => (
                <li key={site.id} ref={passOnFocus}>
                  <WordPressRow
                    site={site}
                    onWork={() => setTarget(site)}
                    onPull={() => siteApi.pull(site.id).then(take, reportFailure)}
                    onEdit={() => dialog.open(site)}
                    onDisconnect={() => setLeaving(site)}
                  />
                </li>
              ))}
            </ul>
            {data.wordpress.length === 0 && (
              <p className="border-b border-rule py-5 text-sm text-ink-2">{sitesStrings.empty}</p>
            )}
            <Button className="mt-4 h-9" onClick={() => dialog.open(null)}>
              <Plus aria-hidden className="size-4" />
              {sitesStrings.connect}
            </Button>
          </>
        ) : (
          <NotLoaded title={sitesStrings.loadFailed} error={error} onRetry={() => mutate()} />
        )}
      </div>
      {dialog.opened && (
        <SiteDialog
          site={dialog.opened.target}
          onSaved={(report) => {
            take(report);
            dialog.close();
          }}
          onClose={dialog.close}
        />
      )}
      {target && (
        <ConfirmDialog
          open
          variant="primary"
          onOpenChange={(open) => !open && setTarget(null)}
          title={sitesStrings.switchTo.title(target.name)}
          body={sitesStrings.switchTo.body(target.name)}
          confirm={sitesStrings.switchTo.confirm}
          onConfirm={() => void makeStandard(target)}
          near={firstButton}
        />
      )}
      {leaving && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setLeaving(null)}
          title={sitesStrings.leave.title(leaving.name)}
          body={sitesStrings.leave.body}
          confirm={sitesStrings.disconnect}
          onConfirm={() => void disconnect(leaving)}
        />
      )}
    </HelpedSection>
  );
}
