import clsx from 'clsx';

interface ProgressBarProps {
  readonly label: string;
  readonly done: number;
  /** 0 while unknown. */
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
