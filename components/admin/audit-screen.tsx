'use client';

import { paths } from '#components/api/paths.ts';
import { useApi, useApiPages } from '#components/api/use-api.ts';
import { useMe } from '#components/access/access-client.ts';
import {
  auditExportPath,
  type AuditView,
  auditViewPath,
  entriesPath,
  everything,
  parseAuditView,
} from '#components/admin/audit-view.ts';
import { number } from '#components/format.ts';
import { shownNumber, unitName } from '#components/settings/form/number-text.ts';
import type { DisplayUnit } from '#server/core/admin/display-units';
import { useAddressQuery } from '#components/workspace/address-query.ts';
import { isCodedMessage } from '#server/core/message-data';
import { translator } from '#components/i18n.ts';
import { labelsOf } from '#components/labels.ts';
import { toolName } from '#components/chat/parts/tool-titles.ts';
import { localizedText } from '#components/message-text.ts';
import { DayField } from '#components/ui/controls/day-field';
import { Button } from '#components/ui/buttons';
import { ChoiceField } from '#components/ui/fields';
import { dayAndTime } from '#components/ui/times.ts';
import { LoadFailed, Notice } from '#components/ui/notices';
import { PageTitle } from '#components/ui/page-parts';
import type { AuditChange, AuditEntry, AuditPage } from '#server/core/admin/audit';
import { auditActions } from '#server/core/admin/audit-actions';

const t = translator('audit');
const tSettings = translator('settings');
const tRoles = translator('access.account.roles');
const tKeys = translator('apiKeys.scopes');

/** Units of the settings that are numbers, by their names. */
export type SettingUnits = Readonly<Record<string, { readonly displayUnit: DisplayUnit; readonly unit: string }>>;

/** The audit log, newest entries first. */
export function AuditScreen({ units }: { readonly units: SettingUnits }) {
  const [query, replaceAddress] = useAddressQuery();
  const view = parseAuditView(new URLSearchParams(query.toString()));
  const setView = (changed: AuditView) => replaceAddress(auditViewPath(changed));
  const { data, error, size, setSize, isValidating, mutate } = useApiPages((index, previous: AuditPage | null) =>
    index > 0 && !previous?.nextCursor ? null : entriesPath(view, previous?.nextCursor ?? null),
  );
  const entries = data?.flatMap(({ items }) => items);
  const isLoadingMore = isValidating && data !== undefined && size > data.length;
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')} />
      <Filters view={view} entries={entries ?? []} onChange={setView} />
      {entries === undefined ? (
        error ? (
          <LoadFailed title={t('failed')} error={error} onRetry={() => void mutate()} />
        ) : (
          <Placeholder />
        )
      ) : entries.length === 0 ? (
        auditViewPath(view) === auditViewPath(everything) ? (
          <Notice title={t('empty')} body={t('emptyBody')} />
        ) : (
          <Notice title={t('noMatch')} action={{ label: t('all'), run: () => setView(everything) }} />
        )
      ) : (
        <AuditTable entries={entries} units={units} onUser={({ id }) => setView({ ...view, by: id })} />
      )}
      {data?.at(-1)?.nextCursor && (
        <Button className="mt-6" disabled={isLoadingMore} onClick={() => void setSize(data.length + 1)}>
          {isLoadingMore ? t('loadingMore') : t('more')}
        </Button>
      )}
    </>
  );
}

interface FiltersProps {
  readonly view: AuditView;
  /** Entries on the screen: their actors can be chosen where nobody has an account. */
  readonly entries: readonly AuditEntry[];
  readonly onChange: (view: AuditView) => void;
}

function Filters({ view, entries, onChange }: FiltersProps) {
  const people = useApi(useMe()?.kind === 'user' ? paths.people : null).data?.items ?? [];
  const actors = new Map([
    ...(view.by === null ? [] : [[view.by, view.by] as const]),
    ...entries.flatMap((entry) => (entry.userId === null ? [] : [[entry.userId, actorOf(entry)] as const])),
    ...people.map(({ id, name }) => [id, name] as const),
  ]);
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
      <ChoiceField
        label={t('columns.who')}
        any={t('anybody')}
        choices={Object.fromEntries(actors)}
        value={view.by}
        onChange={(by) => onChange({ ...view, by })}
        onAny={() => onChange({ ...view, by: null })}
      />
      <DayField
        label={t('fromDay')}
        value={view.from ?? ''}
        onChange={(from) => onChange({ ...view, from: from || null })}
      />
      <DayField label={t('toDay')} value={view.to ?? ''} onChange={(to) => onChange({ ...view, to: to || null })} />
      <span className="flex gap-4">
        {(['csv', 'json'] as const).map((format) => (
          <a key={format} href={auditExportPath(view, format)} download className="underline underline-offset-3">
            {t(`export.${format}`)}
          </a>
        ))}
      </span>
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
  readonly units: SettingUnits;
  /** Called with a user to filter by. */
  readonly onUser: (user: { readonly id: string; readonly name: string }) => void;
}

/** One row per entry. On narrow screens, the address is below the name. */
function AuditTable({ entries, units, onUser }: AuditTableProps) {
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
          <Row key={entry.id} entry={entry} units={units} onUser={onUser} />
        ))}
      </tbody>
    </table>
  );
}

/** Displayed name of the actor. */
function actorOf({ actorName, actorMessage }: AuditEntry): string {
  return actorMessage === null ? actorName : localizedText(actorMessage, actorName);
}

/** Displayed name of the target of the action; null: none. Settings have the names of the settings pages. */
function targetOf({ target, targetMessage, details }: AuditEntry): string | null {
  const settings = details?.['settings'];
  if (Array.isArray(settings))
    return settings
      .filter((name) => typeof name === 'string')
      .map((name) => tSettings.find(`labels.${name}`) ?? name)
      .join(', ');
  return target === null || targetMessage === null ? target : localizedText(targetMessage, target);
}

/** What an entry says about values: before and after, or those that were set. */
function valuesOf({ details }: AuditEntry, units: SettingUnits): readonly string[] {
  const { changes, formerRole, role, scopes, summary, summaryMessage } = details ?? {};
  const known = Array.isArray(changes) ? (changes as readonly unknown[]).filter(isChange) : [];
  // Entries of earlier versions have a role alone.
  const before =
    known.length === 0 && formerRole !== undefined ? [{ name: 'role', before: formerRole, after: role }] : [];
  const lines = [...known, ...before].map((change) =>
    t('changed', {
      name: nameOf(change.name),
      before: valueText(change.before, change.name, units),
      after: valueText(change.after, change.name, units),
    }),
  );
  if (Array.isArray(scopes)) {
    const names = scopes.filter((scope) => typeof scope === 'string');
    lines.push(names.map((name) => tKeys.find(`${name}.name`) ?? name).join(', '));
  }
  if (typeof summary === 'string')
    lines.push(localizedText(isCodedMessage(summaryMessage) ? summaryMessage : null, summary));
  return lines;
}

function isChange(value: unknown): value is AuditChange {
  const change = Object(value) as object;
  return 'name' in change && typeof change.name === 'string' && 'before' in change && 'after' in change;
}

const nameOf = (name: string) => tSettings.find(`labels.${name}`) ?? t.find(`fields.${name}`) ?? name;

function valueText(value: unknown, name: string, units: SettingUnits): string {
  // Nothing else would say of a person without a list that they may work on every site.
  if (name === 'sites' && value === null) return t('allSites');
  if (value === null || value === undefined) return t('noValue');
  if (typeof value === 'boolean') return t(value ? 'on' : 'off');
  if (typeof value === 'string') return tRoles.find(value) ?? value;
  if (typeof value !== 'number') return JSON.stringify(value);
  const unit = Object.hasOwn(units, name) ? units[name] : undefined;
  if (unit === undefined) return number.format(value);
  return `${shownNumber(unit.displayUnit, value)} ${unitName(unit.displayUnit, unit.unit)}`;
}

interface RowProps {
  readonly entry: AuditEntry;
  readonly units: SettingUnits;
  readonly onUser: AuditTableProps['onUser'];
}

function Row({ entry, units, onUser }: RowProps) {
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
        {valuesOf(entry, units).map((line) => (
          <p key={line} className="text-xs [overflow-wrap:anywhere] text-ink-3">
            {line}
          </p>
        ))}
      </td>
      <td className="pl-3 font-mono text-xs break-all text-ink-2 max-md:hidden">{ipAddress ?? t('unknownAddress')}</td>
    </tr>
  );
}
