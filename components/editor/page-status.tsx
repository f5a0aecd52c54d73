'use client';

import { Check, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useConnection } from '#components/api/use-connection';
import { type FieldConflict, type PageEditorState, type Presence, usePageEditor } from '#components/editor/page-editor';
import { Button, IconButton, Tip } from '#components/ui/buttons';
import { AlertDialog } from 'radix-ui';
import { toast } from 'sonner';
import { ValueView } from '#components/calls/value-view';
import { AlertContent, AlertFrame } from '#components/ui/dialogs';
import { strings } from '#components/words';
import type { JsonValue } from '#server/core/json';
import { savingStrings } from '#components/editor/words';

const say = savingStrings;
/** Others that are drawn one by one. */
const MOST_DRAWN = 4;

/** Shows who else is on the page and whether all is saved, and asks about a value that two have written. */
export function PageStatus({ path }: { readonly path: string }) {
  const { editor, state } = usePageEditor(path);
  /** A conflict that was left for later. */
  const [left, setLeft] = useState<string | null>(null);
  const { conflict } = state;
  const name = conflict && JSON.stringify([conflict.place, conflict.theirs]);
  return (
    <>
      <OthersHere others={state.others} />
      <SaveMark
        state={state}
        onAct={() => {
          setLeft(null);
          void editor.flush();
        }}
      />
      <FieldConflictDialog
        conflict={name === left ? null : conflict}
        onChoose={editor.resolve}
        onLeave={() => setLeft(name)}
      />
    </>
  );
}

interface SaveMarkProps {
  readonly state: Pick<PageEditorState, 'save' | 'savedAt' | 'problem'>;
  /** Shows the conflict that was left, or saves what was refused again. */
  readonly onAct: () => void;
}

/** Sign that says whether all is saved. Nothing as long as nothing was written. */
function SaveMark({ state: { save, savedAt, problem }, onAct }: SaveMarkProps) {
  const isOffline = useConnection() === 'offline';
  const words = save === 'saved' ? (savedAt === null ? '' : say.save.saved) : saveWords(save, problem, isOffline);
  return (
    <>
      <output className="sr-only">{save === 'saving' || save === 'waiting' ? '' : words}</output>
      {(save === 'failed' || save === 'conflict') && (
        <IconButton
          label={save === 'failed' ? `${words} ${say.save.retry}` : words}
          icon={<TriangleAlert aria-hidden />}
          onClick={onAct}
          className="text-red!"
        />
      )}
      {save !== 'failed' && save !== 'conflict' && words !== '' && (
        <Tip text={words}>
          <span data-save={save} className="inline-flex size-8 shrink-0 items-center justify-center text-ink-3">
            {isOffline && save !== 'saved' ? (
              <CloudOff aria-hidden className="size-4 text-amber" />
            ) : save === 'saved' ? (
              <Check aria-hidden className="size-4" />
            ) : (
              <LoaderCircle aria-hidden className="size-4 motion-safe:animate-spin" />
            )}
          </span>
        </Tip>
      )}
    </>
  );
}

/** Words for the state of saving, in the header and where something was written. */
export function saveWords(save: PageEditorState['save'], problem: string | null, isOffline: boolean): string {
  if (save === 'failed') return problem === null ? say.save.failedShort : say.save.failed(problem);
  if (save !== 'saved' && save !== 'conflict' && isOffline) return say.save.offline;
  return say.save[save];
}

/** Says what somebody else on the page does. */
export function wordsOfOther({ name, isMe, place }: Presence): string {
  const { presence } = say;
  if (isMe) return place === null ? presence.hereMyself : presence.writesMyself;
  return place === null ? presence.here(name) : presence.writes(name);
}

/** `AL` for Ada Lovelace. */
function initialsOf({ name, isMe }: Presence): string {
  if (isMe) return say.presence.me;
  const words = (name ?? '').trim().split(/\s+/).filter(Boolean);
  const named = words.length > 1 ? [words[0], words.at(-1)] : words;
  const letters = named.map((word) => String.fromCodePoint(word?.codePointAt(0) ?? 0));
  return letters.join('').toLocaleUpperCase() || say.presence.nobody;
}

function OthersHere({ others }: { readonly others: readonly Presence[] }) {
  if (others.length === 0) return null;
  const rest = others.length - MOST_DRAWN;
  return (
    <ul aria-label={say.presence.label} className="flex shrink-0 items-center -space-x-1.5 px-1">
      {others.slice(0, MOST_DRAWN).map((other) => (
        <OtherHere key={other.id} other={other} />
      ))}
      {rest > 0 && <li className="pl-2.5 text-xs text-ink-3">{say.presence.more(rest)}</li>}
    </ul>
  );
}

function OtherHere({ other }: { readonly other: Presence }) {
  const isWriting = other.place !== null;
  const words = wordsOfOther(other);
  return (
    <li>
      <Tip text={words}>
        <span
          data-writing={isWriting || undefined}
          className="inline-flex size-6 items-center justify-center rounded-full border-2 border-sheet bg-accent-wash text-2xs font-medium text-accent data-writing:bg-accent data-writing:text-accent-ink"
        >
          <span aria-hidden>{initialsOf(other)}</span>
          <span className="sr-only">{words}</span>
        </span>
      </Tip>
    </li>
  );
}

const ask = savingStrings.conflict;

interface FieldConflictDialogProps {
  /** Null: closed. */
  readonly conflict: FieldConflict | null;
  readonly onChoose: (choice: 'mine' | 'theirs') => void;
  /** Decided later; both texts stay as they are. */
  readonly onLeave: () => void;
}

/** Shows what was typed here beside what somebody else saved in the same place, and asks which one stays. */
function FieldConflictDialog({ conflict, onChoose, onLeave }: FieldConflictDialogProps) {
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
  const who = by?.actor === 'assistant' ? ask.byAssistant : (by?.userName ?? ask.somebody);
  const text = textOf(mine);
  const buttons = (
    <>
      <AlertDialog.Cancel asChild>
        <Button variant="ghost">{ask.leave}</Button>
      </AlertDialog.Cancel>
      {isGone ? (
        <Button variant="primary" onClick={() => void copyText(text)}>
          {ask.copy}
        </Button>
      ) : (
        <AlertDialog.Action asChild>
          <Button variant="primary" onClick={() => onChoose('mine')}>
            {ask.keepMine}
          </Button>
        </AlertDialog.Action>
      )}
      <AlertDialog.Action asChild>
        <Button onClick={() => onChoose('theirs')}>{isGone ? ask.letGo : ask.keepTheirs}</Button>
      </AlertDialog.Action>
    </>
  );
  return (
    <AlertContent width="wide" title={ask.title} body={isGone ? ask.gone(who) : ask.body(who)} buttons={buttons}>
      <div className="mt-4 grid min-h-0 gap-3 overflow-y-auto sm:grid-cols-2">
        <Side title={ask.mine}>
          <Value value={mine} />
        </Side>
        {!isGone && (
          <Side title={by === null ? ask.theirs : ask.theirsBy(who)}>
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
  if (value === null || value === '') return <p className="text-sm text-ink-3">{ask.nothing}</p>;
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
    toast(ask.copied);
  } catch {
    toast.error(strings.common.copyFailed);
  }
}
