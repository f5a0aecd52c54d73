import clsx from 'clsx';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import type { ChatSession } from '#components/chat/session/chat-session';
import { contextStrings } from '#components/context/words';
import { contextLevel } from '#components/ui/format';
import type { SessionContext } from '#server/core/context-report';

/** The conversation whose context is shown, and the model it is counted for. */
export interface ContextMeterProps {
  readonly session: ChatSession;
  /** The model of the next message; undefined: the session's. */
  readonly modelId: string | undefined;
  /** The transcript is there: until then counting would only be in its way. */
  readonly isLoaded: boolean;
}

/** Report on the context; undefined until it is there. */
export const useSessionContext = ({ session, modelId, isLoaded }: ContextMeterProps) =>
  useSWR<SessionContext>(isLoaded ? paths.context(session.id, modelId) : null).data;

interface MeterButtonProps extends ContextMeterProps {
  /** Its breakdown is on screen. */
  readonly isOpen: boolean;
  readonly onPress: () => void;
}

/** The context's filling level beside the composer; a press opens its breakdown. */
export function ContextMeter({ isOpen, onPress, ...props }: MeterButtonProps) {
  const context = useSessionContext(props);
  return (
    <button
      type="button"
      data-meter
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      aria-label={context ? contextStrings.meter(context.percentUsed) : contextStrings.unknown}
      onClick={onPress}
      className="flex h-8 items-center gap-1.5 rounded-md px-2 text-xs text-ink-2 tabular-nums hover:bg-ink/6 aria-expanded:bg-ink/6"
    >
      <ContextRing percent={context?.percentUsed ?? null} />
      {context && contextStrings.percent(context.percentUsed)}
    </button>
  );
}

const RADIUS = 7;
const LENGTH = 2 * Math.PI * RADIUS;

const colours = { calm: 'text-accent', warm: 'text-amber', full: 'text-red' };

interface ContextRingProps {
  /** Percent of usable tokens, 0 to above 100; null while unknown. */
  readonly percent: number | null;
}

/** Fill level of the context as a ring. */
function ContextRing({ percent }: ContextRingProps) {
  const share = Math.min(100, Math.max(0, percent ?? 0)) / 100;
  return (
    <svg
      viewBox="0 0 18 18"
      aria-hidden
      className={clsx('size-[1.125rem] -rotate-90', colours[contextLevel(percent ?? 0)])}
    >
      <circle cx="9" cy="9" r={RADIUS} fill="none" strokeWidth="2.25" className="stroke-rule-strong" />
      <circle
        cx="9"
        cy="9"
        r={RADIUS}
        fill="none"
        stroke="currentColor"
        strokeWidth="2.25"
        strokeLinecap="round"
        strokeDasharray={`${String(share * LENGTH)} ${String(LENGTH)}`}
        opacity={share === 0 ? 0 : 1}
        className="transition-[stroke-dasharray] duration-500"
      />
    </svg>
  );
}
