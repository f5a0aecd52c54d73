import clsx from 'clsx';
import { CircleCheck, CircleX } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { messageOf } from '#components/api/api-error.ts';
import { number } from '#components/format.ts';

/** A test that could not run, or another failure of the tested connection. */
interface TestFailure {
  readonly ok: false;
  readonly message: string;
  /** `message` is in the language of the page already. */
  readonly reason?: undefined;
}

/** Result of a test; null if the current input was not tested. */
export type TestResult<Result> = Result | TestFailure | null;

/** A connection test that a user starts. */
interface Test<Result> {
  readonly isTesting: boolean;
  /** Result of the last test. */
  readonly result: TestResult<Result>;
  /** Starts the test. Never rejects. */
  readonly run: (ask: () => Promise<Result>) => Promise<void>;
  /** Shows another failure as the result. */
  readonly fail: (error: unknown) => void;
  /** Discards the result, including that of a running test, because the input has changed. */
  readonly forget: () => void;
}

/**
 * State of a connection test.
 * @param reason converts an error to a message for the user
 */
export function useTest<Result>(reason: (error: unknown) => string = messageOf): Test<Result> {
  const [isTesting, setIsTesting] = useState(false);
  const [result, setResult] = useState<TestResult<Result>>(null);
  const changes = useRef(0);
  const failure = (error: unknown): TestFailure => ({ ok: false, message: reason(error) });
  return {
    isTesting,
    result,
    async run(ask) {
      const before = changes.current;
      setIsTesting(true);
      setResult(null);
      const outcome = await ask().catch(failure);
      setIsTesting(false);
      if (changes.current === before) setResult(outcome);
    },
    fail: (error) => setResult(failure(error)),
    forget() {
      changes.current += 1;
      setResult(null);
    },
  };
}

interface TestOutcomeProps {
  /** Null without a result. */
  readonly result: { readonly ok: boolean } | null;
  /** Duration of the test; ms. Null: not shown. */
  readonly latencyMs?: number | null;
  readonly children: ReactNode;
}

/** Unit of the duration, the same in every language. */
const MS = 'ms';

/** Result of a test, also announced to screen readers. */
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
            <span className="shrink-0 text-ink-2 tabular-nums">
              {number.format(latencyMs)} {MS}
            </span>
          )}
        </div>
      )}
    </output>
  );
}
