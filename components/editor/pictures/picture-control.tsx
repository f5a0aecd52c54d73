import clsx from 'clsx';
import { Crop, ImageOff, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '#components/api/api-error.ts';
import { sendFile } from '#components/api/upload-file.ts';
import { contentChanged } from '#components/workspace/content-cache.ts';
import { useCapabilities } from '#components/workspace/entries.ts';
import { translator } from '#components/i18n.ts';
import { FileButton, pictureProblem } from '#components/library/file-button';
import { Disclosure } from '#components/ui/controls/disclosure';
import { Button, IconButton } from '#components/ui/buttons';
import dynamic from 'next/dynamic';
import { loadCode } from '#components/ui/load-code';
import { formFieldStyle, type ControlIds } from '#components/ui/fields';
import { Problem } from '#components/ui/dialogs/submit';
import type { Asset } from '#server/core/site/content';
import { pictureSource } from '#server/core/site/pictures';

/** The CMS backend that can serve cropped pictures: the built-in one. */
const EMBEDDED = 'embedded';

const CropDialog = dynamic(
  () => loadCode(async () => (await import('#components/editor/pictures/crop-dialog')).CropDialog),
  { ssr: false },
);
const MediaPicker = dynamic(
  () => loadCode(async () => (await import('#components/library/media-picker')).MediaPicker),
  { ssr: false },
);

const t = translator('sectionPanel.picture');

interface PictureControlProps extends ControlIds {
  /** Address; empty: no picture. */
  readonly value: string;
  readonly isOptional: boolean;
  readonly onChange: (address: string) => void;
  /** Called with the description of a picture that was chosen from the library. */
  readonly onPicture: (description: string) => void;
}

/** A picture: from the library, from this computer (also by dropping a file), or by its address. */
export function PictureControl({ value, isOptional, onChange, onPicture, ...ids }: PictureControlProps) {
  const [isPicking, setIsPicking] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const select = ({ url, alt }: Asset) => {
    onChange(url);
    if (alt !== '') onPicture(alt);
  };
  const upload = useUpload(select);
  const capabilities = useCapabilities();
  const hasLibrary = capabilities?.assets ?? false;
  const { assetId, crop } = pictureSource(value);
  // Other CMS backends do not crop pictures.
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
              <Button onClick={() => setIsPicking(true)}>{value === '' ? t('choose') : t('replace')}</Button>
              <FileButton label={t('upload')} onFiles={upload.send} />
              {canCrop && (
                <Button onClick={() => setIsCropping(true)}>
                  <Crop aria-hidden className="size-4" />
                  {t('crop.open')}
                </Button>
              )}
            </>
          )}
          {isOptional && value !== '' && (
            <IconButton
              label={t('remove')}
              icon={<Trash2 aria-hidden />}
              onClick={({ currentTarget }) => {
                // The button disappears, and without a focus no element would receive the keys.
                currentTarget.closest<HTMLElement>('[data-panel]')?.focus();
                onChange('');
              }}
            />
          )}
          {hasLibrary && (
            <p className="w-full text-xs text-ink-3">
              {value === '' ? t('none') : crop === null ? t('drop') : t('part')}
            </p>
          )}
          {upload.progress !== null && (
            <progress
              aria-label={t('uploading', { filename: upload.progress.name })}
              value={upload.progress.share}
              className="w-full"
            />
          )}
          <Problem text={upload.problem} className="w-full text-xs!" />
        </div>
      </div>
      <div className="mt-1.5 text-xs">
        <Disclosure title={t('address')} look="quiet">
          <input
            {...ids}
            aria-label={t('address')}
            value={value}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => onChange(target.value)}
            className={clsx(formFieldStyle, 'mt-1.5')}
          />
        </Disclosure>
      </div>
      {isCropping && <CropDialog value={value} onSave={onChange} onClose={() => setIsCropping(false)} />}
      {isPicking && (
        <MediaPicker
          title={t('dialog')}
          onPick={(asset) => {
            setIsPicking(false);
            select(asset);
          }}
          onClose={() => setIsPicking(false)}
        />
      )}
    </div>
  );
}

interface PictureUpload {
  /** Null: no upload is running. */
  readonly progress: { readonly name: string; readonly share: number } | null;
  /** Reason why the last upload failed. */
  readonly problem: string | null;
  /** Does nothing during an upload, because a disabled button would lose the focus. */
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
      const { asset, change } = await sendFile('/api/content/media', {}, file, onProgress);
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
