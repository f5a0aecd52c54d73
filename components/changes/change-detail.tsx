import useSWR from 'swr';
import { FieldChanges } from '#components/changes/field-changes';
import { paths } from '#lib/api/api-client';
import { changesStrings } from '#lib/strings/changes';
import type { ChangeSet, FieldChange } from '#server/core/content';

const say = changesStrings;

/** As the journal tells one change. */
export interface ChangeReport {
  readonly change: ChangeSet;
  readonly fields: readonly FieldChange[];
  readonly blockedBy: readonly ChangeSet[] | null;
}

/** What one change did, field by field. */
export function ChangeDetail({ changeId }: { readonly changeId: string }) {
  const { data, error, mutate } = useSWR<ChangeReport>(paths.change(changeId));
  if (data) return <FieldChanges fields={data.fields} />;
  if (error === undefined) {
    return (
      <output aria-label={say.loadingDetails} className="block">
        <span className="block h-3 w-2/5 animate-breathe rounded bg-rule" />
        <span className="mt-2 block h-3 w-4/5 animate-breathe rounded bg-rule" />
      </output>
    );
  }
  return (
    <p className="text-sm text-ink-2">
      {say.detailsFailed}{' '}
      <button type="button" onClick={() => void mutate()} className="rounded text-accent hover:underline">
        {say.retry}
      </button>
    </p>
  );
}
