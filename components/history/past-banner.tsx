import { ChevronLeft, ChevronRight, History } from 'lucide-react';
import { translator } from '#components/i18n.ts';
import { useWorkspaceActions } from '#components/workspace/workspace-actions.ts';
import { historyPointOf, type HistoryPoint } from '#components/history/checkpoints.ts';
import { useKnownCheckpoints } from '#components/history/use-history.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { clockTime, dayAndTime } from '#components/ui/times.ts';

const t = translator('history');

interface PastBannerProps {
  /** The displayed point of the history. */
  readonly point: HistoryPoint;
  /** Path of the displayed page. */
  readonly path: string;
  /** Title of the displayed page. */
  readonly title: string;
  /** Shows another point; null: the current state. */
  readonly onShowPoint: (point: HistoryPoint | null) => void;
}

/**
 * Banner over an earlier state in the preview, with buttons to move along the history and to return to the current
 * state.
 */
export function PastBanner({ point, path, title, onShowPoint }: PastBannerProps) {
  const { sessionId, changeId, at } = point;
  const { restore } = useWorkspaceActions();
  const checkpoints = useKnownCheckpoints(sessionId);
  const points = checkpoints.flatMap((checkpoint) => historyPointOf(sessionId, checkpoint) ?? []);
  const index = points.findIndex((one) => one.changeId === changeId);
  const earlier = points[index - 1];
  const later = index === -1 ? undefined : points[index + 1];
  return (
    <section
      aria-label={t('past.label')}
      className="flex min-h-11 flex-wrap items-center gap-1.5 border-b border-amber/50 bg-amber/10 px-2 py-1.5 text-sm"
    >
      <History aria-hidden className="mx-1 size-4 shrink-0 stroke-[1.75] text-ink-2" />
      <output aria-live="polite" className="min-w-0 flex-1 truncate font-medium">
        {t('past.title', { when: isToday(at) ? clockTime(at) : dayAndTime(at) })}
      </output>
      <IconButton
        label={t('past.earlier')}
        icon={<ChevronLeft aria-hidden />}
        aria-disabled={earlier === undefined}
        onClick={() => earlier && onShowPoint(earlier)}
      />
      <IconButton
        label={t('past.later')}
        icon={<ChevronRight aria-hidden />}
        aria-disabled={later === undefined}
        onClick={() => later && onShowPoint(later)}
      />
      <Button onClick={() => restore({ changeId, at, path, title })}>{t('past.restore')}</Button>
      <Button variant="primary" onClick={() => onShowPoint(null)}>
        {t('past.now')}
      </Button>
    </section>
  );
}

function isToday(time: number): boolean {
  return new Date(time).toDateString() === new Date().toDateString();
}
