import Link from 'next/link';
import type { ReactNode } from 'react';
import type { SessionReport } from '#components/admin/session/use-session-report';
import { adminStrings } from '#components/admin/words';
import { ADMIN_PATH, sessionPath } from '#components/desk/navigation';
import type { SessionContext } from '#server/core/context-report';
import clsx from 'clsx';
import { ArrowUpRight } from 'lucide-react';
import { strings } from '#components/words';
import { useMe } from '#components/access/access-client';
import { Cost, StateMark } from '#components/admin/session-columns';
import { contextKinds, kindColour, KindSwatch } from '#components/admin/session/context-kinds';
import { SessionActions } from '#components/admin/session/session-actions';
import { LiveMark } from '#components/admin/use-live';
import { compactNumber, dollars, number, percentage } from '#components/figures';
import { inYourWords } from '#components/served-words';
import { contextLevel, FULL_PERCENT, levelText, WARM_PERCENT } from '#components/ui/context-level';

const say = adminStrings.session;

interface SessionHeaderProps {
  readonly id: string;
  readonly report: SessionReport;
}

/** The way back to the list of sessions. */
export function Crumb() {
  return (
    <nav aria-label={say.crumb} className="text-sm text-ink-2">
      <Link href={ADMIN_PATH} className="hover:text-ink hover:underline hover:underline-offset-3">
        {say.crumb}
      </Link>
      <span aria-hidden className="px-2 text-ink-3">
        /
      </span>
    </nav>
  );
}

/** Title, fill level and actions of a session. */
export function SessionHeader({ id, report }: SessionHeaderProps) {
  const { data: overview } = report.overview;
  const { data: context } = report.context;
  const me = useMe();
  return (
    <>
      <Crumb />
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
            {strings.common.retry}
          </button>
        </p>
      )}
    </>
  );
}

function Figures({ report }: { readonly report: SessionReport }) {
  const { data: overview } = report.overview;
  const { data: context } = report.context;
  const total = context?.cost.total ?? null;
  return (
    <div className="mt-8">
      <ContextGauge context={context} />
      <dl className="mt-6 grid grid-cols-2 gap-y-6 sm:grid-cols-3 lg:grid-cols-6 [&>div]:border-l [&>div]:border-rule [&>div]:px-4">
        <Figure
          name={say.tokens}
          value={context && number.format(context.currentTokens)}
          note={context && (context.source === 'reported' ? say.reported : say.estimated)}
        />
        <Figure
          name={say.usable}
          value={context && number.format(context.usableTokens)}
          note={context && say.reserve(context.outputReserve)}
        />
        <Figure
          name={say.window}
          value={context && number.format(context.contextWindow)}
          note={context && say.prunable(context.prunableTokens)}
        />
        <Figure
          name={say.cost}
          value={context && <Cost amount={total} />}
          note={context && context.cost.lastStep !== null && say.lastStep(dollars(context.cost.lastStep))}
        />
        <Figure
          name={say.cached}
          value={
            context && (context.cachedShare === null ? adminStrings.unknown : percentage(context.cachedShare * 100))
          }
          note={context && context.cachedShare !== null && say.ofRequest}
        />
        <Figure
          name={say.rounds}
          value={context && number.format(context.compactionCount)}
          note={overview && overview.queued > 0 && `${say.waiting}: ${number.format(overview.queued)}`}
        />
      </dl>
      {context?.warning && <p className="mt-4 text-sm text-amber">{inYourWords(context.warning)}</p>}
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

const TICKS = [0, 25, 50, WARM_PERCENT, FULL_PERCENT, 100];
const LEVELS = new Set([WARM_PERCENT, FULL_PERCENT]);

/** A ruler from nothing to all usable tokens, filled with what the next request consists of. */
export function ContextGauge({ context }: { readonly context: SessionContext | undefined }) {
  const percent = context?.percentUsed ?? 0;
  const counted = context ? contextKinds.reduce((sum, kind) => sum + context.breakdown[kind], 0) : 0;
  const kinds = context && counted > 0 ? contextKinds.filter((kind) => context.breakdown[kind] > 0) : [];
  return (
    <div>
      <div className="flex flex-col gap-x-5 gap-y-2 sm:flex-row sm:items-end">
        <p className={clsx('w-24 shrink-0 font-serif text-3xl tabular-nums', levelText[contextLevel(percent)])}>
          {context ? percentage(percent) : <span className="text-ink-3">–</span>}
        </p>
        <div className="relative min-w-0 sm:flex-1 sm:pb-1">
          <meter
            aria-label={adminStrings.session.gauge(percent)}
            min={0}
            max={100}
            value={Math.min(100, percent)}
            className="sr-only"
          />
          <div aria-hidden className="relative h-4 overflow-hidden rounded-[3px] bg-desk">
            <div
              className="flex h-full transition-[width] duration-500"
              style={{ width: `${String(Math.min(100, percent))}%` }}
            >
              {kinds.map((kind) => (
                <span
                  key={kind}
                  title={adminStrings.kinds[kind]}
                  className="h-full border-r border-paper"
                  style={{
                    width: `${String(((context?.breakdown[kind] ?? 0) / counted) * 100)}%`,
                    background: kindColour(kind),
                  }}
                />
              ))}
            </div>
          </div>
          <div aria-hidden className="relative mt-0.5 h-5 text-2xs text-ink-3 tabular-nums">
            {TICKS.map((tick) => (
              <span
                key={tick}
                className={clsx(
                  'absolute flex flex-col items-center gap-0.5',
                  tick === 0 ? '' : tick === 100 ? '-translate-x-full items-end' : '-translate-x-1/2',
                  tick === 0 && 'items-start',
                )}
                style={{ left: `${String(tick)}%` }}
              >
                <span className={clsx('w-px', LEVELS.has(tick) ? 'h-2 bg-ink-2' : 'h-1 bg-rule-strong')} />
                {tick === 100 && context ? compactNumber(context.usableTokens) : `${String(tick)} %`}
              </span>
            ))}
          </div>
        </div>
      </div>
      <ul className="mt-3 flex min-h-5 flex-wrap gap-x-5 gap-y-1 text-xs text-ink-2">
        {kinds.map((kind) => (
          <li key={kind} className="flex items-center gap-1.5">
            <KindSwatch kind={kind} />
            {adminStrings.kinds[kind]}
            <span className="text-ink tabular-nums">{compactNumber(context?.breakdown[kind] ?? 0)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
