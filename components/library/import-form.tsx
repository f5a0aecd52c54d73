import clsx from 'clsx';
import { FileText, FileUp } from 'lucide-react';
import { useId } from 'react';
import { nameOfSite } from '#components/workspace/site-of-page';
import { FileButton } from '#components/library/file-button';
import { translator } from '#components/i18n.ts';
import { importedKinds, ImportReportView } from '#components/library/import-report';
import { Disclosure } from '#components/ui/controls/disclosure';
import { Button } from '#components/ui/buttons';
import { useDroppedFiles } from '#components/ui/dropped-files';
import { ChoiceField, Option } from '#components/ui/fields';
import { focusWhenShown } from '#components/ui/focus/focus.ts';
import { fileSize } from '#components/format.ts';
import { ProgressBar } from '#components/ui/progress-bar';
import type { ImportRun } from '#server/core/site/imports';
import { ACCEPTED_EXPORTS, type ImportFile, isOwnExport, useImportFile } from '#components/library/use-import-file.ts';
import { MAX_IMPORT_BYTES } from '#server/core/limits';

const t = translator('import');

/** How to get the file in WordPress. */
const steps = ['signIn', 'openExport', 'download', 'drop'] as const;

/**
 * Accepts a file and starts its import, after an optional dry run that shows its effects. Into a connected site the dry
 * run is required, because its visitors would see the changes immediately.
 */
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
            label={t('import.target')}
            choices={Object.fromEntries(chosen.sites.map((site) => [site.id, nameOfSite(site)]))}
            value={options.site ?? null}
            any={t('import.chooseTarget')}
            onChange={(site) => change({ site })}
            onAny={() => change({ site: undefined })}
          />
        )}
        <Option {...picturesOption(file)} isOn={options.pictures} onChange={(pictures) => change({ pictures })} />
        <Option
          label={t('import.settings')}
          hint={t('import.settingsHint')}
          isOn={options.settings}
          onChange={(settings) => change({ settings })}
        />
      </fieldset>
      <ImportButtons {...chosen} />
      {/* After the upload, the server reads the file, which takes an unknown time: a total of 0 shows that. */}
      {isBusy && (
        <ProgressBar
          label={t('import.sending', { filename: file.name })}
          done={progress}
          total={progress < 1 ? 1 : 0}
        />
      )}
    </div>
  );
}

type ImportButtonsProps = Pick<ImportFile, 'state' | 'target' | 'isReady' | 'runPreview' | 'start' | 'clear'>;

/**
 * Buttons for a chosen file: import and dry run, or, for a connected site, only the dry run, whose report has the
 * button that starts the import. `useImportFile` ignores clicks while a request is running or no site is chosen.
 */
function ImportButtons({ state, target, isReady, runPreview, start, clear }: ImportButtonsProps) {
  const isBusy = state !== 'idle';
  const isConnected = typeof target?.url === 'string';
  const waitingLabel = state === 'sending' ? t('import.starting') : state === 'previewing' ? t('import.looking') : null;
  return (
    <div className="mt-5 flex flex-wrap gap-2">
      {/* Takes the focus, because the element that opened the file dialog is gone. Not `disabled`, which would lose it. */}
      <Button
        ref={focusWhenShown}
        variant="primary"
        aria-disabled={isBusy || !isReady}
        onClick={() => void (isConnected ? runPreview() : start())}
      >
        {isConnected
          ? (waitingLabel ?? t('import.check'))
          : state === 'sending'
            ? t('import.starting')
            : t('import.start')}
      </Button>
      {!isConnected && (
        <Button aria-disabled={isBusy || !isReady} onClick={() => void runPreview()}>
          {state === 'previewing' ? t('import.looking') : t('import.look')}
        </Button>
      )}
      <Button variant="ghost" disabled={isBusy} onClick={clear}>
        {t('import.again')}
      </Button>
    </div>
  );
}

/**
 * Texts for the option to import pictures: an export of this product usually contains them, one of WordPress never
 * does.
 */
function picturesOption({ name }: File): { readonly label: string; readonly hint: string } {
  return isOwnExport(name)
    ? { label: t('import.ownPictures'), hint: t('import.ownPicturesHint') }
    : { label: t('import.pictures'), hint: t('import.picturesHint') };
}

/** Lists what visitors of a connected site would see immediately, with a button to approve it. */
function Approval({ run: { target, approval, report }, chosen }: PreviewProps) {
  const counted = importedKinds.filter((kind) => report.appears[kind] > 0);
  if (approval === null) return null;
  return (
    <div className="mb-5 rounded-lg border border-accent bg-accent-wash p-4">
      <p className="text-sm font-medium">
        {counted.length === 0
          ? t('import.appearsNothing', { site: nameOfSite(target) })
          : t('import.appears', { site: nameOfSite(target) })}
      </p>
      {counted.length > 0 && (
        <ul className="mt-1 ml-5 list-disc text-sm">
          {counted.map((kind) => (
            <li key={kind}>{t('report.ofKind', { kind: t(`report.kinds.${kind}`), count: report.appears[kind] })}</li>
          ))}
        </ul>
      )}
      <Button variant="primary" className="mt-3" onClick={() => void chosen.start(approval)}>
        {t('import.approve', { site: nameOfSite(target) })}
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
  const isNothingNew = Object.values(run.report.counts).every(({ created, updated }) => created + updated === 0);
  return (
    <section aria-labelledby={id} className="mt-5 border-l-2 border-rule-strong pl-5">
      <h3 id={id} ref={focusWhenShown} tabIndex={-1} className="font-serif text-lg font-medium outline-none">
        {t('preview.title')}
      </h3>
      <p className="mb-4 text-sm text-ink-2">{isNothingNew ? t('preview.nothing') : t('preview.body')}</p>
      <Approval run={run} chosen={chosen} />
      <ImportReportView report={run.report} />
    </section>
  );
}

interface DropZoneProps {
  /** True while a file is dragged over the page. */
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
        <p className="font-serif text-xl max-sm:hidden">{t('import.drop')}</p>
        <p className="mb-3 text-sm text-ink-2">{t('import.accepted', { megabytes: MAX_IMPORT_BYTES / 1_000_000 })}</p>
        <FileButton label={t('import.choose')} variant="primary" accept={ACCEPTED_EXPORTS} onFiles={onFiles} />
      </div>
      <div className="mt-4 text-sm">
        <Disclosure title={t('import.where')} look="quiet">
          <ol className="mt-2 ml-5 flex list-decimal flex-col gap-1 pl-4 text-ink-2">
            {steps.map((step) => (
              <li key={step}>{t(`import.steps.${step}`)}</li>
            ))}
          </ol>
        </Disclosure>
      </div>
    </>
  );
}
