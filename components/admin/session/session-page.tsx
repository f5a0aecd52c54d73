'use client';

import Link from 'next/link';
import { useCallback, useState } from 'react';
import { ChartSection } from '#components/admin/chart/chart-section';
import { RequestSection } from '#components/admin/request/request-section';
import { roundElementId } from '#components/admin/rounds/round-entry';
import { RoundsSection } from '#components/admin/rounds/rounds-section';
import { SessionHeader } from '#components/admin/session/session-header';
import { Notice } from '#components/ui/notice';
import { useSessionReport } from '#lib/admin/use-session-report';
import { ADMIN_PATH } from '#lib/desk/navigation';
import { adminStrings } from '#lib/strings/admin';

const say = adminStrings.session;

/** Everything about one session's context, live. */
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
      const element = document.getElementById(roundElementId(round));
      element?.scrollIntoView({ block: 'start', behavior: 'smooth' });
      element?.querySelector('button')?.focus({ preventScroll: true });
    },
    [setRoundOpen],
  );

  if (report.isMissing) return <MissingSession />;
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

function MissingSession() {
  return (
    <div className="py-16 text-center">
      <Notice title={say.missing} body={say.missingBody} />
      <Link href={ADMIN_PATH} className="text-sm text-accent underline underline-offset-3">
        {say.all}
      </Link>
    </div>
  );
}
