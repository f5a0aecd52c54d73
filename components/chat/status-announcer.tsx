import { strings } from '#lib/strings';

interface StatusAnnouncerProps {
  readonly isRunning: boolean;
  readonly isSummarizing: boolean;
  readonly hasFailed: boolean;
  readonly hasAnswer: boolean;
}

/** Tells screen readers where the turn stands, once per change and never word by word. */
export function StatusAnnouncer({ isRunning, isSummarizing, hasFailed, hasAnswer }: StatusAnnouncerProps) {
  const text = isSummarizing
    ? strings.status.summarizing
    : isRunning
      ? strings.status.answering
      : hasFailed
        ? strings.status.failed
        : hasAnswer
          ? strings.status.done
          : '';
  return (
    <output aria-live="polite" className="sr-only">
      {text}
    </output>
  );
}
