import { useSyncExternalStore } from 'react';
import { toast } from 'sonner';
import {
  type DraftFile,
  addDraftFiles,
  draftFilesAt,
  isSendingFiles,
  removeDraftFile,
  subscribeToDraftFiles,
} from '#lib/chat/draft-files';

const NONE: readonly DraftFile[] = [];

export interface DraftFiles {
  readonly files: readonly DraftFile[];
  /** They are on their way: nothing can be changed. */
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
export async function attach(key: string, files: readonly File[]): Promise<void> {
  for (const problem of await addDraftFiles(key, files)) toast.error(problem);
}
