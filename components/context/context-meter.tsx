'use client';

import { Popover } from 'radix-ui';
import { toast } from 'sonner';
import useSWR from 'swr';
import { ContextDetails } from '#components/context/context-details';
import { ContextRing } from '#components/context/context-ring';
import { paths } from '#lib/api-client';
import type { SessionContext } from '#lib/api-client';
import type { ChatSession } from '#lib/chat-session';
import { strings } from '#lib/strings';
import type { PruneData } from '#server/core/events';

interface ContextMeterProps {
  readonly session: ChatSession;
  /** The model of the next message; undefined: the session's. */
  readonly modelId: string | undefined;
  readonly lastPrune: PruneData | null;
  readonly isRunning: boolean;
  readonly isCompacting: boolean;
}

async function compact(session: ChatSession): Promise<void> {
  try {
    if (!(await session.compact())) toast(strings.context.nothing);
  } catch (error) {
    toast.error(strings.context.compactFailed(error instanceof Error ? error.message : String(error)));
  }
}

/** The context's filling level beside the composer; opens to its breakdown. */
export function ContextMeter({ session, modelId, lastPrune, isRunning, isCompacting }: ContextMeterProps) {
  const { data: context } = useSWR<SessionContext>(paths.context(session.id, modelId));
  const label = context ? strings.context.meter(context.percentUsed) : strings.context.unknown;
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={label}
        title={label}
        className="flex h-8 items-center gap-1.5 rounded-md px-2 text-xs text-ink-2 tabular-nums hover:bg-ink/6"
      >
        <ContextRing percent={context?.percentUsed ?? null} />
        {context && `${String(Math.round(context.percentUsed))} %`}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          side="top"
          align="end"
          sideOffset={8}
          collisionPadding={12}
          className="z-50 w-80 animate-rise rounded-xl border border-rule bg-sheet p-4 shadow-sheet"
        >
          {context ? (
            <ContextDetails
              context={context}
              lastPrune={lastPrune}
              isCompacting={isCompacting || context.currentlyCompacting}
              onCompact={isRunning ? null : () => void compact(session)}
            />
          ) : (
            <p className="text-sm text-ink-2">{strings.context.unknown}</p>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
