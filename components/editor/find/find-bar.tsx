import { ChevronDown, ChevronUp, PencilLine, Replace, X } from 'lucide-react';
import { type KeyboardEvent, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import dynamic from 'next/dynamic';
import { useMayDraft } from '#components/access/access-client.ts';
import { findOnPage, markMatches, MAX_MATCHES, showMatch, watchTexts } from '#components/editor/find/find-on-page.ts';
import type { ShownPage } from '#components/editor/model/shown-page.ts';
import { translator } from '#components/i18n.ts';
import { IconButton } from '#components/ui/buttons';
import { fieldStyle } from '#components/ui/fields';
import { isComposing } from '#components/ui/keys.ts';
import { loadCode } from '#components/ui/load-code';

const t = translator('findOnPage');
const tShared = translator('shared');

const ReplaceDialog = dynamic(
  () => loadCode(async () => (await import('#components/editor/find/replace-dialog')).ReplaceDialog),
  { ssr: false },
);

interface FindBarProps {
  readonly shown: ShownPage;
  /** Id of the page; undefined while loading. */
  readonly entryId: string | undefined;
  /** Edits the text at a match. */
  readonly onEdit: (match: Range) => void;
  /** Called with the present match, if there is one. */
  readonly onClose: (match: Range | undefined) => void;
}

/** Finds a text on the page that is shown, and marks its places there. */
export function FindBar({ shown, entryId, onEdit, onClose }: FindBarProps) {
  const mayDraft = useMayDraft();
  const [typed, setTyped] = useState('');
  /** Changes with the texts of the page. */
  const [version, setVersion] = useState(0);
  /** Index of the current match; a new object whenever the user goes to one, also to the same. */
  const [place, setPlace] = useState({ at: 0 });
  const [isReplacing, setIsReplacing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the page itself is no state of React
  const matches = useMemo(() => findOnPage(shown.window.document, typed), [shown, typed, version]);
  const index = Math.min(place.at, matches.length - 1);
  const current = matches[index];
  useLayoutEffect(() => watchTexts(shown.window.document, () => setVersion((before) => before + 1)), [shown]);
  useLayoutEffect(() => markMatches(shown.window, matches, current), [shown, matches, current]);
  const scroll = useEffectEvent(() => current && showMatch(shown.window, current));
  // Not after a change of the page, which may be elsewhere.
  useLayoutEffect(() => {
    scroll();
  }, [place]);

  const step = (direction: -1 | 1) => {
    if (matches.length > 0) setPlace({ at: (index + direction + matches.length) % matches.length });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Dialogs are rendered elsewhere, but their events arrive here, too.
    if (!event.currentTarget.contains(event.target as Node) || isComposing(event)) return;
    if (event.key === 'Escape') onClose(current);
    else if (event.target !== field.current || event.key !== 'Enter') return;
    else if (event.ctrlKey || event.metaKey) {
      if (current) onEdit(current);
    } else step(event.shiftKey ? -1 : 1);
    event.preventDefault();
    event.stopPropagation();
  };
  const count =
    typed.trim() === ''
      ? ''
      : matches.length > MAX_MATCHES
        ? t('many', { place: index + 1, count: MAX_MATCHES })
        : t('count', { place: index + 1, count: matches.length });
  return (
    // Keys of the field and the buttons in it, which have the focus.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <search
      aria-label={t('label')}
      onKeyDown={onKeyDown}
      className="pointer-events-auto absolute top-2 right-2 z-20 flex max-w-[calc(100%*var(--unscale)-1rem)] origin-top-right scale-(--unscale) items-center gap-0.5 rounded-lg border border-rule-strong bg-sheet p-1 pl-2 font-sans shadow-sheet"
    >
      <input
        ref={field}
        type="text"
        value={typed}
        aria-label={t('field')}
        placeholder={t('field')}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        onChange={({ target }) => {
          setTyped(target.value);
          setPlace({ at: 0 });
        }}
        className={`${fieldStyle} w-44 min-w-0 border-transparent text-sm`}
      />
      <output className="min-w-14 shrink-0 px-1 text-right text-xs text-ink-3 tabular-nums">{count}</output>
      <IconButton label={t('previous')} icon={<ChevronUp aria-hidden />} onClick={() => step(-1)} />
      <IconButton label={t('next')} icon={<ChevronDown aria-hidden />} onClick={() => step(1)} />
      <IconButton
        label={t('edit')}
        icon={<PencilLine aria-hidden />}
        disabled={!current}
        onClick={() => current && onEdit(current)}
      />
      {mayDraft && (
        <IconButton
          label={t('replace')}
          icon={<Replace aria-hidden />}
          disabled={entryId === undefined}
          onClick={() => setIsReplacing(true)}
        />
      )}
      <IconButton label={tShared('common.close')} icon={<X aria-hidden />} onClick={() => onClose(current)} />
      {isReplacing && entryId !== undefined && (
        <ReplaceDialog ids={[entryId]} find={typed} onClose={() => setIsReplacing(false)} />
      )}
    </search>
  );
}
