import { adminStrings } from '#components/admin/words.ts';
import { dollars } from '#components/format.ts';

/** An amount in US dollars. Null means that the provider does not report it, which is shown as unknown. */
export function Cost({ amount }: { readonly amount: number | null }) {
  if (amount !== null) return <span className="tabular-nums">{dollars(amount)}</span>;
  return (
    <span className="text-ink-3" title={adminStrings.sessions.unknownCost}>
      {adminStrings.unknown}
    </span>
  );
}
