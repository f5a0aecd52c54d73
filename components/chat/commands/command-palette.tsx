'use client';

import { Command } from 'cmdk';
import { Check, Cpu, FileText, MessageSquareText, Newspaper } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { useCommands } from '#components/chat/commands/commands-context.ts';
import { CommandIcon } from '#components/chat/commands/command-icon';
import {
  choiceItems,
  commandItem,
  type CommandItem,
  type CommandName,
  commandNames,
  commandDetails,
  type CommandState,
  availableFirst,
} from '#components/chat/commands/commands.ts';
import { useCommandState } from '#components/chat/commands/use-command-state.ts';
import { keyLabels, shortcuts } from '#components/chat/commands/shortcuts.ts';
import { type FoundPage, usePageSearch } from '#components/chat/commands/use-page-search.ts';
import { useSessions } from '#components/chat/session-list/use-sessions.ts';
import { goTo, sessionPath } from '#components/workspace/navigation.ts';
import { useWorkspaceActions } from '#components/workspace/workspace-actions.ts';
import { Kbd } from '#components/ui/controls/kbd';
import { DialogLayer } from '#components/ui/dialogs/dialogs';
import { useReturnFocus } from '#components/ui/focus/focus.ts';
import { useIsApple } from '#components/ui/keys.ts';

const t = translator('command');

/** Conversations listed before the user types. A choice, not measured. */
const RECENT_CONVERSATIONS = 6;
/** Conversations listed for a query. A choice, not measured. */
const MAX_CONVERSATIONS = 30;

/** Commands that also have a shortcut. */
const keysOf: Partial<Record<CommandName, keyof typeof shortcuts>> = {
  new: 'new-conversation',
  stop: 'stop',
  preview: 'toggle-preview',
  help: 'help',
};

interface CommandPaletteProps {
  readonly onClose: () => void;
}

/** Finds a command, a conversation or a model by a few characters. */
export function CommandPalette({ onClose }: CommandPaletteProps) {
  const { sessionId, run } = useCommands();
  const { openPage } = useWorkspaceActions();
  const state = useCommandState(sessionId);
  const [query, setQuery] = useState('');
  /** Command whose argument is being chosen or typed; null on the first page, which searches everything. */
  const [page, setPage] = useState<CommandName | null>(null);
  /** Item chosen by keys or pointer; null: none, so the best match is marked even if it arrives late. */
  const [marked, setMarked] = useState<string | null>(null);
  // On the page of a command the query is its argument, not a search of everything.
  const results = useSearchResults(state, page === null ? query : '');
  const choices = page === null ? [] : choicesOf(page, state, query);
  const best = page === null ? bestOf(results) : (choices.find(isUsable)?.key ?? '');
  // The chosen action runs once the dialog has given the focus back, because the action may move the focus.
  const chosen = useRef<(() => void) | null>(null);

  const returnFocus = useReturnFocus(() => chosen.current?.());

  const choose = (action: () => void) => {
    chosen.current = action;
    onClose();
  };
  const search = (text: string) => {
    setQuery(text);
    setMarked(null);
  };
  const open = (name: CommandName) => {
    setPage(name);
    search(name === 'rename' ? (state.title ?? '') : '');
  };
  const pick = (item: CommandItem) => {
    if (item.argument === '' && (item.needsMore || commandDetails[item.name].choices !== undefined)) open(item.name);
    else choose(() => run(item));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (page === null || query !== '' || event.key !== 'Backspace') return;
    event.preventDefault();
    setPage(null);
    setMarked(null);
  };

  return (
    <DialogLayer onClose={onClose}>
      <Dialog.Content
        aria-describedby={undefined}
        onCloseAutoFocus={returnFocus}
        className="fixed top-[max(1rem,12dvh)] left-1/2 z-50 w-[min(36rem,calc(100vw-1.5rem))] -translate-x-1/2 animate-rise overflow-hidden rounded-xl border border-rule bg-sheet shadow-sheet"
      >
        <Dialog.Title className="sr-only">{t('label')}</Dialog.Title>
        <Command
          label={t('label')}
          value={marked ?? best}
          onValueChange={(value) => setMarked(value === best ? null : value)}
          shouldFilter={false}
          loop
        >
          <Command.Input
            value={query}
            onValueChange={search}
            onKeyDown={onKeyDown}
            placeholder={page === null ? t('placeholder') : placeholderOf(page)}
            maxLength={200}
            className="h-13 w-full border-b border-rule bg-transparent px-4 text-base outline-none placeholder:text-ink-3"
          />
          <Command.List className="max-h-[min(26rem,60dvh)] scroll-py-2 overflow-y-auto overscroll-contain p-2">
            <Command.Empty className="px-3 py-6 text-center text-sm text-ink-3">{t('none')}</Command.Empty>
            {page === null ? (
              <Groups
                {...results}
                onPick={pick}
                onGo={(id) => choose(() => goTo(sessionPath(id)))}
                onOpen={({ path, sectionId }) => choose(() => openPage({ path, sectionId }))}
              />
            ) : (
              choices.map((choice) => <CommandRow key={choice.key} item={choice} onPick={pick} />)
            )}
          </Command.List>
        </Command>
      </Dialog.Content>
    </DialogLayer>
  );
}

function placeholderOf(page: CommandName): string {
  return page === 'rename' ? t('renameTo') : `${t(`titles.${page}`)}…`;
}

/** True if the text contains each word of the query, regardless of case; a slash before a word is ignored. */
function containsWords(text: string, query: string): boolean {
  const folded = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word.replace(/^\//, '')));
}

interface SearchResults {
  /** Commands, and in a search also their choices. */
  readonly commands: readonly CommandItem[];
  readonly conversations: readonly { readonly id: string; readonly title: string }[];
  /** Pages, posts and their sections; empty before a search. */
  readonly pages: readonly FoundPage[];
  /** Choices of the command `model`; empty before a search. */
  readonly models: readonly CommandItem[];
}

/** Everything that matches the query, best matches first. */
function useSearchResults(state: CommandState, query: string): SearchResults {
  const typed = query.trim();
  const { items: sessions = [] } = useSessions(typed.replace(/^\//, ''));
  const pages = usePageSearch(typed.startsWith('/') ? '' : typed);
  const offered = commandNames.flatMap((name) => {
    const item = commandItem(name, state);
    // Choices are listed one by one only in a search; the models have a group of their own.
    const choices = typed === '' || name === 'model' ? [] : choiceItems(name, state);
    return [item, ...choices].filter((one) => containsWords(`${one.slash} ${searchable(one)}`, typed));
  });
  return {
    commands: availableFirst(offered.toSorted((a, b) => rank(a, typed) - rank(b, typed))),
    conversations: sessions
      .filter(({ id }) => id !== state.sessionId)
      .slice(0, typed === '' ? RECENT_CONVERSATIONS : MAX_CONVERSATIONS),
    pages,
    models: typed === '' ? [] : choiceItems('model', state).filter(({ title }) => containsWords(title, typed)),
  };
}

const isUsable = ({ whyNot }: CommandItem) => whyNot === null;

/** The value of the first selectable row; empty if no row is selectable. */
function bestOf({ commands: offered, pages, conversations, models }: SearchResults): string {
  return offered.find(isUsable)?.key ?? pages[0]?.key ?? conversations[0]?.id ?? models.find(isUsable)?.key ?? '';
}

interface GroupsProps extends SearchResults {
  readonly onPick: (item: CommandItem) => void;
  readonly onGo: (sessionId: string) => void;
  readonly onOpen: (page: FoundPage) => void;
}

function Groups({ commands: offered, pages, conversations, models, onPick, onGo, onOpen }: GroupsProps) {
  return (
    <>
      <Group heading={t('pages.commands')} isEmpty={offered.length === 0}>
        {offered.map((item) => (
          <CommandRow key={item.key} item={item} onPick={onPick} />
        ))}
      </Group>
      <Group heading={t('pages.pages')} isEmpty={pages.length === 0}>
        {pages.map((page) => (
          <Row
            key={page.key}
            value={page.key}
            icon={page.type === 'post' ? <Newspaper aria-hidden /> : <FileText aria-hidden />}
            title={page.title}
            onSelect={() => onOpen(page)}
          >
            <span className="max-w-[50%] truncate text-xs text-ink-3">{page.detail}</span>
          </Row>
        ))}
      </Group>
      <Group heading={t('pages.conversations')} isEmpty={conversations.length === 0}>
        {conversations.map(({ id, title }) => (
          <Row key={id} value={id} icon={<MessageSquareText aria-hidden />} title={title} onSelect={() => onGo(id)} />
        ))}
      </Group>
      <Group heading={t('pages.models')} isEmpty={models.length === 0}>
        {models.map((item) => (
          <CommandRow key={item.key} item={item} onPick={onPick} />
        ))}
      </Group>
    </>
  );
}

/** Items that begin with the typed text come before those that contain it. */
function rank({ name, title }: CommandItem, typed: string): number {
  const text = typed.toLowerCase().replace(/^\//, '');
  if (name.startsWith(text)) return 0;
  return title.toLowerCase().startsWith(text) ? 1 : 2;
}

/** The text by which a line is found. */
function searchable({ name, title, argument }: CommandItem): string {
  const { aliases } = commandDetails[name];
  return [title, t(`titles.${name}`), argument, ...aliases].join(' ');
}

/** The choices of one command, or the text that it needs. */
function choicesOf(name: CommandName, state: CommandState, query: string): readonly CommandItem[] {
  const text = query.trim();
  if (commandDetails[name].choices) return choiceItems(name, state).filter(({ title }) => containsWords(title, text));
  return text === '' ? [] : [{ ...commandItem(name, state), argument: text, slash: `/${name} ${text}`, title: text }];
}

function Group({ heading, isEmpty, children }: { heading: string; isEmpty: boolean; children: ReactNode }) {
  if (isEmpty) return null;
  return (
    <Command.Group
      heading={heading}
      className="pb-1 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-3"
    >
      {children}
    </Command.Group>
  );
}

interface CommandRowProps {
  readonly item: CommandItem;
  readonly onPick: (item: CommandItem) => void;
}

function CommandRow({ item, onPick }: CommandRowProps) {
  const isApple = useIsApple();
  const shortcut = item.argument === '' ? keysOf[item.name] : undefined;
  const keys = shortcut && shortcuts[shortcut].keys[0];
  return (
    <Row
      value={item.key}
      icon={item.name === 'model' ? <Cpu aria-hidden /> : <CommandIcon name={item.name} />}
      title={item.argument === '' || item.name === 'model' ? item.title : `${t(`titles.${item.name}`)}: ${item.title}`}
      isCurrent={item.isCurrent}
      whyNot={item.whyNot}
      onSelect={() => onPick(item)}
    >
      {keys ? (
        <Kbd keys={keyLabels(keys, isApple)} className="pointer-coarse:hidden" />
      ) : (
        <span className="max-w-40 truncate text-xs text-ink-3 max-sm:hidden">
          {item.argument === '' ? item.slash : ''}
        </span>
      )}
    </Row>
  );
}

interface RowProps {
  readonly value: string;
  readonly icon: ReactNode;
  readonly title: string;
  readonly isCurrent?: boolean;
  readonly whyNot?: string | null;
  readonly onSelect: () => void;
  readonly children?: ReactNode;
}

function Row({ value, icon, title, isCurrent = false, whyNot = null, onSelect, children }: RowProps) {
  return (
    <Command.Item
      value={value}
      disabled={whyNot !== null}
      onSelect={onSelect}
      className="flex min-h-9 items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm select-none aria-disabled:text-ink-3 data-[selected=true]:bg-ink/6 pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:stroke-[1.75] [&_svg]:text-ink-3"
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{title}</span>
      {isCurrent && <Check aria-hidden className="text-accent!" />}
      {whyNot === null ? children : <span className="shrink-0 text-xs text-ink-3">{whyNot}</span>}
    </Command.Item>
  );
}
