import type { ReactNode } from 'react';
import { Wordmark } from '#components/ui/wordmark';

interface AccessCardProps {
  readonly title: string;
  readonly body?: string;
  readonly children: ReactNode;
}

/** The one thing on a page before the door. */
export function AccessCard({ title, body, children }: AccessCardProps) {
  return (
    <main className="grid min-h-dvh place-content-center px-4 py-8">
      <div className="w-[min(26rem,calc(100vw-2rem))] rounded-xl border border-rule bg-sheet p-8 shadow-sheet max-sm:p-6">
        <Wordmark />
        <h1 className="mt-6 font-serif text-xl font-medium">{title}</h1>
        {body !== undefined && <p className="mt-2 text-base text-ink-2">{body}</p>}
        {children}
      </div>
    </main>
  );
}

/** The way on. A plain link: what is behind it belongs to somebody else now. */
export function AccessLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a
      href={href}
      className="mt-6 inline-flex h-9 items-center rounded-md bg-accent px-4 text-sm font-medium text-accent-ink transition-colors hover:bg-accent-strong"
    >
      {children}
    </a>
  );
}
