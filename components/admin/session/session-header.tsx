import { ArrowUpRight } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Cost } from '#components/admin/cost';
import { LiveMark } from '#components/admin/live-mark';
import { ContextGauge } from '#components/admin/session/context-gauge';
import { SessionActions } from '#components/admin/session/session-actions';
import { StateMark } from '#components/admin/state-mark';
import type { SessionReport } from '#lib/admin/use-session-report';
import { ADMIN_PATH, sessionPath } from '#lib/desk/navigation';
import { adminStrings } from '#lib/strings/admin';
import { useMe } from '#lib/api/use-me';

const say = adminStrings.session;

interface SessionHeaderProps {
  readonly id: string;
  readonly report: SessionReport;
}

/** Which session it is, how full its context is, and what can be done. */
export function SessionHeader({ id, report }: SessionHeaderProps) {
  const { data: overview } = report.overview;
  const { data: context } = report.context;
  const me = useMe();
  return (
    <>
      <nav aria-label={say.crumb} className="text-sm text-ink-2">
        <Link href={ADMIN_PATH} className="hover:text-ink hover:underline hover:underline-offset-3">
          {say.crumb}
        </Link>
        <span aria-hidden className="px-2 text-ink-3">
          /
        </span>
      </nav>
      <div className="mt-2 flex flex-wrap items-start justify-between gap-x-8 gap-y-4">
        <div className="min-w-0">
          <h1 className="min-h-[2.625rem] font-serif text-3xl font-medium tracking-[-0.015em] [overflow-wrap:anywhere]">
            {overview?.title ?? <span className="sr-only">{say.loading}</span>}
          </h1>
          <div className="mt-2 flex min-h-5 flex-wrap items-center gap-x-5 gap-y-1 text-sm text-ink-2">
            {overview && <StateMark state={overview.state} />}
            {context && <span>{context.modelId}</span>}
            <LiveMark />
            {overview?.ownerName && <span>{overview.ownerName}</span>}
            {overview !== undefined && overview.ownerId === me?.id && (
              <Link href={sessionPath(id)} className="inline-flex items-center gap-1 text-accent hover:underline">
                {say.open}
                <ArrowUpRight aria-hidden className="size-3.5" />
              </Link>
            )}
          </div>
        </div>
        <SessionActions id={id} report={report} />
      </div>
      {report.context.error === undefined ? (
        <Figures report={report} />
      ) : (
        <p role="alert" className="mt-6 text-sm text-red">
          {say.failed}{' '}
          <button type="button" onClick={report.refresh} className="underline underline-offset-3">
            {say.retry}
          </button>
        </p>
      )}
    </>
  );
}

function Figures({ report }: { readonly report: SessionReport }) {
  const { data: overview } = report.overview;
  const { data: context } = report.context;
  const { number } = adminStrings;
  const total = context?.cost.total ?? null;
  return (
    <div className="mt-8">
      <ContextGauge context={context} />
      <dl className="mt-6 grid grid-cols-2 gap-y-6 sm:grid-cols-3 lg:grid-cols-6 [&>div]:border-l [&>div]:border-rule [&>div]:px-4">
        <Figure
          name={say.tokens}
          value={context && number(context.currentTokens)}
          note={context && (context.source === 'reported' ? say.reported : say.estimated)}
        />
        <Figure
          name={say.usable}
          value={context && number(context.usableTokens)}
          note={context && say.reserve(context.outputReserve)}
        />
        <Figure
          name={say.window}
          value={context && number(context.contextWindow)}
          note={context && say.prunable(context.prunableTokens)}
        />
        <Figure
          name={say.cost}
          value={context && <Cost amount={total} />}
          note={context && context.cost.lastStep !== null && say.lastStep(adminStrings.dollars(context.cost.lastStep))}
        />
        <Figure
          name={say.cached}
          value={
            context &&
            (context.cachedShare === null ? adminStrings.unknown : adminStrings.percent(context.cachedShare * 100))
          }
          note={context && context.cachedShare !== null && say.ofRequest}
        />
        <Figure
          name={say.rounds}
          value={context && number(context.compactionCount)}
          note={overview && overview.queued > 0 && `${say.waiting}: ${number(overview.queued)}`}
        />
      </dl>
      {context?.warning && <p className="mt-4 text-sm text-amber">{context.warning}</p>}
    </div>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly note: ReactNode;
}

function Figure({ name, value, note }: FigureProps) {
  return (
    <div className="min-h-18">
      <dt className="text-xs text-ink-2">{name}</dt>
      <dd className="mt-0.5 font-serif text-xl tabular-nums">{value}</dd>
      <dd className="text-xs text-ink-3 tabular-nums">{note}</dd>
    </div>
  );
}
