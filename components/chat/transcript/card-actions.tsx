import { ArrowUpRight } from 'lucide-react';
import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { useUndoAction } from '#components/changes/undo-actions.ts';
import { textField, type ToolCall } from '#components/chat/parts/tool-call.ts';
import { useChatActions } from '#components/chat/transcript/chat-actions.ts';
import { usePreviewHref } from '#components/workspace/site-of-page';
import { changeIn, isReversed } from '#components/history/checkpoints.ts';
import { useKnownCheckpoints } from '#components/history/use-history.ts';
import { ConflictDialog } from '#components/changes/conflict-dialog';
import type { Conflict } from '#server/core/site/changes';
import type { CheckpointChange } from '#server/core/conversation/history';

const t = translator('tools');
const tChanges = translator('changes');

/** The change that a call has made, from the history; undefined if none or not loaded. */
function useChangeOf(call: ToolCall): CheckpointChange | undefined {
  const { session } = useChatActions();
  const checkpoints = useKnownCheckpoints(session.id);
  const changeId = call.name === 'undo' ? undefined : textField(call.output, 'changeId');
  return changeId === undefined ? undefined : changeIn(checkpoints, changeId);
}

/** Undo button on a call's card for the change that it made; an undone change is labelled and can be redone. */
export function CardUndo({ call }: { readonly call: ToolCall }) {
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const change = useChangeOf(call);
  const undoAction = useUndoAction(change, setConflict);
  if (change?.isTakenAlong) return <UndoneTag />;
  if (undoAction === null) return null;
  const { isUndone, text, ...button } = undoAction;
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
      {tChanges('undone')}
    </span>
  );
}

/** Link to the published page of a call. */
export function LiveLink({ call }: { readonly call: ToolCall }) {
  const previewHref = usePreviewHref();
  const change = useChangeOf(call);
  const address = call.name === 'publish_content' ? textField(call.output, 'address') : undefined;
  const isUndone = change !== undefined && isReversed(change);
  if (isUndone || address === undefined || !address.startsWith('/')) return null;
  return (
    <a
      href={previewHref(address, 'published')}
      target="_blank"
      rel="noopener"
      className="inline-flex items-center gap-0.5 rounded-md px-2 py-1 text-sm font-medium text-accent hover:bg-accent-wash"
    >
      {t('viewLive')}
      <ArrowUpRight aria-hidden className="size-3.5" />
    </a>
  );
}
