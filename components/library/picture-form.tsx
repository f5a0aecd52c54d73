import type { Asset } from '#server/core/content';
import { type SubmitEvent, useEffect, useEffectEvent, useId, useState } from 'react';
import { toast } from '#components/toast';
import { api } from '#components/api/api-client';
import { libraryStrings } from '#components/library/words';
import { Button } from '#components/ui/buttons';
import { reportFailure } from '#components/ui/toasts';
import { strings } from '#components/words';

const say = libraryStrings.media;
const FIELD =
  'w-full rounded-md border border-rule-strong bg-sheet px-2.5 py-1.5 text-sm outline-none focus-visible:ring-2 focus-visible:ring-accent';

interface PictureFormProps {
  readonly asset: Asset;
  readonly onChanged: (asset: Asset) => void;
  /** Reports unsaved changes. */
  readonly onDirty: (isDirty: boolean) => void;
}

/** Form for the description, filename and tags of a picture. */
export function PictureForm({ asset, onChanged, onDirty }: PictureFormProps) {
  const id = useId();
  const [{ seen, base, draft }, setForm] = useState({ seen: asset, base: asset, draft: pictureDraftOf(asset) });
  // Another file, or what was changed elsewhere, takes nothing of what is being typed.
  if (asset !== seen) {
    setForm({ seen: asset, base: asset, draft: rebasedDraft(draft, pictureDraftOf(base), asset) });
  }
  const [isSaving, setIsSaving] = useState(false);
  const type = (typed: Partial<PictureDraft>) => setForm((form) => ({ ...form, draft: { ...form.draft, ...typed } }));
  const changes = pictureChanges(draft, base);
  const isChanged = Object.keys(changes).length > 0;
  const tell = useEffectEvent(onDirty);
  useEffect(() => {
    tell(isChanged);
    return () => tell(false);
  }, [isChanged]);

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setIsSaving(true);
    try {
      const { asset: saved } = await api.updateAsset(asset.id, changes);
      setForm((form) => ({ ...form, base: saved, draft: rebasedDraft(form.draft, draft, saved) }));
      onChanged(saved);
      toast.success(say.saved);
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
          {say.alt}
        </label>
        {asset.alt === '' && <p className="mt-0.5 text-xs text-amber">{say.altMissing}</p>}
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
          {say.altHint}
        </p>
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <label className="text-sm font-medium">
          {say.filename}
          <input
            value={draft.filename}
            maxLength={100}
            onChange={({ target }) => type({ filename: target.value })}
            className={`${FIELD} mt-1.5 font-normal`}
          />
        </label>
        <label className="text-sm font-medium">
          {say.tags}
          <input
            value={draft.tags}
            placeholder={say.tagsHint}
            onChange={({ target }) => type({ tags: target.value })}
            className={`${FIELD} mt-1.5 font-normal placeholder:text-ink-3`}
          />
        </label>
      </div>
      <div>
        <Button type="submit" variant="primary" disabled={!isChanged || isSaving}>
          {strings.common.save}
        </Button>
      </div>
    </form>
  );
}

export type PictureDetails = Pick<Asset, 'alt' | 'filename' | 'tags'>;

/** The details as they are being typed. */
export interface PictureDraft {
  readonly alt: string;
  readonly filename: string;
  /** Separated by commas. */
  readonly tags: string;
}

/** A draft in which nothing is typed yet. */
export function pictureDraftOf({ alt, filename, tags }: PictureDetails): PictureDraft {
  return { alt, filename, tags: tags.join(', ') };
}

/** Differences between a draft and the picture. */
export function pictureChanges({ alt, filename, tags }: PictureDraft, asset: PictureDetails): Partial<PictureDetails> {
  return {
    ...(alt.trim() !== asset.alt && { alt }),
    ...(filename.trim() !== asset.filename && filename.trim() !== '' && { filename }),
    ...(tagsOf(tags).join() !== asset.tags.join() && { tags: tagsOf(tags) }),
  };
}

/**
 * A draft after the picture has become another: what was typed since stays, all else is as it is there.
 * @param before the draft that stood for the picture as it was, or that was sent
 */
export function rebasedDraft(draft: PictureDraft, before: PictureDraft, asset: PictureDetails): PictureDraft {
  const now = pictureDraftOf(asset);
  return {
    alt: draft.alt === before.alt ? now.alt : draft.alt,
    filename: draft.filename === before.filename ? now.filename : draft.filename,
    tags: draft.tags === before.tags ? now.tags : draft.tags,
  };
}

const tagsOf = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);

/** The small picture as it is now: after a replacement the page must not go on showing the former one. */
export function thumbnailOf({ thumbnailUrl, version }: Asset): string {
  return `${thumbnailUrl}&v=${version}`;
}
