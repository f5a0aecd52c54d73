import Link from 'next/link';
import type { ReactNode } from 'react';
import type { SessionReport } from '#components/admin/session/use-session-report.ts';
import { translator } from '#components/i18n.ts';
import { ADMIN_PATH, sessionPath } from '#components/workspace/navigation.ts';
import { ArrowUpRight } from 'lucide-react';
import { useMe } from '#components/access/access-client.ts';
import { StateMark } from '#components/admin/state-mark';
import { Cost } from '#components/admin/cost';
import { SessionActions } from '#components/admin/session/session-actions';
import { LiveMark } from '#components/admin/live-mark';
import { dollars, number, percentage } from '#components/format.ts';
import { localizedText } from '#components/message-text.ts';
import { ContextGauge } from '#components/admin/session/context-gauge';

const t = translator('admin');
const tShared = translator('shared');

interface SessionHeaderProps {
  readonly id: string;
  readonly report: SessionReport;
}

/** Breadcrumb: a link back to the list of sessions. */
export function Breadcrumb() {
  return (
    <nav aria-label={t('session.crumb')} className="text-sm text-ink-2">
      <Link href={ADMIN_PATH} className="hover:text-ink hover:underline hover:underline-offset-3">
        {t('session.crumb')}
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
      <Breadcrumb />
      <div className="mt-2 flex flex-wrap items-start justify-between gap-x-8 gap-y-4">
        <div className="min-w-0">
          <h1 className="min-h-[2.625rem] font-serif text-3xl font-medium tracking-[-0.015em] [overflow-wrap:anywhere]">
            {overview?.title ?? <span className="sr-only">{t('session.loading')}</span>}
          </h1>
          <div className="mt-2 flex min-h-5 flex-wrap items-center gap-x-5 gap-y-1 text-sm text-ink-2">
            {overview && <StateMark state={overview.state} />}
            {context && <span>{context.modelId}</span>}
            <LiveMark />
            {overview?.ownerName && <span>{overview.ownerName}</span>}
            {overview !== undefined && overview.ownerId === me?.id && (
              <Link href={sessionPath(id)} className="inline-flex items-center gap-1 text-accent hover:underline">
                {t('session.open')}
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
          {t('session.failed')}{' '}
          <button type="button" onClick={report.refresh} className="underline underline-offset-3">
            {tShared('common.retry')}
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
          name={t('session.tokens')}
          value={context && number.format(context.currentTokens)}
          note={context && (context.source === 'reported' ? t('session.reported') : t('session.estimated'))}
        />
        <Figure
          name={t('session.usable')}
          value={context && number.format(context.usableTokens)}
          note={context && t('session.reserve', { tokens: context.outputReserve })}
        />
        <Figure
          name={t('session.window')}
          value={context && number.format(context.contextWindow)}
          note={context && t('session.prunable', { tokens: context.prunableTokens })}
        />
        <Figure
          name={t('session.cost')}
          value={context && <Cost amount={total} />}
          note={
            context && context.cost.lastStep !== null && t('session.lastStep', { cost: dollars(context.cost.lastStep) })
          }
        />
        <Figure
          name={t('session.cached')}
          value={context && (context.cachedShare === null ? t('unknown') : percentage(context.cachedShare * 100))}
          note={context && context.cachedShare !== null && t('session.ofRequest')}
        />
        <Figure
          name={t('session.rounds')}
          value={context && number.format(context.compactionCount)}
          note={overview && overview.queued > 0 && `${t('session.waiting')}: ${number.format(overview.queued)}`}
        />
      </dl>
      {context?.warning && (
        <p className="mt-4 text-sm text-amber">{localizedText(context.warningMessage, context.warning)}</p>
      )}
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
