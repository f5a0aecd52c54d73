import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { FieldChanges } from '#components/changes/field-changes';
import { useApi } from '#components/api/use-api.ts';

const t = translator('changes');
const tShared = translator('shared');

/** The fields that a change has altered, loaded when shown. */
export function ChangeDetail({ changeId }: { readonly changeId: string }) {
  const { data, error, mutate } = useApi(paths.change(changeId));
  if (data) return <FieldChanges fields={data.fields} />;
  if (error === undefined) {
    return (
      <output aria-label={t('loadingDetails')} className="block">
        <span className="block h-3 w-2/5 animate-breathe rounded bg-rule" />
        <span className="mt-2 block h-3 w-4/5 animate-breathe rounded bg-rule" />
      </output>
    );
  }
  return (
    <p className="text-sm text-ink-2">
      {t('detailsFailed')}{' '}
      <button type="button" onClick={() => void mutate()} className="rounded text-accent hover:underline">
        {tShared('common.retry')}
      </button>
    </p>
  );
}
