import { type KeyboardEvent, useId, useState } from 'react';
import { toast } from 'sonner';
import { commandInWriting, readSlash, slashItems } from '#components/chat/commands/slash-text.ts';
import {
  type CommandItem,
  commandItem,
  type CommandName,
  type Invocation,
} from '#components/chat/commands/commands.ts';
import { useCommandState } from '#components/chat/commands/use-command-state.ts';

/** State of the command list of the composer. */
export interface SlashListState {
  readonly id: string;
  readonly items: readonly CommandItem[];
  /** Index of the line that Enter chooses. */
  readonly active: number;
  /** The command whose free text is being typed; the list is empty then. */
  readonly writing: CommandName | null;
  readonly onPoint: (index: number) => void;
  readonly onPick: (item: CommandItem) => void;
}

/** The list of commands below a text field, and the field's handlers that operate it. */
export interface SlashMenu {
  /** Null if the list is closed. */
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
  /** True if the list handled the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  /** True if the text was a command or an invalid command; it must not be sent. */
  readonly onSubmit: (text: string) => boolean;
}

/** The id of a line of the list, for `aria-activedescendant`. */
export const optionId = (listId: string, index: number) => `${listId}-${String(index)}`;

interface SlashField {
  /** Open conversation; null on the empty workspace. */
  readonly sessionId: string | null;
  readonly run: (invocation: Invocation) => void;
  readonly text: string;
  readonly setText: (text: string) => void;
}

/** Commands in a text field: a list while the text begins with a slash, and the handling of such a text on submit. */
export function useSlashMenu({ sessionId, run, text, setText }: SlashField): SlashMenu {
  const id = useId();
  const isSlash = text.trimStart().startsWith('/');
  const state = useCommandState(sessionId, isSlash);
  const [isFocused, setIsFocused] = useState(false);
  /** The text at which the user closed the list; the next slash opens it again. */
  const [dismissed, setDismissed] = useState<string | null>(null);
  /** The line selected by keys or pointer, stored by its key because lines may move when more data arrives. */
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
    // Nothing to complete: Tab moves to the next control as usual.
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
