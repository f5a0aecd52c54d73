import { useSyncExternalStore } from 'react';
import { toast } from 'sonner';
import {
  addDraftFiles,
  type DraftFile,
  draftFilesAt,
  isSendingFiles,
  removeDraftFile,
  subscribeToDraftFiles,
} from '#components/chat/composer/draft-files.ts';

const NONE: readonly DraftFile[] = [];

/** The files of an unsent message and the functions that change them. */
export interface DraftFiles {
  readonly files: readonly DraftFile[];
  /** True during uploads, when nothing can be changed. */
  readonly isUploading: boolean;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (id: string) => void;
}

/** The files of the unsent message at `key`; shows a toast for each file that cannot be attached. */
export function useDraftFiles(key: string): DraftFiles {
  const files = useSyncExternalStore(
    subscribeToDraftFiles,
    () => draftFilesAt(key),
    () => NONE,
  );
  return {
    files,
    isUploading: isSendingFiles(key),
    add: (added) => void attachFiles(key, added),
    remove: (id) => removeDraftFile(key, id),
  };
}

/** Adds files to the unsent message at `key`, and reports which files were refused and why. */
export async function attachFiles(key: string, files: readonly File[]): Promise<void> {
  for (const problem of await addDraftFiles(key, files)) toast.error(problem);
}
