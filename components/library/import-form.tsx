import clsx from 'clsx';
import { FileText, FileUp } from 'lucide-react';
import { useId, useState } from 'react';
import { type ImportOptions, paths } from '#components/api/paths';
import { messageOf } from '#components/api/api-error';
import { sendFile } from '#components/api/upload-file';
import { nameOfSite, useSites } from '#components/desk/site-of-page';
import { FileButton } from '#components/library/file-button';
import { importStrings } from '#components/library/import-words';
import { ReportView } from '#components/library/report-view';
import { Button, Disclosure } from '#components/ui/buttons';
import { useDroppedFiles } from '#components/ui/dropped-files';
import { ChoiceField, Option } from '#components/ui/fields';
import { focusWhenShown } from '#components/ui/focus';
import { fileSize } from '#components/figures';
import { ProgressBar } from '#components/ui/notices';
import { MAX_IMPORT_BYTES } from '#server/core/limits';
import type { SiteChoice } from '#server/core/remote-site';
import type { ImportedKind, ImportRun } from '#server/core/imports';

const say = importStrings.import;
const importedKinds = Object.keys(importStrings.report.kinds) as readonly ImportedKind[];

/** Accepts a file, and shows on request what its import would do before it starts. */
export function ImportForm({ onStarted }: { readonly onStarted: (run: ImportRun) => void }) {
  const chosen = useImportFile(onStarted);
  const isOver = useDroppedFiles(chosen.choose);
  return (
    <div className="mt-4 first:mt-0">
      {chosen.file === null ? (
        <DropZone isOver={isOver} onFiles={chosen.choose} />
      ) : (
        <ChosenFile chosen={chosen} file={chosen.file} isOver={isOver} />
      )}
      {chosen.problem !== null && (
        <p role="alert" className="mt-3 text-sm text-red">
          {chosen.problem}
        </p>
      )}
      {chosen.preview && <Preview run={chosen.preview} chosen={chosen} />}
    </div>
  );
}

interface ChosenFileProps {
  readonly chosen: ImportFile;
  readonly file: File;
  readonly isOver: boolean;
}

function ChosenFile({ chosen, file, isOver }: ChosenFileProps) {
  const { state, progress, options, change } = chosen;
  const isBusy = state !== 'idle';
  const isConnected = typeof chosen.target?.url === 'string';
  return (
    <div className={`rounded-lg border bg-sheet p-5 ${isOver ? 'border-accent' : 'border-rule'}`}>
      <p className="flex min-w-0 items-center gap-3">
        <FileText aria-hidden className="size-5 shrink-0 stroke-[1.5] text-ink-3" />
        <span className="min-w-0 text-base font-medium [overflow-wrap:anywhere]">{file.name}</span>
        <span className="shrink-0 text-sm text-ink-3">{fileSize(file.size)}</span>
      </p>
      <fieldset disabled={isBusy} className="mt-4 flex flex-col gap-3">
        {chosen.sites.length > 1 && (
          <ChoiceField
            label={say.target}
            choices={Object.fromEntries(chosen.sites.map((site) => [site.id, nameOfSite(site)]))}
            value={options.site ?? null}
            any={say.chooseTarget}
            onChange={(site) => change({ site })}
            onAny={() => change({ site: undefined })}
          />
        )}
        <Option {...picturesOption(file)} isOn={options.pictures} onChange={(pictures) => change({ pictures })} />
        <Option
          label={say.settings}
          hint={say.settingsHint}
          isOn={options.settings}
          onChange={(settings) => change({ settings })}
        />
      </fieldset>
      <div className="mt-5 flex flex-wrap gap-2">
        {/* The element that opened the file dialog is gone. */}
        <Button
          ref={focusWhenShown}
          variant="primary"
          aria-disabled={isBusy || !chosen.isReady}
          onClick={() => void (isConnected ? chosen.look() : chosen.start())}
        >
          {state === 'sending' ? say.starting : isConnected ? say.check : say.start}
        </Button>
        <Button aria-disabled={isBusy || !chosen.isReady} onClick={() => void chosen.look()}>
          {state === 'looking' ? say.looking : say.look}
        </Button>
        <Button variant="ghost" disabled={isBusy} onClick={chosen.clear}>
          {say.again}
        </Button>
      </div>
      {/* Once all of it has left, the server reads it, for as long as that takes. */}
      {isBusy && <ProgressBar label={say.sending(file.name)} done={progress} total={progress < 1 ? 1 : 0} />}
    </div>
  );
}

/** An export of ours has its pictures in it, unless it was made without them; one of WordPress never does. */
export function picturesOption({ name }: Pick<File, 'name'>): { readonly label: string; readonly hint: string } {
  return isOurs(name)
    ? { label: say.ownPictures, hint: say.ownPicturesHint }
    : { label: say.pictures, hint: say.picturesHint };
}

/** Lists what visitors of a connected site would see at once, with a button to approve it. */
function Approval({ run: { target, approval, report }, chosen }: PreviewProps) {
  const counted = importedKinds.filter((kind) => report.appears[kind] > 0);
  if (approval === null) return null;
  return (
    <div className="mb-5 rounded-lg border border-accent bg-accent-wash p-4">
      <p className="text-sm font-medium">
        {counted.length === 0 ? say.appearsNothing(nameOfSite(target)) : say.appears(nameOfSite(target))}
      </p>
      {counted.length > 0 && (
        <ul className="mt-1 ml-5 list-disc text-sm">
          {counted.map((kind) => (
            <li key={kind}>{importStrings.report.ofKind(kind, report.appears[kind])}</li>
          ))}
        </ul>
      )}
      <Button variant="primary" className="mt-3" onClick={() => void chosen.start(approval)}>
        {say.approve(nameOfSite(target))}
      </Button>
    </div>
  );
}

interface PreviewProps {
  readonly run: ImportRun;
  readonly chosen: ImportFile;
}

function Preview({ run, chosen }: PreviewProps) {
  const id = useId();
  const { preview } = importStrings;
  const isNothingNew = Object.values(run.report.counts).every(({ created, updated }) => created + updated === 0);
  return (
    <section aria-labelledby={id} className="mt-5 border-l-2 border-rule-strong pl-5">
      <h3 id={id} ref={focusWhenShown} tabIndex={-1} className="font-serif text-lg font-medium outline-none">
        {preview.title}
      </h3>
      <p className="mb-4 text-sm text-ink-2">{isNothingNew ? preview.nothing : preview.body}</p>
      <Approval run={run} chosen={chosen} />
      <ReportView report={run.report} />
    </section>
  );
}

interface DropZoneProps {
  /** A file is above the page. */
  readonly isOver: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Area to drop or choose a file, with a hint where to get one. */
function DropZone({ isOver, onFiles }: DropZoneProps) {
  return (
    <>
      <div
        className={clsx(
          'flex flex-col items-center gap-1 rounded-lg border border-dashed px-5 py-10 text-center transition-colors',
          isOver ? 'border-accent bg-accent-wash' : 'border-rule-strong bg-sheet',
        )}
      >
        <FileUp aria-hidden className={clsx('mb-2 size-5 stroke-[1.5]', isOver ? 'text-accent' : 'text-ink-3')} />
        <p className="font-serif text-xl max-sm:hidden">{say.drop}</p>
        <p className="mb-3 text-sm text-ink-2">{say.accepted}</p>
        <FileButton label={say.choose} variant="primary" accept={ACCEPTED_EXPORTS} onFiles={onFiles} />
      </div>
      <div className="mt-4 text-sm">
        <Disclosure title={say.where} look="quiet">
          <ol className="mt-2 ml-5 flex list-decimal flex-col gap-1 pl-4 text-ink-2">
            {say.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </Disclosure>
      </div>
    </>
  );
}

/** Progress of the chosen file. */
export type ImportFileState = 'idle' | 'looking' | 'sending';

export interface ImportFile {
  /** Null: none was chosen. */
  readonly file: File | null;
  readonly options: Omit<ImportOptions, 'dryRun' | 'approve'>;
  readonly sites: readonly SiteChoice[];
  /** The chosen site, or the only one; null: not chosen, or not known yet. */
  readonly target: SiteChoice | null;
  /** True if it can be sent: where a site has to be chosen, one is. */
  readonly isReady: boolean;
  readonly state: ImportFileState;
  /** Share of the file that has been sent, 0 to 1. */
  readonly progress: number;
  /** Reason why it was refused, and what to do. */
  readonly problem: string | null;
  /** Report of the dry run; null: none for the current choice. */
  readonly preview: ImportRun | null;
  readonly choose: (files: readonly File[]) => void;
  readonly clear: () => void;
  readonly change: (options: Partial<Omit<ImportOptions, 'dryRun' | 'approve'>>) => void;
  readonly look: () => Promise<void>;
  /** @param approve what the dry run into a connected site gave */
  readonly start: (approve?: string) => Promise<void>;
}

const NOTHING = { file: null, state: 'idle', progress: 0, problem: null, preview: null } as const;

interface Chosen extends Pick<ImportFile, 'file' | 'state' | 'progress' | 'problem' | 'preview'> {}

/** A file that somebody wants to import. `onStarted` is told of the import that it became. */
function useImportFile(onStarted: (run: ImportRun) => void): ImportFile {
  const [chosen, setChosen] = useState<Chosen>(NOTHING);
  const [options, setOptions] = useState<ImportFile['options']>({ pictures: true, settings: false });
  const sites = useSites().items;
  const target = sites.length === 1 ? (sites[0] ?? null) : (sites.find(({ id }) => id === options.site) ?? null);
  const isReady = target !== null || sites.length === 0;
  const patch = (changes: Partial<Chosen>) => setChosen((before) => ({ ...before, ...changes }));

  const send = async (state: ImportFileState, more: Partial<ImportOptions>): Promise<ImportRun | null> => {
    if (chosen.file === null || chosen.state !== 'idle' || !isReady) return null;
    patch({ state, progress: 0, problem: null });
    try {
      const path = paths.newImport({ ...options, site: target?.id, ...more });
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
    sites,
    target,
    isReady,
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
      const preview = await send('looking', { dryRun: true });
      if (preview !== null) patch({ preview });
    },
    start: async (approve) => {
      const run = await send('sending', { approve });
      if (run === null) return;
      setChosen(NOTHING);
      onStarted(run);
    },
  };
}

/** Accepted types of the file dialog. */
const ACCEPTED_EXPORTS = '.xml,.json,text/xml,application/xml,application/json';

function isOurs(name: string): boolean {
  return /\.json$/i.test(name);
}

/** Reason why a file cannot be an export, and what to do; null: none found here. The server checks again. */
export function exportFileProblem({ name, size }: Pick<File, 'name' | 'size'>): string | null {
  if (/\.zip$/i.test(name)) return say.zipped;
  if (!/\.(xml|json)$/i.test(name)) return say.notAnExport;
  if (size === 0) return say.empty;
  return size > MAX_IMPORT_BYTES ? say.tooLarge : null;
}
