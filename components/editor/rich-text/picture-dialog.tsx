import { useState } from 'react';
import { PictureControl } from '#components/editor/pictures/picture-control';
import type { TextPicture } from '#components/editor/rich-text/commands.ts';
import { isOwnPicture } from '#components/editor/rich-text/schema.ts';
import { translator } from '#components/i18n.ts';
import { FormDialog } from '#components/ui/dialogs/form-dialog';
import { Field, TextField } from '#components/ui/fields';

const t = translator('richText.picture');

/** Longest description and caption; characters. As those of a section with a picture. */
const MAX_LENGTH = 300;

interface TextPictureDialogProps {
  /** The selected picture; null for a new one. */
  readonly picture: TextPicture | null;
  /** False in a cell of a table, where Markdown has no captions. */
  readonly hasCaption: boolean;
  readonly onSave: (picture: TextPicture) => void;
  readonly onClose: () => void;
}

/** Dialog for a picture within a text: the picture, its description and its caption. */
export function TextPictureDialog({ picture, hasCaption, onSave, onClose }: TextPictureDialogProps) {
  const [value, setValue] = useState<TextPicture>(picture ?? { src: '', alt: '', caption: '' });
  const change = (changed: Partial<TextPicture>) => setValue((before) => ({ ...before, ...changed }));
  const isUnchanged = picture !== null && JSON.stringify(value) === JSON.stringify(picture);
  // A picture of another site that the text has already stays; the editor adds none.
  const isUsable = value.src === picture?.src || isOwnPicture(value.src);
  return (
    <FormDialog
      title={picture === null ? t('insert') : t('edit')}
      width="wide"
      save={picture === null ? t('insertIt') : t('save')}
      isBusy={!isUsable || isUnchanged}
      isSent={false}
      isChanged={value.src !== (picture?.src ?? '')}
      onSubmit={() => onSave({ ...value, caption: value.caption.trim(), alt: value.alt.trim() })}
      onClose={onClose}
    >
      <Field label={t('picture')} {...(value.src !== '' && !isUsable && { hint: t('ownOnly') })}>
        {(ids) => (
          <PictureControl
            {...ids}
            value={value.src}
            isOptional={false}
            onChange={(src) => change({ src })}
            onPicture={(alt) => change({ alt })}
          />
        )}
      </Field>
      <TextField
        label={t('alt')}
        hint={t('altHint')}
        value={value.alt}
        maxLength={MAX_LENGTH}
        onChange={(alt) => change({ alt })}
      />
      {hasCaption && (
        <TextField
          label={t('caption')}
          hint={t('captionHint')}
          value={value.caption}
          maxLength={MAX_LENGTH}
          onChange={(caption) => change({ caption })}
        />
      )}
    </FormDialog>
  );
}
