'use client';

import { type ReactNode, useState } from 'react';
import { type Middleware, SWRConfig, unstable_serialize as nameOf, useSWRConfig } from 'swr';

/** An answer of the API that came with the page. */
export interface FirstAnswer {
  /** Key under which it is asked for. */
  readonly key: string | readonly unknown[];
  readonly body: unknown;
}

/** Time after which an answer that came with the page is asked for again by whoever shows it anew; ms. */
const FRESH_FOR = 20_000;

interface FirstAnswersProps {
  readonly answers: readonly FirstAnswer[];
  readonly children: ReactNode;
}

/** Gives what came with the page to whoever asks for it, so that nothing of it is requested again at once. */
export function FirstAnswers({ answers, children }: FirstAnswersProps) {
  const { cache } = useSWRConfig();
  const [config] = useState(() => {
    const fallback = Object.fromEntries(answers.map(({ key, body }) => [nameOf(key), body]));
    if (typeof window !== 'undefined')
      for (const [name, data] of Object.entries(fallback)) if (!cache.get(name)?.data) cache.set(name, { data });
    const isFresh = (key: unknown) =>
      typeof window !== 'undefined' && performance.now() < FRESH_FOR && nameOf(key as FirstAnswer['key']) in fallback;
    const fromPage: Middleware = (useNext) => (key, fetcher, options) =>
      useNext(key, fetcher, isFresh(key) ? { ...options, revalidateIfStale: false } : options);
    return { fallback, use: [fromPage] };
  });
  return <SWRConfig value={config}>{children}</SWRConfig>;
}
