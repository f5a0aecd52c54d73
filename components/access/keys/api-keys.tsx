'use client';

import { Plus } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import useSWR from 'swr';
import { ApiKeyDialog } from '#components/access/keys/api-key-dialog';
import { ApiKeyRow } from '#components/access/keys/api-key-row';
import { ConnectAssistant } from '#components/access/keys/connect-assistant';
import { NewKeyDialog } from '#components/access/keys/new-key-dialog';
import { Button } from '#components/ui/button';
import { Notice } from '#components/ui/notice';
import { accessPaths } from '#lib/access/access-client';
import { type ApiKeyList, keyPaths } from '#lib/access/keys-client';
import { DOCS_PATH } from '#lib/desk/navigation';
import { keyStrings as text } from '#lib/strings/keys';
import { useOpened } from '#lib/ui/use-opened';
import type { Me } from '#server/core/people';
import type { Scope } from '#server/core/principal';

/** Other assistants work on drafts; for the rest they ask. */
const FOR_ASSISTANTS: readonly Scope[] = ['content:draft'];

/** The keys of who looks at them; an administrator may see everybody's. */
export function ApiKeys() {
  const { data: me } = useSWR<Me, Error>(accessPaths.me);
  const [isAll, setIsAll] = useState(false);
  const { data, error, mutate } = useSWR<ApiKeyList, Error>(isAll ? keyPaths.all : keyPaths.own);
  /** With what the new key is proposed to do. */
  const dialog = useOpened<readonly Scope[] | undefined>();
  /** Keys that nobody has looked at: also one whose dialog was closed before the answer was there. */
  const [made, setMade] = useState<readonly string[]>([]);
  const refresh = () => void mutate();
  return (
    <div className="border-t border-rule">
      {data ? (
        <>
          {data.items.length === 0 && <p className="border-b border-rule py-5 text-sm text-ink-2">{text.empty}</p>}
          <ul>
            {data.items.map((key) => (
              <li key={key.id}>
                <ApiKeyRow apiKey={key} isOwn={key.userId === me?.id} onRevoked={refresh} />
              </li>
            ))}
          </ul>
          <div className="mt-4 flex flex-wrap items-center justify-between gap-x-8 gap-y-3">
            <Button className="h-9" onClick={() => dialog.open(undefined)}>
              <Plus aria-hidden className="size-4" />
              {text.add}
            </Button>
            <Link href={DOCS_PATH} className="text-sm text-accent underline underline-offset-2">
              {text.reference}
            </Link>
            {me?.kind === 'user' && me.role === 'admin' && (
              <label className="flex items-center gap-2 text-sm text-ink-2">
                <input
                  type="checkbox"
                  checked={isAll}
                  onChange={(event) => setIsAll(event.target.checked)}
                  className="size-4 accent-accent"
                />
                {text.ofEverybody}
              </label>
            )}
          </div>
          <ConnectAssistant onCreateKey={() => dialog.open(FOR_ASSISTANTS)} />
        </>
      ) : error ? (
        <Notice title={text.loadFailed} body={error.message} action={{ label: text.retry, run: refresh }} />
      ) : (
        <>
          <output className="sr-only">{text.loading}</output>
          <div aria-hidden className="my-5 h-16 animate-breathe rounded-md bg-rule" />
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
