'use client';

import { apiKeyRequests } from '#components/keys/api-key-requests.ts';
import { ApiKeyDialog, NewKeyDialog } from '#components/keys/api-key-dialog';
import clsx from 'clsx';
import { Plus } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { ACCOUNT_PATH, DOCS_PATH } from '#components/workspace/navigation.ts';
import { dates } from '#components/format.ts';
import { translator } from '#components/i18n.ts';
import { CopyButton } from '#components/ui/controls/copy-button';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { HelpedSection } from '#components/ui/help-section';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { useHasBeen, useNow, useOpened } from '#components/ui/hooks.ts';
import { NotLoaded } from '#components/ui/notices';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { OwnedApiKey } from '#server/core/admin/api-keys';
import type { Scope } from '#server/core/admin/access-rights';
import { TimeAgo } from '#components/ui/page-parts';
import { useApi } from '#components/api/use-api.ts';
import { paths } from '#components/api/paths.ts';

const t = translator('apiKeys');
const tCalls = translator('calls');
const day = dates({ dateStyle: 'medium' });

/** Proposed scopes of a key for another assistant: it works on drafts, and needs an approval for everything else. */
const FOR_ASSISTANTS: readonly Scope[] = ['content:draft'];

/** API keys on the settings page and on the account page. */
export function ApiKeysSection() {
  return (
    <HelpedSection name="api-keys" title={t('title')} body={t('body')}>
      <ApiKeys />
    </HelpedSection>
  );
}

/** The user's own keys; administrators may see all keys. */
function ApiKeys() {
  const { data: me } = useApi(paths.me);
  const [isAll, setIsAll] = useState(false);
  const { data, error, mutate } = useApi(isAll ? paths.allApiKeys : paths.apiKeys);
  /** Opened with the proposed scopes of the new key. */
  const dialog = useOpened<readonly Scope[] | undefined>();
  /** New keys that the user has not seen yet, including one whose dialog was closed before the response arrived. */
  const [made, setMade] = useState<readonly string[]>([]);
  const refresh = () => void mutate();
  // Stays mounted while the keys of others are loading or cannot be loaded, because it contains their checkbox.
  const hasLoaded = useHasBeen(data !== undefined);
  return (
    <div className="border-t border-rule">
      {data ? (
        <>
          {data.items.length === 0 && <p className="border-b border-rule py-5 text-sm text-ink-2">{t('empty')}</p>}
          <ul>
            {data.items.map((key) => (
              <li key={key.id} ref={passOnFocus}>
                <ApiKeyRow apiKey={key} isOwn={key.userId === me?.id} onRevoked={refresh} />
              </li>
            ))}
          </ul>
        </>
      ) : (
        <NotLoaded title={t('loadFailed')} error={error} loading={t('loading')} onRetry={refresh} />
      )}
      {hasLoaded && (
        <>
          <div className="mt-4 flex flex-wrap items-center justify-between gap-x-8 gap-y-3">
            <Button className="h-9" onClick={() => dialog.open(undefined)}>
              <Plus aria-hidden className="size-4" />
              {t('add')}
            </Button>
            <Link href={DOCS_PATH} className="text-sm text-accent underline underline-offset-2">
              {t('reference')}
            </Link>
            {me?.kind === 'user' && me.role === 'admin' && (
              <label className="flex items-center gap-2 text-sm text-ink-2">
                <input
                  type="checkbox"
                  checked={isAll}
                  onChange={(event) => setIsAll(event.target.checked)}
                  className="size-4 accent-accent"
                />
                {t('ofEverybody')}
              </label>
            )}
          </div>
          <ConnectAssistant onCreateKey={() => dialog.open(FOR_ASSISTANTS)} />
        </>
      )}
      {dialog.opened && me && (
        <ApiKeyDialog
          role={me.role}
          proposed={dialog.opened.target}
          onCreated={(key) => {
            dialog.close();
            setMade((before) => [...before, key]);
            refresh();
          }}
          onClose={dialog.close}
        />
      )}
      {made[0] !== undefined && (
        <NewKeyDialog key={made[0]} value={made[0]} onClose={() => setMade((before) => before.slice(1))} />
      )}
    </div>
  );
}

interface ApiKeyRowProps {
  readonly apiKey: OwnedApiKey;
  readonly isOwn: boolean;
  readonly onRevoked: () => void;
}

/** One key: name, scopes, dates, and a button to revoke it. */
function ApiKeyRow({ apiKey, isOwn, onRevoked }: ApiKeyRowProps) {
  const { id, name, prefix, scopes, lastUsedAt, createdAt, userName } = apiKey;
  const [isRevoking, setIsRevoking] = useState(false);
  const revoke = () => {
    apiKeyRequests.revoke(id).then(onRevoked, reportFailure);
  };
  const shortened = apiKey.oauthClientId === null ? `${prefix}…` : null;
  return (
    <article aria-label={name} className="border-b border-rule py-4">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
            <span className="break-words">{name}</span>
            {shortened === null ? (
              <span className="text-xs font-normal text-ink-2">{t('connected')}</span>
            ) : (
              <code className="font-mono text-xs font-normal text-ink-2">{shortened}</code>
            )}
            {!isOwn && (
              <span className="text-xs font-normal text-ink-2">
                {userName === null ? t('nobody') : t('owner', { name: userName })}
              </span>
            )}
          </h3>
          <p className="mt-0.5 text-sm text-ink-2">{scopes.map((scope) => t(`scopes.${scope}.name`)).join(' · ')}</p>
          <p className="mt-0.5 flex flex-wrap gap-x-4 text-xs text-ink-3">
            <span>{t('created', { date: day.format(createdAt) })}</span>
            <span>
              {lastUsedAt === null ? (
                t('neverUsed')
              ) : (
                <>
                  {t('lastUsed')} <TimeAgo time={lastUsedAt} />
                </>
              )}
            </span>
            <Expires at={apiKey.expiresAt} />
          </p>
        </div>
        <Button
          variant="ghost"
          className="max-sm:-ml-3"
          aria-label={t('revokeOf', { name })}
          onClick={() => setIsRevoking(true)}
        >
          {t('revoke')}
        </Button>
      </div>
      <ConfirmDialog
        open={isRevoking}
        onOpenChange={setIsRevoking}
        title={t('revokeTitle', { name })}
        body={t('revokeBody')}
        confirm={t('revoke')}
        onConfirm={revoke}
      />
    </article>
  );
}

function Expires({ at }: { readonly at: number | null }) {
  const now = useNow(60_000);
  if (at === null) return <span>{t('neverExpires')}</span>;
  const isOver = now !== null && at <= now;
  return (
    <span className={clsx(isOver && 'text-red')}>
      {isOver ? t('expired', { date: day.format(at) }) : t('expires', { date: day.format(at) })}
    </span>
  );
}

/** Address and configuration for another assistant. Rendered in the browser, which knows the server's address. */
function ConnectAssistant({ onCreateKey }: { readonly onCreateKey: () => void }) {
  const url = new URL('/mcp', window.location.origin).href;
  const headers = { Authorization: `Bearer ${tCalls('connect.key')}` };
  const snippet = JSON.stringify({ mcpServers: { throughline: { type: 'http', url, headers } } }, null, 2);
  return (
    <details className="mt-6 rounded-lg border border-rule px-4 py-3">
      <summary className="w-fit cursor-pointer rounded text-sm font-medium">{tCalls('connect.title')}</summary>
      <p className="mt-2 max-w-[62ch] text-sm text-ink-2">
        {tCalls('connect.body')}{' '}
        <Link href={ACCOUNT_PATH} className="text-accent underline underline-offset-2">
          {tCalls('connect.account')}
        </Link>
        {tCalls('connect.end')}
      </p>
      <Button className="mt-3" onClick={onCreateKey}>
        {tCalls('connect.create')}
      </Button>
      <p className="mt-2 max-w-[62ch] text-xs text-ink-2">{tCalls('connect.former')}</p>
      <h4 className="mt-3 text-xs font-medium text-ink-2">{tCalls('connect.address')}</h4>
      <div className="flex items-center gap-2">
        <code className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{url}</code>
        <CopyButton text={url} label={tCalls('connect.copyAddress')} />
      </div>
      <h4 className="mt-3 text-xs font-medium text-ink-2">{tCalls('connect.snippet')}</h4>
      <div className="mt-1 flex items-start gap-2 rounded-md border border-rule bg-paper px-3 py-2">
        <pre className="min-w-0 flex-1 overflow-x-auto font-mono text-xs">{snippet}</pre>
        <CopyButton text={snippet} label={tCalls('connect.copySnippet')} />
      </div>
    </details>
  );
}
