'use client';

import clsx from 'clsx';
import { FileText, Paperclip, X } from 'lucide-react';
import { useRef } from 'react';
import { translator } from '#components/i18n.ts';
import { ACCEPTED_FILES } from '#components/chat/parts/attachment-kind.ts';
import type { DraftFile } from '#components/chat/composer/draft-files.ts';
import { IconButton } from '#components/ui/buttons';
import { useDroppedFiles, DropSheet } from '#components/ui/dropped-files';
import { refocus } from '#components/ui/focus/focus.ts';
import { fileSize } from '#components/format.ts';
import { attachFiles, type DraftFiles } from '#components/chat/composer/use-draft-files.ts';

const t = translator('attachment');

interface AttachmentChipsProps {
  readonly draft: DraftFiles;
  /** Name of the chosen model if it accepts no images; null otherwise. */
  readonly modelWithoutVision: string | null;
}

/** The files of an unsent message, each with its upload state. */
export function AttachmentChips({ draft, modelWithoutVision }: AttachmentChipsProps) {
  const { files, isUploading, remove } = draft;
  if (files.length === 0) return null;
  const hasImages = files.some(({ kind }) => kind === 'image');
  return (
    <div className="px-3 pt-3">
      <ul aria-label={t('label')} className="flex max-h-44 flex-wrap gap-2 overflow-y-auto">
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
        <p className="mt-2 text-xs text-amber">{t('unseen', { model: modelWithoutVision })}</p>
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
        aria-label={t('remove', { name: file.name })}
        disabled={isUploading}
        onClick={onRemove}
        className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-3 transition-colors hover:bg-ink/6 hover:text-ink disabled:opacity-40"
      >
        <X aria-hidden className="size-3.5" />
      </button>
      {progress !== null && (
        <progress
          aria-label={t('uploading', { name: file.name })}
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

/** Opens the system's file dialog. */
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
        aria-label={t('add')}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // Allows the same file to be chosen again after it was removed.
          target.value = '';
        }}
      />
      <IconButton
        label={t('add')}
        icon={<Paperclip aria-hidden />}
        disabled={disabled}
        onClick={() => input.current?.click()}
      />
    </>
  );
}

/** Accepts files dropped anywhere on the page, with a hint over the conversation while they are dragged. */
export function DropZone({ draftKey }: { readonly draftKey: string }) {
  const isOver = useDroppedFiles((files) => void attachFiles(draftKey, files));
  return isOver && <DropSheet over="parent" icon={<Paperclip aria-hidden />} title={t('drop')} hint={t('dropHint')} />;
}
