// The text field keeps the focus, which a select would take.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import clsx from 'clsx';
import { Check } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { toast } from 'sonner';
import {
  CommandIcon,
  commandInWriting,
  type CommandItem,
  commandItem,
  type CommandName,
  type Invocation,
  readSlash,
  slashItems,
} from '#components/chat/commands/commands';
import { useCommandState } from '#components/chat/commands/use-command-state';
import { commandStrings } from '#components/chat/commands/words';

const words = commandStrings;

interface Side {
  /** Side of the composer with room for the list. */
  readonly side: 'above' | 'below';
}

/** The commands that the text in the composer can become. The composer keeps the focus. */
export function SlashList({ id, items, active, writing, onPoint, onPick, side }: SlashListState & Side) {
  return (
    <div
      className={clsx(
        'absolute inset-x-0 z-30 animate-rise overflow-hidden rounded-xl border border-rule bg-sheet shadow-sheet',
        side === 'above' ? 'bottom-full mb-2' : 'top-full mt-2',
      )}
    >
      <output className="sr-only">{items.length > 0 && words.found(items.length)}</output>
      {items.length === 0 && writing !== null ? (
        <p className="flex items-center gap-2.5 px-3.5 py-2.5 text-sm text-ink-2">
          <CommandIcon name={writing} />
          {words.with(words.titles[writing])}
        </p>
      ) : (
        <div
          id={id}
          role="listbox"
          aria-label={words.label}
          className="max-h-[min(20.5rem,42dvh)] overflow-y-auto p-1.5"
        >
          {items.map((item, index) => (
            <Option
              key={item.key}
              id={optionId(id, index)}
              item={item}
              isActive={index === active}
              onPoint={() => onPoint(index)}
              onPick={() => onPick(item)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly item: CommandItem;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onPick: () => void;
}

function Option({ id, item, isActive, onPoint, onPick }: OptionProps) {
  const { slash, argument, argumentHint, title, isCurrent, whyNot, name } = item;
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // The keys of a list whose field keeps the focus are the field's.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={line}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      aria-disabled={whyNot !== null}
      // A press must not take the focus away from the text.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={() => !isActive && onPoint()}
      onClick={onPick}
      className={clsx(
        'flex min-h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm select-none pointer-coarse:min-h-11',
        isActive && 'bg-ink/6',
        whyNot !== null && 'text-ink-3',
      )}
    >
      <CommandIcon name={name} />
      {argument === '' && <span className="w-20 shrink-0 font-medium">{slash}</span>}
      <span
        className={clsx('min-w-0 flex-1 truncate', whyNot === null ? argument === '' && 'text-ink-2' : 'max-sm:hidden')}
      >
        {title}
        {argumentHint !== null && whyNot === null && <span className="text-ink-3"> · {argumentHint}</span>}
      </span>
      {isCurrent && <Check aria-hidden className="size-4 text-accent" />}
      {whyNot !== null && <span className="shrink-0 text-xs text-ink-3 max-sm:ml-auto">{whyNot}</span>}
    </div>
  );
}

/** State of the list above the composer. */
export interface SlashListState {
  readonly id: string;
  readonly items: readonly CommandItem[];
  /** Index of the line that Enter takes. */
  readonly active: number;
  /** The command whose free text is being written; the list is empty then. */
  readonly writing: CommandName | null;
  readonly onPoint: (index: number) => void;
  readonly onPick: (item: CommandItem) => void;
}

export interface SlashMenu {
  /** Null: there is nothing to show. */
  readonly list: SlashListState | null;
  /** ARIA properties of the text field that connect it to the list. */
  readonly fieldProps: {
    readonly 'aria-autocomplete': 'list';
    readonly 'aria-haspopup': 'listbox';
    readonly 'aria-controls'?: string;
    readonly 'aria-activedescendant'?: string;
    readonly onFocus: () => void;
    readonly onBlur: () => void;
  };
  /** True: the key was meant for the list. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  /** True: the text was a command, or meant as one; it is not to be sent. */
  readonly onSubmit: (text: string) => boolean;
}

const optionId = (listId: string, index: number) => `${listId}-${String(index)}`;

interface SlashField {
  readonly sessionId: string | null;
  readonly run: (invocation: Invocation) => void;
  readonly text: string;
  readonly setText: (text: string) => void;
}

/** Commands in a text field: a list while the text begins with a slash, and what becomes of such a text when it is sent. */
export function useSlashMenu({ sessionId, run, text, setText }: SlashField): SlashMenu {
  const id = useId();
  const isSlash = text.trimStart().startsWith('/');
  const state = useCommandState(sessionId, isSlash);
  const [isFocused, setIsFocused] = useState(false);
  /** The text with which the list was sent away; it comes back with the next slash. */
  const [dismissed, setDismissed] = useState<string | null>(null);
  /** The line that keys or the pointer went to; lines may come to stand elsewhere when more is known of them. */
  const [marked, setMarked] = useState({ text: '', key: '' });
  const isNextSlash = text === '/' && dismissed !== '/';
  if (dismissed !== null && (!isSlash || isNextSlash)) setDismissed(null);

  const isOpen = isSlash && isFocused && dismissed === null;
  const items = isOpen ? slashItems(text, state) : [];
  const writing = isOpen ? commandInWriting(text) : null;
  const markedAt = items.findIndex(({ key }) => key === marked.key);
  const active = marked.text === text && markedAt > 0 ? markedAt : 0;
  const mark = (index: number) => setMarked({ text, key: items.at(index % items.length)?.key ?? '' });

  const pick = (item: CommandItem) => {
    if (item.whyNot !== null) toast(item.whyNot);
    else if (item.needsMore) setText(`${item.slash} `);
    else {
      setText('');
      run(item);
    }
  };

  const complete = (item: CommandItem): boolean => {
    const completed = item.argumentHint === null ? item.slash : `${item.slash} `;
    // Nothing to complete: Tab goes on to the next control, as ever.
    if (completed === text) return false;
    setText(completed);
    return true;
  };

  const onKeyDown = ({ key, shiftKey }: KeyboardEvent): boolean => {
    if (isOpen && key === 'Escape' && (items.length > 0 || writing !== null)) {
      setDismissed(text);
      return true;
    }
    const item = items[active];
    if (!item || shiftKey) return false;
    switch (key) {
      case 'ArrowDown':
      case 'ArrowUp':
        mark(active + (key === 'ArrowDown' ? 1 : -1));
        return true;
      case 'Enter':
        pick(item);
        return true;
      case 'Tab':
        return complete(item);
      default:
        return false;
    }
  };

  const onSubmit = (sent: string): boolean => {
    const read = readSlash(sent, state);
    if (read.kind === 'message') return false;
    if (read.kind === 'problem') {
      toast(read.message);
      return true;
    }
    const { name, argument } = read.invocation;
    pick({ ...commandItem(name, state), argument, needsMore: false });
    return true;
  };

  const isShown = isOpen && (items.length > 0 || writing !== null);
  return {
    list: isShown ? { id, items, active, writing, onPoint: mark, onPick: pick } : null,
    fieldProps: {
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      ...(isShown && items.length > 0 && { 'aria-controls': id, 'aria-activedescendant': optionId(id, active) }),
      onFocus: () => setIsFocused(true),
      onBlur: () => setIsFocused(false),
    },
    onKeyDown,
    onSubmit,
  };
}
