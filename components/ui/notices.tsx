'use client';

import type { ReactNode } from 'react';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';

const t = translator('shared');

interface NoticeProps {
  readonly title: string;
  readonly body?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly icon?: ReactNode;
}

/** A short, centred message instead of missing content. */
export function Notice({ title, body, action, icon }: NoticeProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center text-ink-2">
      {icon}
      <p className="text-base">{title}</p>
      {body === undefined ? null : <p className="text-sm text-ink-3">{body}</p>}
      {action && (
        <Button className="mt-2" onClick={action.run}>
          {action.label}
        </Button>
      )}
    </div>
  );
}

interface LoadProblem {
  readonly title: string;
  /** The reason, shown in the notice. */
  readonly error?: Error | undefined;
}

interface LoadFailedProps extends LoadProblem {
  readonly onRetry: () => void;
}

/** Notice instead of content that could not be loaded, with a retry button. */
export function LoadFailed({ title, error, onRetry }: LoadFailedProps) {
  return (
    <Notice title={title} {...(error && { body: error.message })} action={{ label: t('common.retry'), run: onRetry }} />
  );
}

/** Placeholder for a list that is loading. */
export function LoadingBlock({ label }: { readonly label?: string }) {
  return (
    <>
      {label !== undefined && <output className="sr-only">{label}</output>}
      <div aria-hidden className="my-5 h-16 animate-breathe rounded-md bg-rule" />
    </>
  );
}

interface NotLoadedProps extends LoadProblem {
  /** Announced while loading. Default: nothing. */
  readonly loading?: string;
  readonly onRetry: () => unknown;
}

/** Shown instead of content that is loading or could not be loaded. */
export function NotLoaded({ title, error, loading, onRetry }: NotLoadedProps) {
  if (error) return <LoadFailed title={title} error={error} onRetry={() => void onRetry()} />;
  return <LoadingBlock {...(loading !== undefined && { label: loading })} />;
}
