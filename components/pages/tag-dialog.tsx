import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import type { BatchRequest } from '#components/pages/batch-changes.ts';
import { TextsControl } from '#components/editor/panels/texts-control';
import { FormDialog } from '#components/ui/dialogs/form-dialog';
import { Field } from '#components/ui/fields';

const t = translator('pages.batch.tagging');

interface TagDialogProps {
  /** Number of selected entries. */
  readonly count: number;
  readonly onSubmit: (request: BatchRequest) => void;
  readonly onClose: () => void;
}

/** Asks for the tags to add to, or remove from, the selected pages and posts. */
export function TagDialog({ count, onSubmit, onClose }: TagDialogProps) {
  const [add, setAdd] = useState<readonly string[]>([]);
  const [remove, setRemove] = useState<readonly string[]>([]);
  const isEmpty = add.length + remove.length === 0;
  return (
    <FormDialog
      title={t('title', { count })}
      width="narrow"
      save={t('save')}
      isBusy={isEmpty}
      isSent={false}
      onSubmit={() => onSubmit({ action: 'tag', add, remove })}
      onClose={onClose}
    >
      <Field label={t('add')}>
        {(ids) => <TextsControl {...ids} item={t('add')} isTags value={add} onChange={setAdd} />}
      </Field>
      <Field label={t('remove')} hint={t('hint')}>
        {(ids) => <TextsControl {...ids} item={t('remove')} isTags value={remove} onChange={setRemove} />}
      </Field>
    </FormDialog>
  );
}
