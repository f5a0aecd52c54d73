import { adminStrings } from '#components/admin/words';
import { dollars } from '#components/figures';

/** An amount in US dollars; null where the provider does not say it. */
export function Cost({ amount }: { readonly amount: number | null }) {
  if (amount !== null) return <span className="tabular-nums">{dollars(amount)}</span>;
  return (
    <span className="text-ink-3" title={adminStrings.sessions.unknownCost}>
      {adminStrings.unknown}
    </span>
  );
}
