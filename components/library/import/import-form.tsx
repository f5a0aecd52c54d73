import { FileText } from 'lucide-react';
import { useId } from 'react';
import { DropZone } from '#components/library/import/drop-zone';
import { Option } from '#components/ui/option';
import { ProgressBar } from '#components/ui/progress-bar';
import { ReportView } from '#components/library/import/report-view';
import { Button } from '#components/ui/button';
import { focusWhenShown } from '#lib/focus/focus-when-shown';
import { useImportFile, type ImportFile } from '#lib/library/use-import-file';
import { importStrings } from '#lib/strings/imports';
import { useDroppedFiles } from '#lib/chat/use-dropped-files';
import type { ImportRun } from '#server/core/imports';

const say = importStrings.import;

/** Takes a file, and says on request what an import of it would do before it is begun. */
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
      {chosen.preview && <Preview run={chosen.preview} />}
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
        <span className="shrink-0 text-sm text-ink-3">{say.bytes(file.size)}</span>
      </p>
      <fieldset disabled={isBusy} className="mt-4 flex flex-col gap-3">
        <Option
          label={say.pictures}
          hint={say.picturesHint}
          isOn={options.pictures}
          onChange={(pictures) => change({ pictures })}
        />
        <Option
          label={say.settings}
          hint={say.settingsHint}
          isOn={options.settings}
          onChange={(settings) => change({ settings })}
        />
      </fieldset>
      <div className="mt-5 flex flex-wrap gap-2">
        {/* What was pressed to choose the file is gone. */}
        <Button ref={focusWhenShown} variant="primary" aria-disabled={isBusy} onClick={() => void chosen.start()}>
          {state === 'sending' ? say.starting : say.start}
        </Button>
        <Button aria-disabled={isBusy} onClick={() => void chosen.look()}>
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

function Preview({ run }: { readonly run: ImportRun }) {
  const id = useId();
  const { preview } = importStrings;
  const isNothingNew = Object.values(run.report.counts).every(({ created, updated }) => created + updated === 0);
  return (
    <section aria-labelledby={id} className="mt-5 border-l-2 border-rule-strong pl-5">
      <h3 id={id} ref={focusWhenShown} tabIndex={-1} className="font-serif text-lg font-medium outline-none">
        {preview.title}
      </h3>
      <p className="mb-4 text-sm text-ink-2">{isNothingNew ? preview.nothing : preview.body}</p>
      <ReportView report={run.report} />
    </section>
  );
}
