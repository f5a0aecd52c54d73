import clsx from 'clsx';
import { FileX, RotateCw, X } from 'lucide-react';
import { IconButton } from '#components/ui/icon-button';
import type { Upload } from '#lib/library/uploads';
import type { Uploads } from '#lib/library/use-uploads';
import { libraryStrings } from '#lib/strings/library';

const say = libraryStrings.media;

/** The files that are being added, and those that could not be. */
export function UploadList({ uploads: { uploads, retry, dismiss } }: { readonly uploads: Omit<Uploads, 'add'> }) {
  if (uploads.length === 0) return null;
  return (
    <ul aria-label={say.uploads} className="mt-6 divide-y divide-rule rounded-lg border border-rule bg-sheet">
      {uploads.map((upload) => (
        <Row key={upload.id} upload={upload} onRetry={() => retry(upload.id)} onDismiss={() => dismiss(upload.id)} />
      ))}
    </ul>
  );
}

interface RowProps {
  readonly upload: Upload;
  readonly onRetry: () => void;
  readonly onDismiss: () => void;
}

function Row({ upload: { file, thumbnail, state, progress, error }, onRetry, onDismiss }: RowProps) {
  const isFailed = state === 'failed';
  return (
    <li className="relative flex min-h-14 items-center gap-3 overflow-hidden px-3 py-2">
      {thumbnail === null || isFailed ? (
        <span className="flex size-10 shrink-0 items-center justify-center rounded-md bg-ink/5 text-ink-3">
          <FileX aria-hidden className="size-4.5 stroke-[1.5]" />
        </span>
      ) : (
        <img src={thumbnail} alt="" className="size-10 shrink-0 rounded-md bg-ink/5 object-cover" />
      )}
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm">{file.name}</p>
        <p role={isFailed ? 'alert' : undefined} className={clsx('text-xs', isFailed ? 'text-red' : 'text-ink-3')}>
          {error ?? (state === 'waiting' ? say.waiting : say.bytes(file.size))}
        </p>
      </div>
      {isFailed && (
        <>
          {thumbnail !== null && (
            <IconButton label={say.again(file.name)} icon={<RotateCw aria-hidden />} onClick={onRetry} />
          )}
          <IconButton label={say.dismiss(file.name)} icon={<X aria-hidden />} onClick={onDismiss} />
        </>
      )}
      {state === 'sending' && (
        <progress
          aria-label={say.uploading(file.name)}
          value={progress}
          className="absolute inset-x-0 bottom-0 h-0.5 w-full appearance-none [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-rule [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[width]"
        />
      )}
    </li>
  );
}
