import Link from 'next/link';
import { useId, useState } from 'react';
import { api } from '#components/api/api-client';
import { RowToggle } from '#components/changes/change-row';
import { UndoDialog } from '#components/changes/undo-dialog';
import { LIBRARY_CHANGES_PATH } from '#components/desk/navigation';
import { changesViewQuery } from '#components/library/changes-filters';
import { importStrings } from '#components/library/import-words';
import { ReportView } from '#components/library/report-view';
import type { Imports } from '#components/library/use-imports';
import { Button } from '#components/ui/buttons';
import { focusWhenShown } from '#components/ui/focus';
import { duration } from '#components/ui/format';
import { useNow } from '#components/ui/hooks';
import { LoadFailed, ProgressBar } from '#components/ui/notices';
import { Section } from '#components/ui/page-parts';
import { TimeAgo } from '#components/ui/time-ago';
import { reportFailure } from '#components/ui/toasts';
import type { ImportRun } from '#server/core/imports';

const runWords = importStrings.run;

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
        {isRunning ? runWords.running(run.filename) : run.filename}
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
      <ProgressBar label={runWords.running(filename)} done={done} total={total} />
      <div className="mt-2 flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-ink-2 tabular-nums">
          {runWords.progress(done, total)}
          {now !== null &&
            now - createdAt >= 1_000 &&
            ` · ${runWords.time(duration(Math.floor((now - createdAt) / 1_000) * 1_000))}`}
          <span className="block text-xs text-ink-3">{runWords.leave}</span>
        </p>
        <Button aria-disabled={isCancelling} onClick={() => void cancel()}>
          {isCancelling ? runWords.cancelling : runWords.cancel}
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
        {finishedAt !== null && ` · ${runWords.took(duration(finishedAt - createdAt))}`}
      </output>
      {status === 'failed' && (
        <p role="alert" className="mt-2 text-sm text-red">
          {error ?? runWords.failed}
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
function summaryOf({ status, report }: ImportRun): string {
  if (status === 'failed') return runWords.failed;
  if (status === 'cancelled') return runWords.cancelled;
  const counts = Object.values(report.counts);
  const created = counts.reduce((sum, count) => sum + count.created, 0);
  const updated = counts.reduce((sum, count) => sum + count.updated, 0);
  return created + updated === 0 ? runWords.nothing : runWords.taken(created, updated);
}

/** From an import to what it changed, and back to how things were. Its changes go by its id. */
function RunActions({ run: { id, filename, report } }: { readonly run: ImportRun }) {
  const [isAsking, setIsAsking] = useState(false);
  if (Object.values(report.counts).every(({ created, updated }) => created + updated === 0)) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-5 gap-y-2">
      <Button aria-label={runWords.undoLabel(filename)} onClick={() => setIsAsking(true)}>
        {runWords.undo}
      </Button>
      <Link
        href={`${LIBRARY_CHANGES_PATH}?${changesViewQuery({ sessionId: id })}`}
        aria-label={runWords.changesLabel(filename)}
        prefetch={false}
        className="text-sm underline decoration-rule-strong underline-offset-2 hover:decoration-ink"
      >
        {runWords.changes}
      </Link>
      <UndoDialog
        selection={isAsking ? { sessionId: id, turnId: null } : null}
        title={runWords.undoTitle(filename)}
        undo={() => api.undoImport(id)}
        onClose={() => setIsAsking(false)}
      />
    </div>
  );
}

const pastWords = importStrings.past;

interface PastImportsProps {
  readonly imports: Imports;
  /** Shown elsewhere on the page. */
  readonly besides: string | undefined;
}

/** Past imports with their reports and undo. */
export function PastImports({ imports: { runs, error, reload }, besides }: PastImportsProps) {
  const past = runs?.filter(({ id }) => id !== besides);
  return (
    <Section title={pastWords.title}>
      {error ? (
        <LoadFailed title={pastWords.failed} error={error} onRetry={reload} />
      ) : past === undefined ? (
        <div className="h-14 animate-breathe border-y border-rule">
          <output className="sr-only">{pastWords.loading}</output>
        </div>
      ) : past.length === 0 ? (
        <p className="border-t border-rule py-5 text-sm text-ink-2">
          {besides === undefined ? pastWords.empty : pastWords.noOther}
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
              {pastWords.statuses[run.status]}
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
