import clsx from 'clsx';
import { ChevronRight, FileUp } from 'lucide-react';
import { FileButton } from '#components/library/media/file-button';
import { ACCEPTED_EXPORTS } from '#lib/library/export-file';
import { importStrings } from '#lib/strings/imports';

const say = importStrings.import;

interface DropZoneProps {
  /** A file is above the page. */
  readonly isOver: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Where a file is dropped or chosen, and where to get one. */
export function DropZone({ isOver, onFiles }: DropZoneProps) {
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
      <details className="group mt-4 text-sm">
        <summary className="inline-flex cursor-pointer list-none items-center gap-1 rounded text-ink-2 hover:text-ink">
          <ChevronRight
            aria-hidden
            className="size-4 stroke-[1.75] text-ink-3 transition-transform group-open:rotate-90"
          />
          {say.where}
        </summary>
        <ol className="mt-2 ml-5 flex list-decimal flex-col gap-1 pl-4 text-ink-2">
          {say.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </details>
    </>
  );
}
