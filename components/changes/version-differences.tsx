import { useId, useState } from 'react';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { type DiffLayout, FieldChanges } from '#components/changes/field-changes';
import { translator } from '#components/i18n.ts';
import { Switch } from '#components/ui/controls/choices';
import { formFieldStyle } from '#components/ui/fields';
import { LoadFailed } from '#components/ui/notices';
import { dayAndTime } from '#components/ui/times.ts';
import type { Version } from '#server/core/site/changes';
import type { Entry } from '#server/core/site/content';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('changes.compare');

interface DifferencesProps {
  readonly entry: Pick<EntryItem, 'type' | 'id'>;
  /** `published`, `draft` or a revision. Default: all unpublished changes. */
  readonly from?: string;
  readonly to?: string;
  readonly layout?: DiffLayout;
}

/** The differences between two versions of an entry, field by field. */
export function VersionDifferences({ entry, from = 'published', to = 'draft', layout = 'one' }: DifferencesProps) {
  const { data, error, mutate } = useApi(paths.differences(entry.type, entry.id, from, to));
  if (data) return <FieldChanges fields={data.fields} layout={layout} />;
  if (error !== undefined) return <LoadFailed title={t('failed')} onRetry={() => void mutate()} />;
  return <p className="py-2 text-sm text-ink-3">{t('loading')}</p>;
}

interface CompareVersionsProps {
  readonly entry: Entry;
  /** Newest first. */
  readonly versions: readonly Version[];
}

/** Compares any two versions of an entry; at first the published one with the draft. */
export function CompareVersions({ entry, versions }: CompareVersionsProps) {
  const isPublished = entry.published !== null;
  const oldest = versions.at(-1);
  const [from, setFrom] = useState(isPublished ? 'published' : String(oldest?.revision ?? 'draft'));
  const [to, setTo] = useState('draft');
  const [layout, setLayout] = useState<DiffLayout>('two');
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="border-b border-rule py-3" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="cursor-pointer rounded text-sm font-medium">
        {entry.status === 'changed' ? t('unpublished') : t('title')}
      </summary>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <VersionChoice
          label={t('from')}
          value={from}
          onChange={setFrom}
          versions={versions}
          isPublished={isPublished}
        />
        <VersionChoice label={t('to')} value={to} onChange={setTo} versions={versions} isPublished={isPublished} />
      </div>
      <div className="mt-3 flex justify-end">
        <Switch
          label={t('layout')}
          value={layout}
          choices={{ two: t('layouts.two'), one: t('layouts.one') }}
          onChange={setLayout}
        />
      </div>
      <div className="mt-2">{isOpen && <VersionDifferences entry={entry} from={from} to={to} layout={layout} />}</div>
    </details>
  );
}

interface VersionChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly versions: readonly Version[];
  readonly isPublished: boolean;
  readonly onChange: (version: string) => void;
}

function VersionChoice({ label, value, versions, isPublished, onChange }: VersionChoiceProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-xs text-ink-3">
        {label}
      </label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)} className={formFieldStyle}>
        {isPublished && <option value="published">{t('published')}</option>}
        <option value="draft">{t('draft')}</option>
        {versions.map(({ revision, createdAt }) => (
          <option key={revision} value={revision}>
            {t('version', { when: dayAndTime(createdAt) })}
          </option>
        ))}
      </select>
    </div>
  );
}
