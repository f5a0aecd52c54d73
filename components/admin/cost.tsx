import { translator } from '#components/i18n.ts';
import { dollars } from '#components/format.ts';

const t = translator('admin');

/** An amount in US dollars. Null means that the provider does not report it, which is shown as unknown. */
export function Cost({ amount }: { readonly amount: number | null }) {
  if (amount !== null) return <span className="tabular-nums">{dollars(amount)}</span>;
  return (
    <span className="text-ink-3" title={t('sessions.unknownCost')}>
      {t('unknown')}
    </span>
  );
}
