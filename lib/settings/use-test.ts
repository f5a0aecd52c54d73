import { useRef, useState } from 'react';
import { messageOf } from '#lib/ui/message-of';

/** A test that was not made, or what else went wrong with what is tested. */
interface TestFailure {
  readonly ok: false;
  readonly message: string;
}

/** What came of a test; null: nothing that is about what would be tested now. */
export type TestResult<Result> = Result | TestFailure | null;

/** A test of a connection, made when a person asks for it. */
interface Test<Result> {
  readonly isTesting: boolean;
  /** Of the last one. */
  readonly result: TestResult<Result>;
  /** Never rejects. */
  readonly run: (ask: () => Promise<Result>) => Promise<void>;
  /** Says what else went wrong as the result. */
  readonly fail: (error: unknown) => void;
  /** What is tested is different now: no outcome, nor one to come, is about it. */
  readonly forget: () => void;
}

/** @param reason what an error tells a person */
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
