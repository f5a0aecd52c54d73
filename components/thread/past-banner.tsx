import { ChevronLeft, ChevronRight, History } from 'lucide-react';
import { askDesk } from '#components/desk/desk-requests';
import { drawnPoint, type DrawnPoint, useKnownKnots } from '#components/thread/use-thread';
import { threadStrings } from '#components/thread/words';
import { Button, IconButton } from '#components/ui/buttons';
import { clockTime, dayAndTime } from '#components/ui/times';

const say = threadStrings.past;

interface PastBannerProps {
  readonly point: DrawnPoint;
  /** Path of the page that is shown. */
  readonly path: string;
  readonly title: string;
  readonly onDraw: (point: DrawnPoint | null) => void;
}

/** Says that the preview shows an earlier state, steps along the thread, and leads back to now. */
export function PastBanner({ point, path, title, onDraw }: PastBannerProps) {
  const { sessionId, changeId, at } = point;
  const knots = useKnownKnots(sessionId);
  const points = knots.flatMap((knot) => drawnPoint(sessionId, knot) ?? []);
  const index = points.findIndex((one) => one.changeId === changeId);
  const earlier = points[index - 1];
  const later = index === -1 ? undefined : points[index + 1];
  return (
    <section
      aria-label={say.label}
      className="flex min-h-11 flex-wrap items-center gap-1.5 border-b border-amber/50 bg-amber/10 px-2 py-1.5 text-sm"
    >
      <History aria-hidden className="mx-1 size-4 shrink-0 stroke-[1.75] text-ink-2" />
      <output aria-live="polite" className="min-w-0 flex-1 truncate font-medium">
        {say.title(isToday(at) ? clockTime(at) : dayAndTime(at))}
      </output>
      <IconButton
        label={say.earlier}
        icon={<ChevronLeft aria-hidden />}
        aria-disabled={earlier === undefined}
        onClick={() => earlier && onDraw(earlier)}
      />
      <IconButton
        label={say.later}
        icon={<ChevronRight aria-hidden />}
        aria-disabled={later === undefined}
        onClick={() => later && onDraw(later)}
      />
      <Button onClick={() => askDesk('bring-back', { changeId, at, path, title })}>{say.bringBack}</Button>
      <Button variant="primary" onClick={() => onDraw(null)}>
        {say.now}
      </Button>
    </section>
  );
}

function isToday(time: number): boolean {
  return new Date(time).toDateString() === new Date().toDateString();
}
