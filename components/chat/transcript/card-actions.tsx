import { ArrowUpRight } from 'lucide-react';
import { useState } from 'react';
import { useWayBack } from '#components/changes/undo-actions';
import { changesStrings } from '#components/changes/words';
import { textField, type ToolCall } from '#components/chat/session/tool-call';
import { useChatActions } from '#components/chat/transcript/chat-actions';
import { usePreviewHref } from '#components/desk/site-of-page';
import { changeIn, isGone, useKnownKnots } from '#components/thread/use-thread';
import { fetchedLater } from '#components/ui/fetched-later';
import { toolStrings } from '#components/calls/words';
import type { Conflict } from '#server/core/changes';
import type { KnotChange } from '#server/core/thread';

const ConflictDialog = fetchedLater(async () => (await import('#components/changes/undo-dialog')).ConflictDialog);

/** The change that a call has made, as the thread has it; undefined: none, or not known. */
function useChangeOf(call: ToolCall): KnotChange | undefined {
  const { session } = useChatActions();
  const knots = useKnownKnots(session.id);
  const changeId = call.name === 'undo' ? undefined : textField(call.output, 'changeId');
  return changeId === undefined ? undefined : changeIn(knots, changeId);
}

/** Undo of the change that a call has made, as a word on its card; an undone one says so and can be redone. */
export function CardUndo({ call }: { readonly call: ToolCall }) {
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const change = useChangeOf(call);
  const way = useWayBack(change, setConflict);
  if (change?.isTakenAlong) return <UndoneTag />;
  if (way === null) return null;
  const { isUndone, text, ...button } = way;
  return (
    <>
      {isUndone && <UndoneTag />}
      <button
        type="button"
        {...button}
        className="rounded-md px-2 py-1 text-sm text-ink-2 hover:bg-ink/6 hover:text-ink"
      >
        {text}
      </button>
      {conflict && <ConflictDialog conflict={conflict} onClose={() => setConflict(null)} />}
    </>
  );
}

function UndoneTag() {
  return (
    <span data-undone className="rounded bg-ink/6 px-1.5 py-0.5 text-xs text-ink-2">
      {changesStrings.undone}
    </span>
  );
}

/** Leads to the page that a call has published, as visitors see it. */
export function LiveLink({ call }: { readonly call: ToolCall }) {
  const previewHref = usePreviewHref();
  const change = useChangeOf(call);
  const address = call.name === 'publish_content' ? textField(call.output, 'address') : undefined;
  const isUndone = change !== undefined && isGone(change);
  if (isUndone || address === undefined || !address.startsWith('/')) return null;
  return (
    <a
      href={previewHref(address, 'published')}
      target="_blank"
      rel="noopener"
      className="inline-flex items-center gap-0.5 rounded-md px-2 py-1 text-sm font-medium text-accent hover:bg-accent-wash"
    >
      {toolStrings.viewLive}
      <ArrowUpRight aria-hidden className="size-3.5" />
    </a>
  );
}
