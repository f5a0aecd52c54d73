import type { ReactNode } from 'react';
import { fallbackStyle } from '#server/core/fallback-style';

interface FallbackPageProps {
  readonly title: string;
  readonly body: string;
  /** Links and buttons that lead on. */
  readonly children: ReactNode;
}

/** A whole page in the place of one that cannot be shown. */
export function FallbackPage({ title, body, children }: FallbackPageProps) {
  return (
    <main className="tl-fallback">
      {/* In the page, because it may stand in for any: a stylesheet of its own would be loaded on all of them. */}
      <style>{fallbackStyle}</style>
      <h1>{title}</h1>
      <p>{body}</p>
      <div>{children}</div>
    </main>
  );
}
