import { useId, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { toast } from 'sonner';
import { commandInWriting, commandItem, readSlash, slashItems } from '#lib/commands/commands';
import type { CommandItem, CommandName, Invocation } from '#lib/commands/commands';
import { useCommandState } from '#lib/commands/use-command-state';

/** What the list above the composer shows. */
export interface SlashList {
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
  readonly list: SlashList | null;
  /** For the text field: they tell screen readers of the list. */
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

export const optionId = (listId: string, index: number) => `${listId}-${String(index)}`;

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
