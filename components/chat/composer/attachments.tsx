'use client';

import clsx from 'clsx';
import { FileText, Paperclip, X } from 'lucide-react';
import { useRef, useSyncExternalStore } from 'react';
import { toast } from 'sonner';
import {
  ACCEPTED_FILES,
  addDraftFiles,
  type DraftFile,
  draftFilesAt,
  isSendingFiles,
  removeDraftFile,
  subscribeToDraftFiles,
} from '#components/chat/session/draft-files';
import { IconButton } from '#components/ui/buttons';
import { useDroppedFiles, DropSheet } from '#components/ui/dropped-files';
import { refocus } from '#components/ui/focus';
import { fileSize } from '#components/figures';
import { attachmentStrings } from '#components/chat/session/words';

interface AttachmentChipsProps {
  readonly draft: DraftFiles;
  /** Name of the chosen model if it accepts no images; null if it does. */
  readonly modelWithoutVision: string | null;
}

/** The files of an unsent message, each with what becomes of it. */
export function AttachmentChips({ draft, modelWithoutVision }: AttachmentChipsProps) {
  const { files, isUploading, remove } = draft;
  if (files.length === 0) return null;
  const hasImages = files.some(({ kind }) => kind === 'image');
  return (
    <div className="px-3 pt-3">
      <ul aria-label={attachmentStrings.label} className="flex max-h-44 flex-wrap gap-2 overflow-y-auto">
        {files.map((file) => (
          <Chip
            key={file.id}
            file={file}
            isUploading={isUploading}
            onRemove={() => {
              remove(file.id);
              refocus();
            }}
          />
        ))}
      </ul>
      {hasImages && modelWithoutVision !== null && (
        <p className="mt-2 text-xs text-amber">{attachmentStrings.unseen(modelWithoutVision)}</p>
      )}
    </div>
  );
}

interface ChipProps {
  readonly file: DraftFile;
  readonly isUploading: boolean;
  readonly onRemove: () => void;
}

function Chip({ file: { file, thumbnail, progress, error }, isUploading, onRemove }: ChipProps) {
  return (
    <li
      className={clsx(
        'relative flex h-12 max-w-full animate-rise items-center gap-2.5 overflow-hidden rounded-lg border bg-paper pr-1 pl-1.5',
        error === null ? 'border-rule' : 'border-red',
      )}
    >
      {thumbnail === null ? (
        <span className="flex size-9 shrink-0 items-center justify-center rounded-md bg-ink/5 text-ink-3">
          <FileText aria-hidden className="size-4.5 stroke-[1.5]" />
        </span>
      ) : (
        <img src={thumbnail} alt="" className="size-9 shrink-0 rounded-md bg-ink/5 object-cover" />
      )}
      <span className="flex min-w-0 flex-col">
        <span title={file.name} className="max-w-40 truncate text-sm">
          {file.name}
        </span>
        {error === null ? (
          <span className="text-2xs text-ink-3 tabular-nums">{fileSize(file.size)}</span>
        ) : (
          <span title={error} className="max-w-56 truncate text-2xs text-red">
            {error}
          </span>
        )}
      </span>
      <button
        type="button"
        aria-label={attachmentStrings.remove(file.name)}
        disabled={isUploading}
        onClick={onRemove}
        className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-3 transition-colors hover:bg-ink/6 hover:text-ink disabled:opacity-40"
      >
        <X aria-hidden className="size-3.5" />
      </button>
      {progress !== null && (
        <progress
          aria-label={attachmentStrings.uploading(file.name)}
          value={progress}
          className="absolute inset-x-0 bottom-0 h-0.5 w-full appearance-none [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-rule [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[width]"
        />
      )}
    </li>
  );
}

interface AttachButtonProps {
  readonly disabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Opens the system's dialog for files. */
export function AttachButton({ disabled, onFiles }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTED_FILES}
        aria-label={attachmentStrings.add}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file may be chosen again after it was removed.
          target.value = '';
        }}
      />
      <IconButton
        label={attachmentStrings.add}
        icon={<Paperclip aria-hidden />}
        disabled={disabled}
        onClick={() => input.current?.click()}
      />
    </>
  );
}

/** Accepts files dropped anywhere on the page, with a hint over the conversation while they are dragged. */
export function DropZone({ draftKey }: { readonly draftKey: string }) {
  const isOver = useDroppedFiles((files) => void attach(draftKey, files));
  const { drop, dropHint } = attachmentStrings;
  return isOver && <DropSheet over="parent" icon={<Paperclip aria-hidden />} title={drop} hint={dropHint} />;
}

const NONE: readonly DraftFile[] = [];

export interface DraftFiles {
  readonly files: readonly DraftFile[];
  /** Uploading: nothing can be changed. */
  readonly isUploading: boolean;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (id: string) => void;
}

/** The files of the unsent message at `key`; what cannot be attached is told in a toast each. */
export function useDraftFiles(key: string): DraftFiles {
  const files = useSyncExternalStore(
    subscribeToDraftFiles,
    () => draftFilesAt(key),
    () => NONE,
  );
  return {
    files,
    isUploading: isSendingFiles(key),
    add: (added) => void attach(key, added),
    remove: (id) => removeDraftFile(key, id),
  };
}

/** Adds files to the unsent message at `key` and says which of them it does not take, and why. */
async function attach(key: string, files: readonly File[]): Promise<void> {
  for (const problem of await addDraftFiles(key, files)) toast.error(problem);
}
