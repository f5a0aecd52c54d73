import type { ReactNode } from 'react';
import { fallbackStyle } from '#server/core/fallback-style';

interface FallbackPageProps {
  readonly title: string;
  readonly body: string;
  /** Text of the link to the start page. */
  readonly home: string;
  /** Buttons before the link. */
  readonly children?: ReactNode;
}

const HOME = '/';

/** A full page that replaces one that cannot be displayed. */
export function FallbackPage({ title, body, home, children }: FallbackPageProps) {
  return (
    <main className="tl-fallback">
      {/* Inline, because this page can replace any page: a separate stylesheet would be loaded on all of them. */}
      <style>{fallbackStyle}</style>
      <h1>{title}</h1>
      <p>{body}</p>
      <div>
        {children}
        {/* A plain link, because a full reload is what helps here. Next's link component would be loaded with every page. */}
        <a href={HOME}>{home}</a>
      </div>
    </main>
  );
}
