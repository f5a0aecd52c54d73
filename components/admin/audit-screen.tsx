'use client';

import { paths } from '#components/api/paths.ts';
import { useApiPages } from '#components/api/use-api.ts';
import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { labelsOf } from '#components/labels.ts';
import { toolName } from '#components/chat/parts/tool-titles.ts';
import { localizedText } from '#components/message-text.ts';
import { Button } from '#components/ui/buttons';
import { ChoiceField } from '#components/ui/fields';
import { dayAndTime } from '#components/ui/times.ts';
import { LoadFailed, Notice } from '#components/ui/notices';
import { PageTitle } from '#components/ui/page-parts';
import type { AuditEntry, AuditPage } from '#server/core/admin/audit';
import { type AuditAction, auditActions } from '#server/core/admin/audit-actions';

const t = translator('audit');
const tSettings = translator('settings');

/** Filters of the log; null: not filtered. */
interface View {
  readonly action: AuditAction | null;
  readonly by: { readonly id: string; readonly name: string } | null;
}

const everything: View = { action: null, by: null };

/** Address of a page of entries; `cursor` null: the first page. */
function pathOf({ action, by }: View, cursor: string | null) {
  return paths.auditLog({ action: action ?? undefined, userId: by?.id, cursor: cursor ?? undefined });
}

/** The audit log, newest entries first. */
export function AuditScreen() {
  const [view, setView] = useState(everything);
  const { data, error, size, setSize, isValidating, mutate } = useApiPages((index, previous: AuditPage | null) =>
    index > 0 && !previous?.nextCursor ? null : pathOf(view, previous?.nextCursor ?? null),
  );
  const entries = data?.flatMap(({ items }) => items);
  const isLoadingMore = isValidating && data !== undefined && size > data.length;
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')} />
      <Filters view={view} onChange={setView} />
      {entries === undefined ? (
        error ? (
          <LoadFailed title={t('failed')} error={error} onRetry={() => void mutate()} />
        ) : (
          <Placeholder />
        )
      ) : entries.length === 0 ? (
        view === everything ? (
          <Notice title={t('empty')} body={t('emptyBody')} />
        ) : (
          <Notice title={t('noMatch')} action={{ label: t('all'), run: () => setView(everything) }} />
        )
      ) : (
        <AuditTable entries={entries} onUser={(by) => setView({ ...view, by })} />
      )}
      {data?.at(-1)?.nextCursor && (
        <Button className="mt-6" disabled={isLoadingMore} onClick={() => void setSize(data.length + 1)}>
          {isLoadingMore ? t('loadingMore') : t('more')}
        </Button>
      )}
    </>
  );
}

function Filters({ view, onChange }: { readonly view: View; readonly onChange: (view: View) => void }) {
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-3 text-sm text-ink-2">
      <ChoiceField
        label={t('filter')}
        any={t('anyAction')}
        choices={labelsOf(auditActions, (action) => t(`actions.${action}`))}
        value={view.action}
        onChange={(action) => onChange({ ...view, action })}
        onAny={() => onChange({ ...view, action: null })}
      />
      {view.by && (
        <div className="flex items-center gap-2">
          {t('byOne', { name: view.by.name })}
          <Button variant="ghost" onClick={() => onChange({ ...view, by: null })}>
            {t('everybody')}
          </Button>
        </div>
      )}
    </search>
  );
}

/** Placeholder while loading, about as high as the entries, to limit layout shift. */
function Placeholder() {
  return (
    <>
      <output className="sr-only">{t('loading')}</output>
      <div aria-hidden className="mt-6 flex animate-breathe flex-col gap-4">
        {[0, 1, 2, 3, 4, 5].map((row) => (
          <div key={row} className="h-9 rounded bg-rule" />
        ))}
      </div>
    </>
  );
}

interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  /** Called with a user to filter by. */
  readonly onUser: (user: { readonly id: string; readonly name: string }) => void;
}

/** One row per entry. On narrow screens, the address is below the name. */
function AuditTable({ entries, onUser }: AuditTableProps) {
  return (
    <table className="mt-6 w-full table-fixed border-collapse text-sm">
      <caption className="sr-only">{t('table')}</caption>
      <colgroup>
        <col className="w-40 max-sm:w-24" />
        <col className="w-56 max-sm:w-28" />
        <col />
        <col className="w-44 max-md:hidden" />
      </colgroup>
      <thead>
        <tr className="border-b border-rule-strong text-left text-xs text-ink-2">
          <th className="pb-2 font-normal">{t('columns.when')}</th>
          <th className="px-3 pb-2 font-normal">{t('columns.who')}</th>
          <th className="px-3 pb-2 font-normal">{t('columns.what')}</th>
          <th className="pb-2 pl-3 font-normal max-md:hidden">{t('columns.from')}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} onUser={onUser} />
        ))}
      </tbody>
    </table>
  );
}

/** Displayed name of the actor. */
export function actorOf({ actorName, actorMessage }: AuditEntry): string {
  return actorMessage === null ? actorName : localizedText(actorMessage, actorName);
}

/** Displayed name of the target of the action; null: none. Settings have the names of the settings pages. */
export function targetOf({ target, targetMessage, details }: AuditEntry): string | null {
  const settings = details?.['settings'];
  if (Array.isArray(settings))
    return settings
      .filter((name) => typeof name === 'string')
      .map((name) => tSettings.find(`labels.${name}`) ?? name)
      .join(', ');
  return target === null || targetMessage === null ? target : localizedText(targetMessage, target);
}

function Row({ entry, onUser }: { readonly entry: AuditEntry; readonly onUser: AuditTableProps['onUser'] }) {
  const { action, userId, keyId, details, ipAddress, createdAt } = entry;
  const actorName = actorOf(entry);
  const target = targetOf(entry);
  const tool = details?.['tool'];
  return (
    <tr className="border-b border-rule align-top [&>td]:py-2.5">
      <td className="text-ink-2 tabular-nums">
        <time dateTime={new Date(createdAt).toISOString()}>{dayAndTime(createdAt)}</time>
      </td>
      <td className="px-3">
        {userId === null ? (
          <span className="break-words text-ink-2">{actorName}</span>
        ) : (
          <button
            type="button"
            aria-label={t('onlyBy', { name: actorName })}
            onClick={() => onUser({ id: userId, name: actorName })}
            className="max-w-full rounded text-left break-words hover:underline"
          >
            {actorName}
          </button>
        )}
        {keyId !== null && <p className="text-xs text-ink-3">{t('withKey')}</p>}
        {ipAddress !== null && <p className="font-mono text-2xs break-all text-ink-3 md:hidden">{ipAddress}</p>}
      </td>
      <td className="px-3">
        <p>
          {typeof tool === 'string'
            ? t('withTool', { action: t(`actions.${action}`), tool: toolName(tool) })
            : t(`actions.${action}`)}
        </p>
        {target !== null && <p className="text-xs break-words text-ink-2">{target}</p>}
      </td>
      <td className="pl-3 font-mono text-xs break-all text-ink-2 max-md:hidden">{ipAddress ?? t('unknownAddress')}</td>
    </tr>
  );
}
