import clsx from 'clsx';
import { Crop, ImageOff, Trash2 } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { messageOf } from '#components/api/api-error';
import type { WrittenAsset } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { sendFile } from '#components/api/upload-file';
import { contentChanged } from '#components/desk/content-cache';
import { useCapabilities } from '#components/desk/entries';
import { panelStrings } from '#components/editor/panel-words';
import { FileButton, pictureProblem } from '#components/library/file-button';
import { Button, Disclosure, IconButton } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { formFieldLook } from '#components/ui/fields';
import { Problem } from '#components/ui/submit';
import type { Asset } from '#server/core/content';
import { pictureSource } from '#server/core/pictures';

/** The backend that serves pictures in parts. */
const EMBEDDED = 'embedded';

const CropDialog = fetchedLater(async () => (await import('#components/editor/crop-dialog')).CropDialog);
const MediaPicker = fetchedLater(async () => (await import('#components/library/media-picker')).MediaPicker);

const say = panelStrings.picture;

interface PictureControlProps extends Pick<ComponentProps<'input'>, 'id' | 'aria-describedby' | 'aria-invalid'> {
  /** Address; empty: no picture. */
  readonly value: string;
  readonly isOptional: boolean;
  readonly onChange: (address: string) => void;
  /** Called with the description of a picture of the library that was taken. */
  readonly onPicture: (description: string) => void;
}

/** A picture: from the library, from this computer (also dropped onto it), or by its address. */
export function PictureControl({ value, isOptional, onChange, onPicture, ...ids }: PictureControlProps) {
  const [isPicking, setIsPicking] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const take = ({ url, alt }: Asset) => {
    onChange(url);
    if (alt !== '') onPicture(alt);
  };
  const upload = useUpload(take);
  const capabilities = useCapabilities();
  const hasLibrary = capabilities?.assets ?? false;
  const { assetId, crop } = pictureSource(value);
  // Another CMS shows pictures as it has them.
  const canCrop = assetId !== null && capabilities?.backend === EMBEDDED;
  const [isCropping, setIsCropping] = useState(false);
  return (
    <div
      onDragOver={(event) => {
        if (!hasLibrary || !event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        setIsOver(false);
        if (!hasLibrary || event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        event.stopPropagation();
        upload.send([...event.dataTransfer.files]);
      }}
      className={clsx('rounded-lg border bg-desk p-2', isOver ? 'border-accent' : 'border-rule')}
    >
      <div className="flex items-start gap-3">
        <span className="flex size-24 shrink-0 items-center justify-center overflow-hidden rounded-md bg-ink/5 text-ink-3">
          {value.startsWith('/') ? (
            <img src={value} alt="" className="size-full object-contain" />
          ) : (
            <ImageOff aria-hidden className="size-6 stroke-[1.25]" />
          )}
        </span>
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1.5">
          {hasLibrary && (
            <>
              <Button onClick={() => setIsPicking(true)}>{value === '' ? say.choose : say.replace}</Button>
              <FileButton label={say.upload} onFiles={upload.send} />
              {canCrop && (
                <Button onClick={() => setIsCropping(true)}>
                  <Crop aria-hidden className="size-4" />
                  {say.crop.open}
                </Button>
              )}
            </>
          )}
          {isOptional && value !== '' && (
            <IconButton
              label={say.remove}
              icon={<Trash2 aria-hidden />}
              onClick={({ currentTarget }) => {
                // The button goes, and the keys would be heard nowhere.
                currentTarget.closest<HTMLElement>('[data-panel]')?.focus();
                onChange('');
              }}
            />
          )}
          {hasLibrary && (
            <p className="w-full text-xs text-ink-3">{value === '' ? say.none : crop === null ? say.drop : say.part}</p>
          )}
          {upload.progress !== null && (
            <progress
              aria-label={say.uploading(upload.progress.name)}
              value={upload.progress.share}
              className="w-full"
            />
          )}
          <Problem text={upload.problem} className="w-full text-xs!" />
        </div>
      </div>
      <div className="mt-1.5 text-xs">
        <Disclosure title={say.address} look="quiet">
          <input
            {...ids}
            aria-label={say.address}
            value={value}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => onChange(target.value)}
            className={clsx(formFieldLook, 'mt-1.5')}
          />
        </Disclosure>
      </div>
      {isCropping && <CropDialog value={value} onSave={onChange} onClose={() => setIsCropping(false)} />}
      {isPicking && (
        <MediaPicker
          title={say.dialog}
          onPick={(asset) => {
            setIsPicking(false);
            take(asset);
          }}
          onClose={() => setIsPicking(false)}
        />
      )}
    </div>
  );
}

interface PictureUpload {
  /** Null: none is under way. */
  readonly progress: { readonly name: string; readonly share: number } | null;
  /** The reason for which the last one could not be added. */
  readonly problem: string | null;
  /** Does nothing while one is under way: a button that is switched off would lose the focus. */
  readonly send: (files: readonly File[]) => void;
}

/** Adds one picture to the library. */
function useUpload(onAdded: (asset: Asset) => void): PictureUpload {
  const [progress, setProgress] = useState<PictureUpload['progress']>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const send = async (file: File) => {
    const wrong = pictureProblem(file);
    setProblem(wrong);
    if (wrong !== null) return;
    setProgress({ name: file.name, share: 0 });
    try {
      const onProgress = (share: number) => setProgress({ name: file.name, share });
      const { asset, change } = await sendFile<WrittenAsset>(paths.newMedia, file, onProgress);
      contentChanged([change]);
      onAdded(asset);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setProgress(null);
    }
  };
  return { progress, problem, send: ([file]) => void (file && progress === null && send(file)) };
}
