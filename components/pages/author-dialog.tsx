import { useId, useState } from 'react';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { translator } from '#components/i18n.ts';
import type { BatchRequest } from '#components/pages/batch-changes.ts';
import { FormDialog } from '#components/ui/dialogs/form-dialog';
import { Field, formFieldStyle, Option } from '#components/ui/fields';

const t = translator('pages.batch.placing');

interface AuthorDialogProps {
  /** Number of selected entries. */
  readonly count: number;
  readonly onSubmit: (request: BatchRequest) => void;
  readonly onClose: () => void;
}

/** Asks for the author of the selected pages and posts. */
export function AuthorDialog({ count, onSubmit, onClose }: AuthorDialogProps) {
  const [author, setAuthor] = useState('');
  const [isRemoved, setIsRemoved] = useState(false);
  const { data } = useApi(paths.authors);
  const listId = useId();
  const name = author.trim();
  return (
    <FormDialog
      title={t('authorTitle', { count })}
      width="narrow"
      save={t('authorSave')}
      isBusy={name === '' && !isRemoved}
      isSent={false}
      onSubmit={() => onSubmit({ action: 'author', author: isRemoved ? '' : name })}
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
              disabled={isRemoved}
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
      <Option label={t('authorRemove')} hint={t('authorRemoveHint')} isOn={isRemoved} onChange={setIsRemoved} />
    </FormDialog>
  );
}
