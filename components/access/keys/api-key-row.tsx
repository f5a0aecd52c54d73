import clsx from 'clsx';
import { useState } from 'react';
import { TimeAgo } from '#components/admin/time-ago';
import { Button } from '#components/ui/button';
import { ConfirmDialog } from '#components/ui/confirm-dialog';
import { keys } from '#lib/access/keys-client';
import { reportFailure } from '#lib/ui/report-failure';
import { keyStrings as text } from '#lib/strings/keys';
import { useNow } from '#lib/ui/use-now';
import type { OwnedApiKey } from '#server/core/api-keys';

interface ApiKeyRowProps {
  readonly apiKey: OwnedApiKey;
  readonly isOwn: boolean;
  readonly onRevoked: () => void;
}

/** One key: what it is for, what it may do, when it was used. */
export function ApiKeyRow({ apiKey, isOwn, onRevoked }: ApiKeyRowProps) {
  const { id, name, prefix, scopes, lastUsedAt, createdAt, userName } = apiKey;
  const [isRevoking, setIsRevoking] = useState(false);
  const revoke = () => {
    keys.revoke(id).then(onRevoked, reportFailure);
  };
  return (
    <article aria-label={name} className="border-b border-rule py-4">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
            <span className="break-words">{name}</span>
            <code className="font-mono text-xs font-normal text-ink-2">{text.prefix(prefix)}</code>
            {!isOwn && (
              <span className="text-xs font-normal text-ink-2">
                {userName === null ? text.nobody : text.owner(userName)}
              </span>
            )}
          </h3>
          <p className="mt-0.5 text-sm text-ink-2">{scopes.map((scope) => text.scopes[scope].name).join(' · ')}</p>
          <p className="mt-0.5 flex flex-wrap gap-x-4 text-xs text-ink-3">
            <span>{text.created(createdAt)}</span>
            <span>
              {lastUsedAt === null ? (
                text.neverUsed
              ) : (
                <>
                  {text.lastUsed} <TimeAgo time={lastUsedAt} />
                </>
              )}
            </span>
            <Expires at={apiKey.expiresAt} />
          </p>
        </div>
        <Button
          variant="ghost"
          className="max-sm:-ml-3"
          aria-label={text.revokeOf(name)}
          onClick={() => setIsRevoking(true)}
        >
          {text.revoke}
        </Button>
      </div>
      <ConfirmDialog
        open={isRevoking}
        onOpenChange={setIsRevoking}
        title={text.revokeTitle(name)}
        body={text.revokeBody}
        confirm={text.revoke}
        onConfirm={revoke}
      />
    </article>
  );
}

function Expires({ at }: { readonly at: number | null }) {
  const now = useNow(60_000);
  if (at === null) return <span>{text.neverExpires}</span>;
  const isOver = now !== null && at <= now;
  return <span className={clsx(isOver && 'text-red')}>{isOver ? text.expired(at) : text.expires(at)}</span>;
}
