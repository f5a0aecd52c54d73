import { AlertDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { ValueView } from '#components/calls/value-view';
import type { FieldConflict } from '#components/editor/page-editor';
import { savingStrings } from '#components/editor/saving-words';
import { Button } from '#components/ui/buttons';
import { AlertContent, AlertFrame } from '#components/ui/confirm-dialog';
import { strings } from '#components/words';
import type { JsonValue } from '#server/core/json';

const say = savingStrings.conflict;

interface FieldConflictDialogProps {
  /** Null: closed. */
  readonly conflict: FieldConflict | null;
  readonly onChoose: (choice: 'mine' | 'theirs') => void;
  /** Decided later; both texts stay as they are. */
  readonly onLeave: () => void;
}

/** Shows what was typed here beside what somebody else saved in the same place, and asks which one stays. */
export function FieldConflictDialog({ conflict, onChoose, onLeave }: FieldConflictDialogProps) {
  return (
    <AlertFrame open={conflict !== null} onOpenChange={(open) => !open && onLeave()}>
      {conflict !== null && <Content conflict={conflict} onChoose={onChoose} />}
    </AlertFrame>
  );
}

interface ContentProps extends Pick<FieldConflictDialogProps, 'onChoose'> {
  readonly conflict: FieldConflict;
}

function Content({ conflict: { mine, theirs, by, isGone }, onChoose }: ContentProps) {
  const who = by?.actor === 'assistant' ? say.byAssistant : (by?.userName ?? say.somebody);
  const text = textOf(mine);
  const buttons = (
    <>
      <AlertDialog.Cancel asChild>
        <Button variant="ghost">{say.leave}</Button>
      </AlertDialog.Cancel>
      {isGone ? (
        <Button variant="primary" onClick={() => void copyText(text)}>
          {say.copy}
        </Button>
      ) : (
        <AlertDialog.Action asChild>
          <Button variant="primary" onClick={() => onChoose('mine')}>
            {say.keepMine}
          </Button>
        </AlertDialog.Action>
      )}
      <AlertDialog.Action asChild>
        <Button onClick={() => onChoose('theirs')}>{isGone ? say.letGo : say.keepTheirs}</Button>
      </AlertDialog.Action>
    </>
  );
  return (
    <AlertContent width="wide" title={say.title} body={isGone ? say.gone(who) : say.body(who)} buttons={buttons}>
      <div className="mt-4 grid min-h-0 gap-3 overflow-y-auto sm:grid-cols-2">
        <Side title={say.mine}>
          <Value value={mine} />
        </Side>
        {!isGone && (
          <Side title={by === null ? say.theirs : say.theirsBy(who)}>
            <Value value={theirs} />
          </Side>
        )}
      </div>
    </AlertContent>
  );
}

function Side({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-rule p-3">
      <h3 className="mb-1 text-xs font-medium text-ink-3">{title}</h3>
      {children}
    </section>
  );
}

function Value({ value }: { readonly value: JsonValue }) {
  if (value === null || value === '') return <p className="text-sm text-ink-3">{say.nothing}</p>;
  if (typeof value === 'object') return <ValueView value={value} />;
  return <p className="text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">{String(value)}</p>;
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

async function copyText(text: string): Promise<void> {
  try {
    // Not there at all on a page that came over plain HTTP.
    await navigator.clipboard.writeText(text);
    toast(say.copied);
  } catch {
    toast.error(strings.messageActions.copyFailed);
  }
}
