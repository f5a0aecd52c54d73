'use client';

import Link from 'next/link';
import { localizedText } from '#components/message-text.ts';
import { useSites } from '#components/workspace/site-of-page';
import { useEffect, useId, useRef, useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { RowToggle } from '#components/changes/row-toggle';
import { UndoDialog } from '#components/changes/undo-dialog';
import { contentChanged } from '#components/workspace/content-cache.ts';
import { LIBRARY_CHANGES_PATH } from '#components/workspace/navigation.ts';
import { changesViewQuery } from '#components/library/changes-view.ts';
import { ImportForm } from '#components/library/import-form';
import { translator } from '#components/i18n.ts';
import { ImportReportView } from '#components/library/import-report';
import { StaticSiteSection } from '#components/library/static-site';
import { Button } from '#components/ui/buttons';
import { Option } from '#components/ui/fields';
import { focusWhenShown } from '#components/ui/focus/focus.ts';
import { duration } from '#components/ui/times.ts';
import { useNow } from '#components/ui/hooks.ts';
import { LoadFailed } from '#components/ui/notices';
import { ProgressBar } from '#components/ui/progress-bar';
import { PageTitle, Section, TimeAgo } from '#components/ui/page-parts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { useApi } from '#components/api/use-api.ts';
import type { ImportRun } from '#server/core/site/imports';

/** Imports a site from elsewhere, shows the result, and exports this site. */
export function ImportScreen({ siteUrl }: { readonly siteUrl: string | null }) {
  const imports = useImports();
  const [startedId, setStartedId] = useState<string | null>(null);
  const { runs = [], show } = imports;
  const running = runs.find(({ status }) => status === 'running');
  const current = running ?? runs.find(({ id }) => id === startedId);
  return (
    <div className="mx-auto max-w-[56rem]">
      <PageTitle title={t('title')} intro={t('intro')} />
      <Section title={t('import.title')} intro={t('import.body')}>
        {current && <RunCard key={current.id} run={current} isOwn={current.id === startedId} onRun={show} />}
        {running === undefined && (
          <ImportForm
            onStarted={(run) => {
              show(run);
              setStartedId(run.id);
            }}
          />
        )}
      </Section>
      <PastImports imports={imports} excludedId={current?.id} />
      <ExportSection />
      <StaticSiteSection siteUrl={siteUrl} />
    </div>
  );
}

const t = translator('import');

/** Export of the whole site as a file. */
function ExportSection() {
  const [media, setMedia] = useState(true);
  const { currentId: site } = useSites();
  return (
    <Section title={t('export.title')} intro={t('export.body')}>
      <p className="-mt-4 mb-5 text-sm text-ink-3">{t('export.without')}</p>
      <Option label={t('export.media')} hint={t('export.mediaHint')} isOn={media} onChange={setMedia} />
      <a
        href={paths.siteExport({ media, site })}
        download
        className="mt-5 inline-flex h-8 items-center rounded-md border border-rule-strong bg-sheet px-3 text-sm font-medium hover:border-ink-3"
      >
        {t('export.download')}
      </a>
    </Section>
  );
}

interface RunCardProps {
  readonly run: ImportRun;
  /** Called with newer data of the run. */
  readonly onRun: (run: ImportRun) => void;
}

/**
 * The running import, or the one that has just ended: its progress, and then its result. `isOwn`: the import was
 * started on this page, so that its heading takes the focus.
 */
function RunCard({ run, isOwn, onRun }: RunCardProps & { readonly isOwn: boolean }) {
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
        {isRunning ? t('run.running', { filename: run.filename }) : run.filename}
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
      <ProgressBar label={t('run.running', { filename })} done={done} total={total} />
      <div className="mt-2 flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-ink-2 tabular-nums">
          {t('run.progress', { done, total })}
          {now !== null &&
            now - createdAt >= 1_000 &&
            ` · ${t('run.time', { time: duration(Math.floor((now - createdAt) / 1_000) * 1_000) })}`}
          <span className="block text-xs text-ink-3">{t('run.leave')}</span>
        </p>
        <Button aria-disabled={isCancelling} onClick={() => void cancel()}>
          {isCancelling ? t('run.cancelling') : t('run.cancel')}
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
        {finishedAt !== null && ` · ${t('run.took', { time: duration(finishedAt - createdAt) })}`}
      </output>
      {status === 'failed' && (
        <p role="alert" className="mt-2 text-sm text-red">
          {error ?? t('run.failed')}
        </p>
      )}
      <RunActions run={run} />
      <div className="mt-5">
        <ImportReportView report={report} />
      </div>
    </>
  );
}

/** A short summary of an import's result. */
function summaryOf({ status, report }: ImportRun): string {
  if (status === 'failed') return t('run.failed');
  if (status === 'cancelled') return t('run.cancelled');
  const counts = Object.values(report.counts);
  const created = counts.reduce((sum, count) => sum + count.created, 0);
  const updated = counts.reduce((sum, count) => sum + count.updated, 0);
  return created + updated === 0 ? t('run.nothing') : t('run.taken', { created, updated });
}

/** Undo of an import, and a link to its changes, whose session id is the id of the import. */
function RunActions({ run: { id, filename, report } }: { readonly run: ImportRun }) {
  const [isAsking, setIsAsking] = useState(false);
  if (Object.values(report.counts).every(({ created, updated }) => created + updated === 0)) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-5 gap-y-2">
      <Button aria-label={t('run.undoLabel', { filename })} onClick={() => setIsAsking(true)}>
        {t('run.undo')}
      </Button>
      <Link
        href={`${LIBRARY_CHANGES_PATH}?${changesViewQuery({ sessionId: id })}`}
        aria-label={t('run.changesLabel', { filename })}
        prefetch={false}
        className="text-sm underline decoration-rule-strong underline-offset-2 hover:decoration-ink"
      >
        {t('run.changes')}
      </Link>
      {isAsking && (
        <UndoDialog
          selection={{ sessionId: id, turnId: null }}
          title={t('run.undoTitle', { filename })}
          undo={() => api.undoImport(id)}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}

interface PastImportsProps {
  readonly imports: Imports;
  /** Id of the run that is shown elsewhere on the page. */
  readonly excludedId: string | undefined;
}

/** Past imports with their reports and undo. */
function PastImports({ imports: { runs, error, reload }, excludedId }: PastImportsProps) {
  const past = runs?.filter(({ id }) => id !== excludedId);
  return (
    <Section title={t('past.title')}>
      {error ? (
        <LoadFailed title={t('past.failed')} error={error} onRetry={reload} />
      ) : past === undefined ? (
        <div className="h-14 animate-breathe border-y border-rule">
          <output className="sr-only">{t('past.loading')}</output>
        </div>
      ) : past.length === 0 ? (
        <p className="border-t border-rule py-5 text-sm text-ink-2">
          {excludedId === undefined ? t('past.empty') : t('past.noOther')}
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
              {run.target.url !== null && `${run.target.name} · `}
              {t(`past.statuses.${run.status}`)}
              {run.status === 'complete' && ` · ${summaryOf(run)}`}
            </span>
          </span>
        </RowToggle>
        <span className="shrink-0 pt-0.5 text-sm text-ink-3">
          <TimeAgo time={run.createdAt} />
        </span>
      </div>
      <div id={id} hidden={!isOpen} className="pt-3 pl-6">
        {run.error !== null && <p className="mb-3 text-sm text-red">{localizedText(run.errorMessage, run.error)}</p>}
        <RunActions run={run} />
        <div className="mt-5">
          <ImportReportView report={run.report} />
        </div>
      </div>
    </li>
  );
}

/** Polling interval of a running import; ms. A choice, not measured. */
const POLL_INTERVAL_MS = 1_000;

/** The imports of the site. */
interface Imports {
  /** Newest first; undefined while loading. */
  readonly runs: readonly ImportRun[] | undefined;
  readonly error: Error | undefined;
  readonly reload: () => void;
  /** Shows the run that a response contains, before the list is loaded again. */
  readonly show: (run: ImportRun) => void;
}

interface ImportList {
  readonly items: readonly ImportRun[];
}

const runningIn = (list: ImportList | undefined) => list?.items.find(({ status }) => status === 'running');

/**
 * The imports of the site, with the progress of a running one. When it ends, all displayed site content is reloaded.
 */
function useImports(): Imports {
  const { data, error, mutate } = useApi(paths.imports, {
    refreshInterval: (latest) => (runningIn(latest) ? POLL_INTERVAL_MS : 0),
  });
  const runningId = runningIn(data)?.id ?? null;
  const watched = useRef(runningId);
  useEffect(() => {
    if (watched.current !== null && watched.current !== runningId) contentChanged();
    watched.current = runningId;
  }, [runningId]);
  return {
    runs: data?.items,
    error: data === undefined ? error : undefined,
    reload: () => void mutate(),
    show: (run) => void mutate((list) => ({ items: withRun(list?.items ?? [], run) }), { revalidate: false }),
  };
}

function withRun(runs: readonly ImportRun[], run: ImportRun): readonly ImportRun[] {
  return runs.some(({ id }) => id === run.id) ? runs.map((one) => (one.id === run.id ? run : one)) : [run, ...runs];
}
