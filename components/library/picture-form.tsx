import type { Asset } from '#server/core/site/content';
import { type SubmitEvent, useEffect, useEffectEvent, useId, useState } from 'react';
import { toast } from 'sonner';
import { api } from '#components/api/api-client.ts';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { pictureChanges, type PictureDraft, pictureDraftOf, rebasedDraft } from '#components/library/picture-draft.ts';

const tShared = translator('shared');

const t = translator('library.media');
const FIELD =
  'w-full rounded-md border border-rule-strong bg-sheet px-2.5 py-1.5 text-sm outline-none focus-visible:ring-2 focus-visible:ring-accent';

interface PictureFormProps {
  readonly asset: Asset;
  readonly onChanged: (asset: Asset) => void;
  /** Reports unsaved changes. */
  readonly onDirty: (isDirty: boolean) => void;
}

/** Form for the description, file name and tags of a picture. */
export function PictureForm({ asset, onChanged, onDirty }: PictureFormProps) {
  const id = useId();
  // `seen`: the picture at the last render. `base`: the picture that the draft is compared with.
  const [{ seen, base, draft }, setForm] = useState({ seen: asset, base: asset, draft: pictureDraftOf(asset) });
  // A replaced file or changes made elsewhere do not overwrite what is being typed.
  if (asset !== seen) {
    setForm({ seen: asset, base: asset, draft: rebasedDraft(draft, pictureDraftOf(base), asset) });
  }
  const [isSaving, setIsSaving] = useState(false);
  const type = (typed: Partial<PictureDraft>) => setForm((form) => ({ ...form, draft: { ...form.draft, ...typed } }));
  const changes = pictureChanges(draft, base);
  const isChanged = Object.keys(changes).length > 0;
  const reportDirty = useEffectEvent(onDirty);
  useEffect(() => {
    reportDirty(isChanged);
    return () => reportDirty(false);
  }, [isChanged]);

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setIsSaving(true);
    try {
      const { asset: saved } = await api.updateAsset(asset.id, changes);
      setForm((form) => ({ ...form, base: saved, draft: rebasedDraft(form.draft, draft, saved) }));
      onChanged(saved);
      toast.success(t('saved'));
    } catch (error) {
      reportFailure(error);
    } finally {
      setIsSaving(false);
    }
  };
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-4">
      <div>
        <label htmlFor={`${id}-alt`} className="text-sm font-medium">
          {t('alt')}
        </label>
        {asset.alt === '' && <p className="mt-0.5 text-xs text-amber">{t('altMissing')}</p>}
        <textarea
          id={`${id}-alt`}
          aria-describedby={`${id}-hint`}
          value={draft.alt}
          rows={3}
          maxLength={300}
          onChange={({ target }) => type({ alt: target.value.replaceAll(/\s*\n\s*/g, ' ') })}
          className={`${FIELD} mt-1.5 block resize-y`}
        />
        <p id={`${id}-hint`} className="mt-1 text-xs text-ink-3">
          {t('altHint')}
        </p>
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <label className="text-sm font-medium">
          {t('filename')}
          <input
            value={draft.filename}
            maxLength={100}
            onChange={({ target }) => type({ filename: target.value })}
            className={`${FIELD} mt-1.5 font-normal`}
          />
        </label>
        <label className="text-sm font-medium">
          {t('tags')}
          <input
            value={draft.tags}
            placeholder={t('tagsHint')}
            onChange={({ target }) => type({ tags: target.value })}
            className={`${FIELD} mt-1.5 font-normal placeholder:text-ink-3`}
          />
        </label>
      </div>
      <div>
        <Button type="submit" variant="primary" disabled={!isChanged || isSaving}>
          {tShared('common.save')}
        </Button>
      </div>
    </form>
  );
}
