import clsx from 'clsx';
import { CircleCheck, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { settingsStrings } from '#lib/strings/settings';

interface TestOutcomeProps {
  /** Null: there is none to tell of. */
  readonly result: { readonly ok: boolean } | null;
  /** How long the answer took; ms. Null: not said. */
  readonly latencyMs?: number | null;
  readonly children: ReactNode;
}

/** What came of a test, said also to who does not see it. */
export function TestOutcome({ result, latencyMs = null, children }: TestOutcomeProps) {
  const Icon = result?.ok ? CircleCheck : CircleX;
  return (
    <output aria-live="polite" className="block">
      {result && (
        <div
          data-ok={result.ok}
          className={clsx(
            'mt-3 flex items-start gap-2 rounded-md px-3 py-2 text-sm text-ink',
            result.ok ? 'bg-accent-wash' : 'bg-red-wash',
          )}
        >
          <Icon aria-hidden className={clsx('mt-0.5 size-4 shrink-0', result.ok ? 'text-accent' : 'text-red')} />
          <div className="min-w-0 flex-1 break-words whitespace-pre-line">{children}</div>
          {latencyMs !== null && (
            <span className="shrink-0 text-ink-2 tabular-nums">{settingsStrings.providers.latency(latencyMs)}</span>
          )}
        </div>
      )}
    </output>
  );
}
