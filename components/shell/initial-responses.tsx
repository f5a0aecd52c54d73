'use client';

import { type ReactNode, useState } from 'react';
import { type Middleware, SWRConfig, unstable_serialize as nameOf, useSWRConfig } from 'swr';

/** An API response that was sent with the page. */
export interface InitialResponse {
  /** SWR key of the request. */
  readonly key: string | readonly unknown[];
  readonly body: unknown;
}

/** Time for which a response that was sent with the page is not requested again by a component that mounts; ms. */
const FRESH_MS = 20_000;

interface InitialResponsesProps {
  readonly answers: readonly InitialResponse[];
  readonly children: ReactNode;
}

/** Puts the responses sent with the page into the SWR cache, so that they are not requested again immediately. */
export function InitialResponses({ answers, children }: InitialResponsesProps) {
  const { cache } = useSWRConfig();
  const [config] = useState(() => {
    const fallback = Object.fromEntries(answers.map(({ key, body }) => [nameOf(key), body]));
    if (typeof window !== 'undefined')
      for (const [name, data] of Object.entries(fallback)) if (!cache.get(name)?.data) cache.set(name, { data });
    const isFresh = (key: unknown) =>
      typeof window !== 'undefined' &&
      performance.now() < FRESH_MS &&
      nameOf(key as InitialResponse['key']) in fallback;
    const fromPage: Middleware = (useNext) => (key, fetcher, options) =>
      useNext(key, fetcher, isFresh(key) ? { ...options, revalidateIfStale: false } : options);
    return { fallback, use: [fromPage] };
  });
  return <SWRConfig value={config}>{children}</SWRConfig>;
}
