import { useState } from 'react';
import { paths, type ImportOptions } from '#lib/api/api-client';
import { exportFileProblem } from '#lib/library/export-file';
import { messageOf } from '#lib/ui/message-of';
import { sendFile } from '#lib/api/upload-file';
import type { ImportRun } from '#server/core/imports';

/** What is being done with the chosen file. */
export type ImportFileState = 'idle' | 'looking' | 'sending';

export interface ImportFile {
  /** Null: none was chosen. */
  readonly file: File | null;
  readonly options: Omit<ImportOptions, 'dryRun'>;
  readonly state: ImportFileState;
  /** Share of the file that has been sent, 0 to 1. */
  readonly progress: number;
  /** Why it could not be taken, and what to do. */
  readonly problem: string | null;
  /** What an import of it would do; null: nobody has looked, or something else was chosen since. */
  readonly preview: ImportRun | null;
  readonly choose: (files: readonly File[]) => void;
  readonly clear: () => void;
  readonly change: (options: Partial<Omit<ImportOptions, 'dryRun'>>) => void;
  readonly look: () => Promise<void>;
  readonly start: () => Promise<void>;
}

const NOTHING = { file: null, state: 'idle', progress: 0, problem: null, preview: null } as const;

interface Chosen extends Pick<ImportFile, 'file' | 'state' | 'progress' | 'problem' | 'preview'> {}

/** A file that somebody wants to import. `onStarted` is told of the import that it became. */
export function useImportFile(onStarted: (run: ImportRun) => void): ImportFile {
  const [chosen, setChosen] = useState<Chosen>(NOTHING);
  const [options, setOptions] = useState({ pictures: true, settings: false });
  const patch = (changes: Partial<Chosen>) => setChosen((before) => ({ ...before, ...changes }));

  const send = async (state: ImportFileState, dryRun: boolean): Promise<ImportRun | null> => {
    if (chosen.file === null || chosen.state !== 'idle') return null;
    patch({ state, progress: 0, problem: null });
    try {
      const path = paths.newImport({ ...options, dryRun });
      return await sendFile<ImportRun>(path, chosen.file, (progress) => patch({ progress }));
    } catch (error) {
      patch({ problem: messageOf(error) });
      return null;
    } finally {
      patch({ state: 'idle' });
    }
  };

  return {
    ...chosen,
    options,
    choose: ([file]) => {
      if (file === undefined || chosen.state !== 'idle') return;
      const problem = exportFileProblem(file);
      setChosen({ ...NOTHING, file: problem === null ? file : null, problem });
    },
    clear: () => setChosen(NOTHING),
    change: (changes) => {
      setOptions({ ...options, ...changes });
      patch({ preview: null });
    },
    look: async () => {
      const preview = await send('looking', true);
      if (preview !== null) patch({ preview });
    },
    start: async () => {
      const run = await send('sending', false);
      if (run === null) return;
      setChosen(NOTHING);
      onStarted(run);
    },
  };
}
