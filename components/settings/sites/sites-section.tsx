import { translator } from '#components/i18n.ts';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { toast } from 'sonner';
import { useSWRConfig } from 'swr';
import { paths } from '#components/api/paths.ts';
import { HelpedSection } from '#components/ui/help-section';
import { OWN_SITE, siteApi } from '#components/settings/sites/site-api.ts';
import { OwnSiteRow, WordPressRow } from '#components/settings/sites/site-rows';
import { SiteDialog } from '#components/settings/sites/site-dialog';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { refocus } from '#components/ui/focus/focus.ts';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { useOpened } from '#components/ui/hooks.ts';
import { NotLoaded } from '#components/ui/notices';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { useApi } from '#components/api/use-api.ts';
import type { SitesReport, WordPressSite } from '#server/core/site/remote-site';

const t = translator('sites');

/** Polling interval while a site is being imported; milliseconds. */
const REFRESH_INTERVAL_MS = 1_000;

/** A site about which the user is asked. */
interface Target {
  readonly id: string;
  readonly name: string;
}

/** The built-in site and all connected ones, with the default site. */
export function SitesSection() {
  const { mutate: mutateKey } = useSWRConfig();
  const { data, error, mutate } = useApi(paths.connectedSites, {
    // An imported site can be chosen at the top of the page.
    onSuccess: () => void mutateKey(paths.sites),
    refreshInterval: (report) => (report?.wordpress.some(({ pulling }) => pulling !== null) ? REFRESH_INTERVAL_MS : 0),
  });
  const list = useRef<HTMLUListElement>(null);
  /** The site that the dialog changes; null: a new one. */
  const dialog = useOpened<WordPressSite | null>();
  /** Site to make the default one, after a confirmation. */
  const [target, setTarget] = useState<Target | null>(null);
  /** Site to disconnect, after a confirmation. */
  const [leaving, setLeaving] = useState<Target | null>(null);
  const showReport = (report: SitesReport) => {
    void mutate(report, { revalidate: false });
    void mutateKey(paths.sites);
  };

  const firstButton = () => list.current?.querySelector<HTMLElement>('button');
  const makeDefault = async ({ id, name }: Target) => {
    try {
      showReport(await siteApi.activate(id));
      toast(t('switchTo.done', { name }));
      // The pressed button is gone.
      refocus(firstButton);
    } catch (failure) {
      reportFailure(failure);
    }
  };
  const disconnect = async ({ id, name }: Target) => {
    try {
      await siteApi.disconnect(id);
      await Promise.all([mutate(), mutateKey(paths.sites)]);
      toast(t('leave.done', { name }));
    } catch (failure) {
      reportFailure(failure);
    }
  };

  return (
    <HelpedSection name="site" title={t('title')} body={t('body')}>
      <div className="border-t border-rule">
        {data ? (
          <>
            <ul ref={list}>
              <li>
                <OwnSiteRow
                  isActive={data.activeSiteId === OWN_SITE}
                  onMakeDefault={() => setTarget({ id: OWN_SITE, name: t('own') })}
                />
              </li>
              {data.wordpress.map((site) => (
                <li key={site.id} ref={passOnFocus}>
                  <WordPressRow
                    site={site}
                    onMakeDefault={() => setTarget(site)}
                    onPull={() => siteApi.pull(site.id).then(showReport, reportFailure)}
                    onEdit={() => dialog.open(site)}
                    onDisconnect={() => setLeaving(site)}
                  />
                </li>
              ))}
            </ul>
            {data.wordpress.length === 0 && (
              <p className="border-b border-rule py-5 text-sm text-ink-2">{t('empty')}</p>
            )}
            <Button className="mt-4 h-9" onClick={() => dialog.open(null)}>
              <Plus aria-hidden className="size-4" />
              {t('connect')}
            </Button>
          </>
        ) : (
          <NotLoaded title={t('loadFailed')} error={error} onRetry={() => mutate()} />
        )}
      </div>
      {dialog.opened && (
        <SiteDialog
          site={dialog.opened.target}
          onSaved={(report) => {
            showReport(report);
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
          title={t('switchTo.title', { name: target.name })}
          body={t('switchTo.body', { name: target.name })}
          confirm={t('switchTo.confirm')}
          onConfirm={() => void makeDefault(target)}
          near={firstButton}
        />
      )}
      {leaving && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setLeaving(null)}
          title={t('leave.title', { name: leaving.name })}
          body={t('leave.body')}
          confirm={t('disconnect')}
          onConfirm={() => void disconnect(leaving)}
        />
      )}
    </HelpedSection>
  );
}
