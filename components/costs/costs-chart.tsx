import { Bar, BarChart, CartesianGrid, Tooltip, type TooltipContentProps, XAxis, YAxis } from 'recharts';
import { translator } from '#components/i18n.ts';
import { dates, dollars } from '#components/format.ts';
import type { CostRow } from '#server/core/admin/spending';

const t = translator('costs');

const DAY_MS = 86_400_000;
const tick = { fontSize: 11, fill: 'var(--ink-2)' };
const dayAndMonth = dates({ day: 'numeric', month: 'short', timeZone: 'UTC' });
const named = (day: string) => dayAndMonth.format(Date.parse(day));

interface CostsChartProps {
  /** One row per day, in order. */
  readonly rows: readonly CostRow[];
  readonly from: string;
  readonly to: string;
}

/** A bar for each day, including days without costs; estimated costs are drawn lighter. */
export function CostsChart({ rows, from, to }: CostsChartProps) {
  const byDay = new Map(rows.map((row) => [row.key, row]));
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  const data = Array.from({ length: count }, (_, index) => {
    const day = new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10);
    const { cost = 0, estimated = 0 } = byDay.get(day) ?? {};
    return { day, reported: cost - estimated, estimated };
  });
  return (
    <figure aria-label={t('chart')}>
      <BarChart
        responsive
        data={data}
        margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
        style={{ width: '100%', height: 256 }}
        className="[&_.recharts-surface]:outline-offset-4"
      >
        <CartesianGrid vertical={false} stroke="var(--rule)" />
        <XAxis
          dataKey="day"
          tick={tick}
          tickLine={false}
          axisLine={{ stroke: 'var(--rule-strong)' }}
          minTickGap={40}
          tickFormatter={named}
        />
        <YAxis
          width={56}
          tick={tick}
          tickLine={false}
          axisLine={false}
          tickFormatter={(value: number) => dollars(value)}
        />
        <Bar dataKey="reported" stackId="cost" fill="var(--accent)" isAnimationActive={false} />
        <Bar dataKey="estimated" stackId="cost" fill="var(--accent)" fillOpacity={0.45} isAnimationActive={false} />
        <Tooltip cursor={{ fill: 'var(--rule)' }} isAnimationActive={false} content={DayTip} />
      </BarChart>
    </figure>
  );
}

function DayTip({ active, payload, label }: TooltipContentProps) {
  if (!active) return null;
  const [reported = 0, estimated = 0] = payload.map(({ value }) => Number(value));
  return (
    <div className="rounded-md border border-rule bg-sheet px-3 py-2 text-xs shadow-sheet">
      <p className="font-medium">{named(String(label))}</p>
      <p className="tabular-nums">{dollars(reported + estimated)}</p>
      {estimated > 0 && <p className="text-ink-2">{t('estimated', { amount: dollars(estimated) })}</p>}
    </div>
  );
}
