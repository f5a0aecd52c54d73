'use client';

import { useState } from 'react';
import { access, useMe } from '#components/access/access-client.ts';
import { translator } from '#components/i18n.ts';
import { HelpedSection } from '#components/ui/help-section';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { NotLoaded } from '#components/ui/notices';
import { TimeAgo } from '#components/ui/page-parts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { useApi } from '#components/api/use-api.ts';
import { paths } from '#components/api/paths.ts';
import type { SignIn } from '#server/core/admin/people';

const t = translator('access.signIns');

/** Section about the browsers in which the user is signed in; renders nothing in local mode. */
export function SignIns() {
  const isPerson = useMe()?.kind === 'user';
  return isPerson ? (
    <HelpedSection name="sign-ins" title={t('title')} body={t('body')}>
      <List />
    </HelpedSection>
  ) : null;
}

function List() {
  const { data, error, mutate } = useApi(paths.signIns);
  const [isAsking, setIsAsking] = useState(false);
  if (!data) return <NotLoaded title={t('loadFailed')} error={error} onRetry={() => mutate()} />;
  const end = (id: string) =>
    void access
      .endSignIn(id)
      .then(() => mutate())
      .catch(reportFailure);
  return (
    <div className="border-t border-rule">
      <ul>
        {data.items.map((signIn) => (
          <li key={signIn.id} ref={passOnFocus}>
            <Row signIn={signIn} onEnd={() => end(signIn.id)} />
          </li>
        ))}
      </ul>
      <Button className="mt-4 h-9" onClick={() => setIsAsking(true)}>
        {t('everywhere')}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('everywhereTitle')}
        body={t('everywhereBody')}
        confirm={t('everywhere')}
        onConfirm={() => void access.leave({ everywhere: true }).catch(reportFailure)}
      />
    </div>
  );
}

function Row({ signIn, onEnd }: { readonly signIn: SignIn; readonly onEnd: () => void }) {
  const { browser, isCurrent, address, createdAt, lastUsedAt } = signIn;
  const name = nameOf(browser);
  return (
    <article aria-label={name} className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-rule py-3.5">
      <div className="min-w-0 flex-1 basis-56">
        <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
          {name}
          {isCurrent && <span className="text-xs font-normal text-accent">{t('current')}</span>}
        </h3>
        <p className="mt-0.5 flex flex-wrap gap-x-4 text-xs text-ink-3">
          <span>
            {t('since')} <TimeAgo time={createdAt} />
          </span>
          <span>
            {t('lastUsed')} <TimeAgo time={lastUsedAt} />
          </span>
          {address !== null && <span>{address}</span>}
        </p>
      </div>
      {!isCurrent && (
        <Button variant="ghost" aria-label={t('endOf', { browser: name })} onClick={onEnd}>
          {t('end')}
        </Button>
      )}
    </article>
  );
}

/**
 * Mark in the user agent and name of each browser. The order matters: the user agent of each also contains the marks of
 * those after it.
 */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
/** Mark in the user agent and name of each operating system. */
const SYSTEMS = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Readable name of a user agent: `Firefox on Linux`. */
function nameOf(userAgent: string | null): string {
  const found = (names: readonly (readonly [string, string])[]) =>
    names.find(([mark]) => userAgent?.includes(mark))?.[1];
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)];
  if (browser === undefined) return userAgent?.split('/')[0]?.slice(0, 40) || t('unknown');
  return system === undefined ? browser : t('on', { browser, system });
}
