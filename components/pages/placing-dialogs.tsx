import { useId, useState } from 'react';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { translator } from '#components/i18n.ts';
import type { Selection } from '#components/pages/selection.ts';
import type { BatchRequest } from '#components/pages/use-batch.ts';
import { FormDialog } from '#components/ui/dialogs/form-dialog';
import { Field, formFieldStyle } from '#components/ui/fields';
import { useEntries } from '#components/workspace/entries.ts';

const t = translator('pages.batch.placing');

interface DialogProps {
  readonly onSubmit: (request: BatchRequest) => void;
  readonly onClose: () => void;
}

/** Asks for the author of the selected pages and posts. @param count number of selected entries */
export function AuthorDialog({ count, onSubmit, onClose }: DialogProps & { readonly count: number }) {
  const [author, setAuthor] = useState('');
  const { data } = useApi(paths.authors);
  const listId = useId();
  return (
    <FormDialog
      title={t('authorTitle', { count })}
      width="narrow"
      save={t('authorSave')}
      isBusy={false}
      isSent={false}
      onSubmit={() => onSubmit({ action: 'author', author: author.trim() })}
      onClose={onClose}
    >
      <Field label={t('author')} hint={t('authorHint')}>
        {(ids) => (
          <>
            <input
              {...ids}
              value={author}
              maxLength={120}
              list={listId}
              onChange={({ target }) => setAuthor(target.value)}
              className={formFieldStyle}
            />
            <datalist id={listId}>
              {data?.items.map((item) => (
                <option key={item.author} value={item.author}>
                  {item.author}
                </option>
              ))}
            </datalist>
          </>
        )}
      </Field>
    </FormDialog>
  );
}

/** Asks for the page below which the selected pages are moved. */
export function MoveDialog({ selection, onSubmit, onClose }: DialogProps & { readonly selection: Selection }) {
  const [parent, setParent] = useState('');
  const { entries = [] } = useEntries();
  const pages = entries.filter(({ id, type }) => type === 'page' && !selection.has(id));
  return (
    <FormDialog
      title={t('moveTitle', { count: selection.size })}
      width="narrow"
      save={t('moveSave')}
      isBusy={false}
      isSent={false}
      onSubmit={() => onSubmit({ action: 'move', parent: parent === '' ? null : parent })}
      onClose={onClose}
    >
      <Field label={t('parent')} hint={t('moveHint')}>
        {(ids) => (
          <select {...ids} value={parent} onChange={({ target }) => setParent(target.value)} className={formFieldStyle}>
            <option value="">{t('top')}</option>
            {pages.map(({ id, title, path }) => (
              <option key={id} value={id}>
                {t('page', { title, path })}
              </option>
            ))}
          </select>
        )}
      </Field>
    </FormDialog>
  );
}
