'use client';

import clsx from 'clsx';
import { strings } from '#components/words';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '#components/ui/buttons';
import { CloudOff } from 'lucide-react';
import { toast } from 'sonner';
import { useConnection } from '#components/api/use-connection';

interface NoticeProps {
  readonly title: string;
  readonly body?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly icon?: ReactNode;
}

/** A short, centred word in the place of content that is missing. */
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

interface LoadFailedProps {
  readonly title: string;
  /** Gives the reason. */
  readonly error?: Error | undefined;
  readonly onRetry: () => void;
}

/** Notice in place of content that could not be loaded, with a button to try again. */
export function LoadFailed({ title, error, onRetry }: LoadFailedProps) {
  return (
    <Notice
      title={title}
      {...(error && { body: error.message })}
      action={{ label: strings.common.retry, run: onRetry }}
    />
  );
}

/** Stands for a list that is being loaded. */
export function LoadingBlock({ label }: { readonly label?: string }) {
  return (
    <>
      {label !== undefined && <output className="sr-only">{label}</output>}
      <div aria-hidden className="my-5 h-16 animate-breathe rounded-md bg-rule" />
    </>
  );
}

interface NotLoadedProps extends Omit<LoadFailedProps, 'onRetry'> {
  /** Announced while it is loaded. Default: nothing. */
  readonly loading?: string;
  readonly onRetry: () => unknown;
}

/** In place of content that is not there: it is being loaded, or could not be. */
export function NotLoaded({ title, error, loading, onRetry }: NotLoadedProps) {
  if (error) return <LoadFailed title={title} error={error} onRetry={() => void onRetry()} />;
  return <LoadingBlock {...(loading !== undefined && { label: loading })} />;
}

interface ProgressBarProps {
  readonly label: string;
  readonly done: number;
  /** 0: not known yet. */
  readonly total: number;
}

/** Progress bar; pulses while the total is unknown. */
export function ProgressBar({ label, done, total }: ProgressBarProps) {
  return (
    <progress
      aria-label={label}
      {...(total > 0 && { value: done, max: total })}
      className={clsx(
        'mt-4 block h-1.5 w-full appearance-none overflow-hidden rounded-[2px] bg-rule [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-rule [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[width]',
        total === 0 && 'animate-breathe',
      )}
    />
  );
}

/** A quiet line while the server is gone, and a word when it is back. */
export function ConnectionBanner() {
  const state = useConnection();
  const wasLost = useRef(false);

  useEffect(() => {
    if (state === 'online' && wasLost.current) toast(strings.connection.back);
    wasLost.current = state === 'offline';
  }, [state]);

  if (state === 'online') return null;
  return (
    <output className="flex items-center justify-center gap-2 bg-ink px-4 py-1.5 text-sm text-paper">
      <CloudOff aria-hidden className="size-4" />
      {strings.connection.lost}
    </output>
  );
}
