import { useEffect, useRef } from 'react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { contentChanged } from '#components/desk/content-cache';
import type { ImportRun } from '#server/core/imports';

/** Between two looks at an import that runs; ms. */
const WATCH_INTERVAL = 1_000;

export interface Imports {
  /** Newest first; undefined: not known yet. */
  readonly runs: readonly ImportRun[] | undefined;
  readonly error: Error | undefined;
  readonly reload: () => void;
  /** Shows what an answer says of one at once. */
  readonly show: (run: ImportRun) => void;
}

interface ImportList {
  readonly items: readonly ImportRun[];
}

const runningIn = (list: ImportList | undefined) => list?.items.find(({ status }) => status === 'running');

/** The imports of the site; while one runs, its progress. What shows the site's content is read again when it ends. */
export function useImports(): Imports {
  const { data, error, mutate } = useSWR<ImportList, Error>(paths.imports, {
    refreshInterval: (latest) => (runningIn(latest) ? WATCH_INTERVAL : 0),
  });
  const runningId = runningIn(data)?.id ?? null;
  const watched = useRef(runningId);
  useEffect(() => {
    if (watched.current !== null && watched.current !== runningId) contentChanged();
    watched.current = runningId;
  }, [runningId]);
  return {
    runs: data?.items,
    error: data === undefined ? error : undefined,
    reload: () => void mutate(),
    show: (run) => void mutate((list) => ({ items: withRun(list?.items ?? [], run) }), { revalidate: false }),
  };
}

function withRun(runs: readonly ImportRun[], run: ImportRun): readonly ImportRun[] {
  return runs.some(({ id }) => id === run.id) ? runs.map((one) => (one.id === run.id ? run : one)) : [run, ...runs];
}
