'use client';

import { Breadcrumb, SessionHeader } from '#components/admin/session/session-header';
import Link from 'next/link';
import { useCallback, useState } from 'react';
import { ChartSection } from '#components/admin/session/chart-section';
import { newestFirst } from '#components/admin/session/compaction-records.ts';
import { RequestSection } from '#components/admin/session/request-section';
import { compactionElementId, CompactionEntry } from '#components/admin/session/compaction-entry';
import { type Report, useSessionReport } from '#components/admin/session/use-session-report.ts';
import { translator } from '#components/i18n.ts';
import { ADMIN_PATH } from '#components/workspace/navigation.ts';
import { useAnswered } from '#components/ui/hooks.ts';
import { LoadingBlock, Notice } from '#components/ui/notices';
import { Section } from '#components/ui/page-parts';
import { paths } from '#components/api/paths.ts';
import type { ContextHistory } from '#server/core/conversation/context-report';
import { CHARTED_COMPACTIONS } from '#server/core/limits';

const t = translator('admin');

/** Everything about one session's context, updated live. */
export function SessionPage({ id }: { readonly id: string }) {
  const report = useSessionReport(id);
  const [openRounds, setOpenRounds] = useState<ReadonlySet<string>>(new Set());

  const setRoundOpen = useCallback((round: string, isOpen: boolean) => {
    setOpenRounds((before) => {
      const next = new Set(before);
      if (isOpen) next.add(round);
      else next.delete(round);
      return next;
    });
  }, []);
  const showRound = useCallback(
    (round: string) => {
      setRoundOpen(round, true);
      const element = document.getElementById(compactionElementId(round));
      element?.scrollIntoView({ block: 'start', behavior: 'smooth' });
      element?.querySelector('button')?.focus({ preventScroll: true });
    },
    [setRoundOpen],
  );

  const isUserLoaded = useAnswered(paths.me);
  if (report.isMissing) return <MissingSession />;
  const { overview, context, history, request } = report;
  const parts = [overview, context, history, request];
  // Waits for all parts, because a late part would move those below it; a part that failed shows its error in its
  // place.
  const isLoaded = parts.every(({ data, error }) => data !== undefined || error !== undefined);
  if (!isUserLoaded || !isLoaded) return <LoadingSession />;
  return (
    <>
      <SessionHeader id={id} report={report} />
      <ChartSection history={report.history} onRound={showRound} onRetry={report.refresh} />
      <RoundsSection
        sessionId={id}
        history={report.history}
        openRounds={openRounds}
        onOpenChange={setRoundOpen}
        onChanged={report.refresh}
      />
      <RequestSection sessionId={id} request={report.request} onRetry={report.refresh} />
    </>
  );
}

function LoadingSession() {
  return (
    <>
      <Breadcrumb />
      <h1 className="sr-only">{t('session.loading')}</h1>
      {[0, 1, 2].map((part) => (
        <LoadingBlock key={part} />
      ))}
    </>
  );
}

function MissingSession() {
  return (
    <div className="py-16 text-center">
      <Notice title={t('session.missing')} body={t('session.missingBody')} />
      <Link href={ADMIN_PATH} className="text-sm text-accent underline underline-offset-3">
        {t('session.all')}
      </Link>
    </div>
  );
}

interface RoundsSectionProps {
  readonly sessionId: string;
  readonly history: Report<ContextHistory>;
  /** Ids of the unfolded rounds. */
  readonly openRounds: ReadonlySet<string>;
  readonly onOpenChange: (compactionId: string, isOpen: boolean) => void;
  /** Called when a round was undone. */
  readonly onChanged: () => void;
}

/** Compactions and prunes with their reasons and results. */
function RoundsSection({ sessionId, history, openRounds, onOpenChange, onChanged }: RoundsSectionProps) {
  const records = newestFirst(history.data?.compactions ?? []);
  return (
    <Section title={t('rounds.title')} intro={t('rounds.intro')}>
      {history.data !== undefined && records.length === 0 && <p className="text-sm text-ink-2">{t('rounds.empty')}</p>}
      <ol aria-label={t('rounds.list')}>
        {records.map((record) => (
          <CompactionEntry
            key={record.id}
            sessionId={sessionId}
            record={record}
            isOpen={openRounds.has(record.id)}
            onOpenChange={(isOpen) => onOpenChange(record.id, isOpen)}
            onChanged={onChanged}
          />
        ))}
      </ol>
      {records.length === CHARTED_COMPACTIONS && <p className="text-sm text-ink-2">{t('rounds.newest')}</p>}
    </Section>
  );
}
