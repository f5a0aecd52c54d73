'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { adminSessionPath } from '#components/workspace/navigation.ts';
import { settingsSectionPath } from '#components/workspace/settings-pages.ts';
import { compactNumber, dollars, percentage } from '#components/format.ts';
import { labelsOf } from '#components/labels.ts';
import { ChoiceField } from '#components/ui/fields';
import { loadCode } from '#components/ui/load-code';
import { usePreviousData } from '#components/ui/previous-data.ts';
import { Notice, NotLoaded } from '#components/ui/notices';
import { PageTitle, Section } from '#components/ui/page-parts';
import { useApi } from '#components/api/use-api.ts';
import type { CostGroup, CostRow, Costs } from '#server/core/admin/spending';

const t = translator('costs');

const CostsChart = dynamic(() => loadCode(async () => (await import('#components/costs/costs-chart')).CostsChart), {
  ssr: false,
  loading: () => <div className="h-64" />,
});

const DAY_MS = 86_400_000;
/** Numbers of days of the report, as texts. */
const ranges = ['7', '30', '90', '365'] as const;
type Range = (typeof ranges)[number];

const groups = ['day', 'model', 'person', 'conversation', 'kind'] as const satisfies readonly CostGroup[];

/** The first day of a range that ends today (UTC). */
const firstDay = (days: number) => new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);

/** Model costs: the total, a chart by day, and a table by the chosen group. */
export function CostsPage() {
  const [range, setRange] = useState<Range>('30');
  const [by, setBy] = useState<CostGroup>('model');
  const from = firstDay(Number(range));
  const days = useApi(paths.costs({ from, by: 'day' }));
  const table = useApi(paths.costs({ from, by }));
  const shown = usePreviousData(table.data, table.error);
  const error = days.error ?? table.error;
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')}>
        <div className="flex flex-wrap items-center gap-x-5 gap-y-2 text-sm">
          <a className="text-accent underline underline-offset-3" href={paths.costsCsv({ from, by })} download>
            {t('csv')}
          </a>
          <a className="text-accent underline underline-offset-3" href={settingsSectionPath('budgets')}>
            {t('budgets')}
          </a>
        </div>
      </PageTitle>
      <search className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-3">
        <ChoiceField
          label={t('days')}
          choices={labelsOf(ranges, (each) => t(`ranges.${each}`))}
          value={range}
          onChange={setRange}
        />
        <ChoiceField
          label={t('by')}
          choices={labelsOf(groups, (group) => t(`groups.${group}`))}
          value={by}
          onChange={setBy}
        />
      </search>
      {days.data && shown ? (
        days.data.rows.length === 0 ? (
          <Notice title={t('empty')} body={t('emptyBody')} />
        ) : (
          <>
            <Totals total={days.data.total} />
            <Section title={t('chart')}>
              <CostsChart rows={days.data.rows} from={days.data.from} to={days.data.to} />
            </Section>
            <Section title={t(`groups.${shown.by}`)}>
              <CostTable costs={shown} />
            </Section>
          </>
        )
      ) : (
        <NotLoaded
          title={t('failed')}
          error={error}
          loading={t('loading')}
          onRetry={() => Promise.all([days.mutate(), table.mutate()])}
        />
      )}
    </>
  );
}

/** Text about a total: the number of calls, and whether the cost is reported, estimated or unknown. */
function aboutTotal({ cost, estimated, unpriced, calls }: CostRow | Costs['total']): string {
  const known =
    estimated > 0
      ? t('estimated', { amount: dollars(estimated) })
      : cost > 0
        ? t('exact')
        : unpriced < calls
          ? t('free')
          : null;
  return [t('calls', { calls }), known, unpriced > 0 ? t('unpriced', { calls: unpriced }) : null]
    .filter((part) => part !== null)
    .join(', ');
}

function Totals({ total }: { readonly total: Costs['total'] }) {
  const { cost, summaries, cacheSaved, compactionSaved } = total;
  const figures = [
    { name: t('total'), value: cost, body: aboutTotal(total) },
    { name: t('summaries'), value: summaries, body: t('summariesBody') },
    { name: t('cacheSaved'), value: cacheSaved, body: t('cacheBody') },
    { name: t('compactionSaved'), value: compactionSaved, body: t('compactionBody') },
  ];
  return (
    <dl className="mt-8 grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
      {figures.map(({ name, value, body }) => (
        <div key={name} className="border-t border-rule-strong pt-3">
          <dt className="text-sm text-ink-2">{name}</dt>
          <dd className="mt-1 font-serif text-2xl tabular-nums">{dollars(value)}</dd>
          <dd className="mt-1 text-xs text-ink-2">{body}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The label of a row, and its link. */
function nameOf(by: CostGroup, { key, name }: CostRow): { readonly name: string; readonly href?: string } {
  if (by === 'kind') return { name: t.find(`kinds.${key}`) ?? key };
  if (by === 'person') return { name: name ?? key };
  if (by !== 'conversation') return { name: key };
  if (key === '') return { name: t('programs') };
  return name === null ? { name: `${t('gone')} (${key})` } : { name: name || key, href: adminSessionPath(key) };
}

function CostTable({ costs: { by, rows, isCut } }: { readonly costs: Costs }) {
  const head = [
    t('columns.calls'),
    t('columns.input'),
    t('columns.cached'),
    t('columns.output'),
    t('columns.cost'),
    t('columns.saved'),
  ];
  return (
    <>
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{t('table')}</caption>
        <thead>
          <tr className="border-b border-rule-strong text-xs text-ink-2">
            <th scope="col" className="pb-2 text-left font-normal">
              {t(`groups.${by}`)}
            </th>
            {head.map((name, index) => (
              <th
                key={name}
                scope="col"
                className={`pb-2 pl-4 text-right font-normal ${index < 4 ? 'max-md:hidden' : ''}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {rows.map((row) => (
            <Row key={row.key} by={by} row={row} />
          ))}
        </tbody>
      </table>
      {isCut && <p className="mt-3 text-sm text-ink-2">{t('cut')}</p>}
    </>
  );
}

function Row({ by, row }: { readonly by: CostGroup; readonly row: CostRow }) {
  const { name, href } = nameOf(by, row);
  const { calls, inputTokens, cacheReadTokens, outputTokens, cost, estimated, cacheSaved, compactionSaved } = row;
  const cached = inputTokens === 0 ? 0 : (cacheReadTokens / inputTokens) * 100;
  const figures = [compactNumber(calls), compactNumber(inputTokens), percentage(cached), compactNumber(outputTokens)];
  return (
    <tr className="border-b border-rule">
      <th scope="row" className="max-w-80 truncate py-2 text-left font-normal max-md:max-w-40">
        {href === undefined ? (
          name
        ) : (
          <a className="hover:underline" href={href}>
            {name}
          </a>
        )}
      </th>
      {figures.map((figure, index) => (
        <td key={index} className="pl-4 text-right text-ink-2 max-md:hidden">
          {figure}
        </td>
      ))}
      <td className="pl-4 text-right">
        {estimated > 0 && (
          <span className="text-ink-3" title={t('markMeans')}>
            {t('mark')}{' '}
          </span>
        )}
        {dollars(cost)}
      </td>
      <td className="pl-4 text-right text-ink-2">{dollars(cacheSaved + compactionSaved)}</td>
    </tr>
  );
}
