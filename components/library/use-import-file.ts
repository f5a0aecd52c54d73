import { useState } from 'react';
import { importQuery, type ImportOptions, type ImportChoices } from '#components/api/paths.ts';
import { messageOf } from '#components/api/api-error.ts';
import { translator } from '#components/i18n.ts';
import { sendFile } from '#components/api/upload-file.ts';
import { useSites } from '#components/workspace/site-of-page';
import { MAX_IMPORT_BYTES } from '#server/core/limits';
import type { SiteChoice } from '#server/core/site/remote-site';
import type { ImportRun } from '#server/core/site/imports';

const t = translator('import.import');

/** State of the chosen file: `previewing` during a dry run, `sending` while it is uploaded and its import starts. */
export type ImportFileState = 'idle' | 'previewing' | 'sending';

/** A chosen file, and what has become of it. */
interface ChosenFile {
  /** Null: no file was chosen. */
  readonly file: File | null;
  readonly state: ImportFileState;
  /** Uploaded share of the file, 0 to 1. */
  readonly progress: number;
  /** Reason why the file was refused, with advice; null: it was not. */
  readonly problem: string | null;
  /** Report of the dry run; null if the current choice has none. */
  readonly preview: ImportRun | null;
}

/** A file to import, with its options and actions. */
export interface ImportFile extends ChosenFile {
  readonly options: ImportChoices;
  readonly sites: readonly SiteChoice[];
  /** The chosen site, or the only one; null if none is chosen or the sites are not loaded. */
  readonly target: SiteChoice | null;
  /** True if the import can be sent: if a site must be chosen, one is. */
  readonly isReady: boolean;
  /** Takes the first of the files, unless a request is running. */
  readonly choose: (files: readonly File[]) => void;
  readonly clear: () => void;
  /** Changes options; this discards the report of a dry run. */
  readonly change: (options: Partial<ImportChoices>) => void;
  /** Runs an import that changes nothing, and stores its report in `preview`. */
  readonly runPreview: () => Promise<void>;
  /**
   * Starts the import.
   * @param approve value returned by the dry run; required for a connected site
   */
  readonly start: (approve?: string) => Promise<void>;
}

const NO_FILE = { file: null, state: 'idle', progress: 0, problem: null, preview: null } as const;

/** The file that the user wants to import. `onStarted` receives the import that was started with it. */
export function useImportFile(onStarted: (run: ImportRun) => void): ImportFile {
  const [chosen, setChosen] = useState<ChosenFile>(NO_FILE);
  const [options, setOptions] = useState<ImportChoices>({ pictures: true, settings: false });
  const sites = useSites().items;
  const target = sites.length === 1 ? (sites[0] ?? null) : (sites.find(({ id }) => id === options.site) ?? null);
  const isReady = target !== null || sites.length === 0;
  const patch = (changes: Partial<ChosenFile>) => setChosen((before) => ({ ...before, ...changes }));

  const send = async (state: ImportFileState, more: Partial<ImportOptions>): Promise<ImportRun | null> => {
    if (chosen.file === null || chosen.state !== 'idle' || !isReady) return null;
    patch({ state, progress: 0, problem: null });
    try {
      const query = importQuery({ ...options, site: target?.id, ...more });
      return await sendFile('/api/content/imports', { query }, chosen.file, (progress) => patch({ progress }));
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
    sites,
    target,
    isReady,
    choose: ([file]) => {
      if (file === undefined || chosen.state !== 'idle') return;
      const problem = exportFileProblem(file);
      setChosen({ ...NO_FILE, file: problem === null ? file : null, problem });
    },
    clear: () => setChosen(NO_FILE),
    change: (changes) => {
      setOptions({ ...options, ...changes });
      patch({ preview: null });
    },
    runPreview: async () => {
      const preview = await send('previewing', { dryRun: true });
      if (preview !== null) patch({ preview });
    },
    start: async (approve) => {
      const run = await send('sending', { approve });
      if (run === null) return;
      setChosen(NO_FILE);
      onStarted(run);
    },
  };
}

/** Accepted types of the file dialog. */
export const ACCEPTED_EXPORTS = '.xml,.json,text/xml,application/xml,application/json';

/** True for the name of a file that this product exported. */
export function isOwnExport(name: string): boolean {
  return /\.json$/i.test(name);
}

/** Reason why a file cannot be an export, with advice; null if this check finds none. The server checks again. */
function exportFileProblem({ name, size }: File): string | null {
  if (/\.zip$/i.test(name)) return t('zipped');
  if (!/\.(xml|json)$/i.test(name)) return t('notAnExport');
  if (size === 0) return t('empty');
  return size > MAX_IMPORT_BYTES ? t('tooLarge', { megabytes: MAX_IMPORT_BYTES / 1_000_000 }) : null;
}
