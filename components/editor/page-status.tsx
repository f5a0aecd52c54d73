'use client';

import { Check, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useConnection } from '#components/api/use-connection';
import { noteSections } from '#components/editor/chosen';
import { usePageEditor } from '#components/editor/page-editor';
import type { Presence } from '#server/core/presence';
import type { PageEditorState } from '#components/editor/pending-values';
import { IconButton, Tip } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { savingStrings } from '#components/editor/words';

const FieldConflictDialog = fetchedLater(
  async () => (await import('#components/editor/field-conflict')).FieldConflictDialog,
);

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
      {conflict && name !== left && (
        <FieldConflictDialog conflict={conflict} onChoose={editor.resolve} onClose={() => setLeft(name)} />
      )}
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

/** Makes the sections of the page at a path choosable while it is open; null: none is. */
export function useOpenPage(path: string | null): void {
  const { entry, document } = usePageEditor(path).state;
  const entryId = entry?.id;
  const sections = document?.sections;
  useEffect(() => {
    noteSections(path !== null && entryId !== undefined && sections ? { path, entryId, sections } : null);
  }, [path, entryId, sections]);
  useEffect(() => () => noteSections(null), []);
}

/** Calls `useOpenPage`, for screens that only sometimes have a page. */
export function OpenPage({ path }: { readonly path: string }) {
  useOpenPage(path);
  return null;
}
