import { useId, useState } from 'react';
import { Section } from '#components/admin/section';
import { TimeAgo } from '#components/admin/time-ago';
import { RowToggle } from '#components/changes/row-toggle';
import { ReportView } from '#components/library/import/report-view';
import { RunActions } from '#components/library/import/run-actions';
import { summaryOf } from '#components/library/import/run-card';
import { Notice } from '#components/ui/notice';
import type { Imports } from '#lib/library/use-imports';
import { importStrings } from '#lib/strings/imports';
import type { ImportRun } from '#server/core/imports';

const say = importStrings.past;

interface PastImportsProps {
  readonly imports: Imports;
  /** Shown elsewhere on the page. */
  readonly besides: string | undefined;
}

/** What was imported before, with its report and the way back. */
export function PastImports({ imports: { runs, error, reload }, besides }: PastImportsProps) {
  const past = runs?.filter(({ id }) => id !== besides);
  return (
    <Section title={say.title}>
      {error ? (
        <Notice title={say.failed} body={error.message} action={{ label: say.retry, run: reload }} />
      ) : past === undefined ? (
        <div className="h-14 animate-breathe border-y border-rule">
          <output className="sr-only">{say.loading}</output>
        </div>
      ) : past.length === 0 ? (
        <p className="border-t border-rule py-5 text-sm text-ink-2">
          {besides === undefined ? say.empty : say.noOther}
        </p>
      ) : (
        <ul className="border-t border-rule">
          {past.map((run) => (
            <Row key={run.id} run={run} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Row({ run }: { readonly run: ImportRun }) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  return (
    <li className="border-b border-rule py-3">
      <div className="flex items-start gap-3">
        <RowToggle isOpen={isOpen} controls={id} onToggle={() => setIsOpen(!isOpen)} className="min-w-0">
          <span className="min-w-0">
            <span className="block font-medium [overflow-wrap:anywhere]">{run.filename}</span>
            <span className="text-ink-2">
              {say.statuses[run.status]}
              {run.status === 'complete' && ` · ${summaryOf(run)}`}
            </span>
          </span>
        </RowToggle>
        <span className="shrink-0 pt-0.5 text-sm text-ink-3">
          <TimeAgo time={run.createdAt} />
        </span>
      </div>
      <div id={id} hidden={!isOpen} className="pt-3 pl-6">
        {run.error !== null && <p className="mb-3 text-sm text-red">{run.error}</p>}
        <RunActions run={run} />
        <div className="mt-5">
          <ReportView report={run.report} />
        </div>
      </div>
    </li>
  );
}
