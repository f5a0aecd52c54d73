import { ArrowUpRight } from 'lucide-react';
import { useState } from 'react';
import { ConflictDialog } from '#components/changes/undo-dialog';
import { useChanges } from '#components/changes/use-changes';
import { useWayBack } from '#components/changes/use-way-back';
import { changesStrings } from '#components/changes/words';
import { textField, type ToolCall } from '#components/chat/session/message-blocks';
import { useChatActions } from '#components/chat/transcript/chat-actions';
import { previewHref } from '#components/desk/preview-path';
import { strings } from '#components/words';
import type { ChangeSet, Conflict } from '#server/core/content';

/** The change that a call has made, as the journal has it; undefined: none, or not known. */
function useChangeOf(call: ToolCall): ChangeSet | undefined {
  const { session } = useChatActions();
  const changeId = call.name === 'undo' ? undefined : textField(call.output, 'changeId');
  const { items } = useChanges(changeId === undefined ? null : { sessionId: session.id });
  return items?.find(({ id }) => id === changeId);
}

/** Undo of the change that a call has made, as a word on its card; an undone one says so and can be redone. */
export function CardUndo({ call }: { readonly call: ToolCall }) {
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const way = useWayBack(useChangeOf(call), setConflict);
  if (way === null) return null;
  const { isUndone, text, ...button } = way;
  return (
    <>
      {isUndone && (
        <span data-undone className="rounded bg-ink/6 px-1.5 py-0.5 text-xs text-ink-2">
          {changesStrings.undone}
        </span>
      )}
      <button
        type="button"
        {...button}
        className="rounded-md px-2 py-1 text-sm text-ink-2 hover:bg-ink/6 hover:text-ink"
      >
        {text}
      </button>
      <ConflictDialog conflict={conflict} onClose={() => setConflict(null)} />
    </>
  );
}

/** Leads to the page that a call has published, as visitors see it. */
export function LiveLink({ call }: { readonly call: ToolCall }) {
  const change = useChangeOf(call);
  const address = call.name === 'publish_content' ? textField(call.output, 'address') : undefined;
  const isUndone = change !== undefined && change.undoneBy !== null;
  if (isUndone || address === undefined || !address.startsWith('/')) return null;
  return (
    <a
      href={previewHref(address, 'published')}
      target="_blank"
      rel="noopener"
      className="inline-flex items-center gap-0.5 rounded-md px-2 py-1 text-sm font-medium text-accent hover:bg-accent-wash"
    >
      {strings.tool.viewLive}
      <ArrowUpRight aria-hidden className="size-3.5" />
    </a>
  );
}
