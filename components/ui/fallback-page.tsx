import type { ReactNode } from 'react';
import { fallbackStyle } from '#server/core/fallback-style';

interface FallbackPageProps {
  readonly title: string;
  readonly body: string;
  /** Words of the link that leads to the start page. */
  readonly home: string;
  /** Buttons before it. */
  readonly children?: ReactNode;
}

const HOME = '/';

/** A whole page in the place of one that cannot be shown. */
export function FallbackPage({ title, body, home, children }: FallbackPageProps) {
  return (
    <main className="tl-fallback">
      {/* In the page, because it may stand in for any: a stylesheet of its own would be loaded on all of them. */}
      <style>{fallbackStyle}</style>
      <h1>{title}</h1>
      <p>{body}</p>
      <div>
        {children}
        {/* Loads everything anew, which is what helps here. Next's own link would be loaded with every page for it. */}
        <a href={HOME}>{home}</a>
      </div>
    </main>
  );
}
