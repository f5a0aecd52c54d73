import { useState } from 'react';
import { ApiError } from '#lib/api/api-error';
import { accessStrings } from '#lib/strings/access';

/** The state of a form that is sent once at a time. */
export interface Submit {
  readonly isBusy: boolean;
  /** Why it was refused; null: it was not. */
  readonly problem: string | null;
  /** True: done. */
  readonly run: (action: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
}

export function useSubmit(): Submit {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  return {
    isBusy,
    problem,
    clear: () => setProblem(null),
    run: async (action) => {
      setIsBusy(true);
      setProblem(null);
      try {
        await action();
        return true;
      } catch (error) {
        setProblem(problemOf(error));
        return false;
      } finally {
        setIsBusy(false);
      }
    },
  };
}

/** The reasons of single fields say more than the message about all of them. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const issues = error instanceof ApiError ? issuesOf(error.details) : [];
  return issues.length === 0 ? error.message : issues.map(accessStrings.refused).join(' ');
}

interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Fields that the server did not take. */
function issuesOf(details: unknown): readonly Issue[] {
  if (typeof details !== 'object' || details === null || !('issues' in details)) return [];
  return Array.isArray(details.issues) ? (details.issues as Issue[]) : [];
}
