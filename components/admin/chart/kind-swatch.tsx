import { useId } from 'react';
import { KindPattern, kindOutline } from '#components/admin/chart/kind-pattern';
import type { ContextKind } from '#lib/admin/context-kinds';

/** A kind's colour and texture beside its name. */
export function KindSwatch({ kind }: { readonly kind: ContextKind }) {
  const id = useId();
  return (
    <svg aria-hidden viewBox="0 0 12 12" className="size-3 shrink-0">
      <defs>
        <KindPattern id={id} kind={kind} />
      </defs>
      <rect x="0.5" y="0.5" width="11" height="11" rx="2" fill={`url(#${id})`} style={{ stroke: kindOutline(kind) }} />
    </svg>
  );
}
