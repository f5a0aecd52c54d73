import { useState } from 'react';
import useSWR from 'swr';
import { translator } from '#components/i18n.ts';
import type { Selection } from '#components/pages/selection.ts';
import type { BatchRequest } from '#components/pages/batch-changes.ts';
import { allEntries } from '#components/workspace/all-entries.ts';
import { FormDialog } from '#components/ui/dialogs/form-dialog';
import { Field, formFieldStyle } from '#components/ui/fields';
import { NotLoaded } from '#components/ui/notices';
import { isBelow } from '#components/workspace/page-tree.ts';

const t = translator('pages.batch.placing');

/** Value of the choice for pages without a page above; no id is empty. */
const TOP = '/';

interface MoveDialogProps {
  readonly selection: Selection;
  readonly onSubmit: (request: BatchRequest) => void;
  readonly onClose: () => void;
}

/** Asks for the page below which the selected pages are moved; not one of them, nor a page below one. */
export function MoveDialog({ selection, onSubmit, onClose }: MoveDialogProps) {
  const [parent, setParent] = useState('');
  const { data, error, mutate } = useSWR('pages to move below', () => allEntries('page', {}));
  const moved = [...selection.values()].filter(({ type }) => type === 'page');
  const pages = (data ?? []).filter(({ id }) => !moved.some((page) => isBelow(id, page.id, data ?? [])));
  return (
    <FormDialog
      title={t('moveTitle', { count: moved.length })}
      width="narrow"
      save={t('moveSave')}
      isBusy={parent === ''}
      isSent={false}
      onSubmit={() => onSubmit({ action: 'move', parent: parent === TOP ? null : parent })}
      onClose={onClose}
    >
      {data === undefined ? (
        <NotLoaded title={t('pagesFailed')} error={error} loading={t('pagesLoading')} onRetry={() => void mutate()} />
      ) : (
        <Field label={t('parent')} hint={t('moveHint')}>
          {(ids) => (
            <select
              {...ids}
              value={parent}
              onChange={({ target }) => setParent(target.value)}
              className={formFieldStyle}
            >
              <option value="" disabled>
                {t('choose')}
              </option>
              <option value={TOP}>{t('top')}</option>
              {pages.map(({ id, title, path }) => (
                <option key={id} value={id}>
                  {t('page', { title, path })}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </FormDialog>
  );
}
