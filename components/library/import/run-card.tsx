import { useState } from 'react';
import { ProgressBar } from '#components/ui/progress-bar';
import { ReportView } from '#components/library/import/report-view';
import { RunActions } from '#components/library/import/run-actions';
import { Button } from '#components/ui/button';
import { api } from '#lib/api/api-client';
import { focusWhenShown } from '#lib/focus/focus-when-shown';
import { duration } from '#lib/ui/format';
import { reportFailure } from '#lib/ui/report-failure';
import { importStrings } from '#lib/strings/imports';
import { useNow } from '#lib/ui/use-now';
import type { ImportRun } from '#server/core/imports';

const say = importStrings.run;

interface RunCardProps {
  readonly run: ImportRun;
  /** Something else is known of it. */
  readonly onRun: (run: ImportRun) => void;
}

/**
 * The import that runs, or that has just ended: how far it is, and then what became of everything.
 * `isOwn`: it was begun on this page, and its reader waits for it.
 */
export function RunCard({ run, isOwn, onRun }: RunCardProps & { readonly isOwn: boolean }) {
  const isRunning = run.status === 'running';
  return (
    <section aria-labelledby={run.id} className="mb-6 rounded-lg border border-rule bg-sheet p-5">
      <h3
        id={run.id}
        key={run.status}
        ref={isOwn ? focusWhenShown : undefined}
        tabIndex={-1}
        className="font-serif text-lg font-medium outline-none [overflow-wrap:anywhere]"
      >
        {isRunning ? say.running(run.filename) : run.filename}
      </h3>
      {isRunning ? <Progress run={run} onRun={onRun} /> : <Outcome run={run} />}
    </section>
  );
}

function Progress({ run, onRun }: RunCardProps) {
  const { id, filename, done, total, createdAt } = run;
  const [isCancelling, setIsCancelling] = useState(false);
  const now = useNow(1_000);
  const cancel = async () => {
    if (isCancelling) return;
    setIsCancelling(true);
    try {
      onRun(await api.cancelImport(id));
    } catch (error) {
      setIsCancelling(false);
      reportFailure(error);
    }
  };
  return (
    <>
      <ProgressBar label={say.running(filename)} done={done} total={total} />
      <div className="mt-2 flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-ink-2 tabular-nums">
          {say.progress(done, total)}
          {now !== null &&
            now - createdAt >= 1_000 &&
            ` · ${say.time(duration(Math.floor((now - createdAt) / 1_000) * 1_000))}`}
          <span className="block text-xs text-ink-3">{say.leave}</span>
        </p>
        <Button aria-disabled={isCancelling} onClick={() => void cancel()}>
          {isCancelling ? say.cancelling : say.cancel}
        </Button>
      </div>
    </>
  );
}

function Outcome({ run }: { readonly run: ImportRun }) {
  const { status, error, createdAt, finishedAt, report } = run;
  return (
    <>
      <output className="mt-1 block text-sm text-ink-2">
        {summaryOf(run)}
        {finishedAt !== null && ` · ${say.took(duration(finishedAt - createdAt))}`}
      </output>
      {status === 'failed' && (
        <p role="alert" className="mt-2 text-sm text-red">
          {error ?? say.failed}
        </p>
      )}
      <RunActions run={run} />
      <div className="mt-5">
        <ReportView report={report} />
      </div>
    </>
  );
}

/** How an import ended, in a few words. */
export function summaryOf({ status, report }: ImportRun): string {
  if (status === 'failed') return say.failed;
  if (status === 'cancelled') return say.cancelled;
  const counts = Object.values(report.counts);
  const created = counts.reduce((sum, count) => sum + count.created, 0);
  const updated = counts.reduce((sum, count) => sum + count.updated, 0);
  return created + updated === 0 ? say.nothing : say.taken(created, updated);
}
