'use client';

import { useId, useState } from 'react';
import useSWRInfinite from 'swr/infinite';
import { AuditTable } from '#components/admin/audit/audit-table';
import { PageTitle } from '#components/admin/page-title';
import { Button } from '#components/ui/button';
import { Notice } from '#components/ui/notice';
import { auditStrings as text } from '#lib/strings/audit';
import type { AuditAction, AuditPage as Page } from '#server/core/audit';

/** What of the log is looked at. */
interface View {
  readonly action: AuditAction | null;
  readonly by: { readonly id: string; readonly name: string } | null;
}

const auditActions = Object.keys(text.actions) as AuditAction[];
const everything: View = { action: null, by: null };

function pathOf({ action, by }: View, cursor: string | null): string {
  const params = new URLSearchParams();
  if (action !== null) params.set('action', action);
  if (by !== null) params.set('userId', by.id);
  if (cursor !== null) params.set('cursor', cursor);
  return `/api/admin/audit?${params}`;
}

/** Who did what, the newest first. */
export function AuditPage() {
  const [view, setView] = useState(everything);
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<Page, Error>(
    (index, previous: Page | null) =>
      index > 0 && !previous?.nextCursor ? null : pathOf(view, previous?.nextCursor ?? null),
  );
  const entries = data?.flatMap(({ items }) => items);
  const isLoadingMore = isValidating && data !== undefined && size > data.length;
  return (
    <>
      <PageTitle title={text.title} intro={text.intro} />
      <Filters view={view} onChange={setView} />
      {entries === undefined ? (
        error ? (
          <Notice title={text.failed} body={error.message} action={{ label: text.retry, run: () => void mutate() }} />
        ) : (
          <Placeholder />
        )
      ) : entries.length === 0 ? (
        view === everything ? (
          <Notice title={text.empty} body={text.emptyBody} />
        ) : (
          <Notice title={text.noMatch} action={{ label: text.all, run: () => setView(everything) }} />
        )
      ) : (
        <AuditTable entries={entries} onUser={(by) => setView({ ...view, by })} />
      )}
      {data?.at(-1)?.nextCursor && (
        <Button className="mt-6" disabled={isLoadingMore} onClick={() => void setSize(data.length + 1)}>
          {isLoadingMore ? text.loadingMore : text.more}
        </Button>
      )}
    </>
  );
}

function Filters({ view, onChange }: { readonly view: View; readonly onChange: (view: View) => void }) {
  const id = useId();
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-3 text-sm text-ink-2">
      <div className="flex items-center gap-2">
        <label htmlFor={id}>{text.filter}</label>
        <select
          id={id}
          value={view.action ?? ''}
          onChange={({ target }) =>
            onChange({ ...view, action: auditActions.find((action) => action === target.value) ?? null })
          }
          className="h-9 rounded-md border border-rule-strong bg-sheet px-2 text-sm text-ink"
        >
          <option value="">{text.anyAction}</option>
          {auditActions.map((action) => (
            <option key={action} value={action}>
              {text.actions[action]}
            </option>
          ))}
        </select>
      </div>
      {view.by && (
        <div className="flex items-center gap-2">
          {text.byOne(view.by.name)}
          <Button variant="ghost" onClick={() => onChange({ ...view, by: null })}>
            {text.everybody}
          </Button>
        </div>
      )}
    </search>
  );
}

/** As high as a few rows, so that little jumps. */
function Placeholder() {
  return (
    <>
      <output className="sr-only">{text.loading}</output>
      <div aria-hidden className="mt-6 flex animate-breathe flex-col gap-4">
        {[0, 1, 2, 3, 4, 5].map((row) => (
          <div key={row} className="h-9 rounded bg-rule" />
        ))}
      </div>
    </>
  );
}
