'use client';

import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { translator } from '#components/i18n.ts';
import { commandNames } from '#components/chat/commands/commands.ts';
import {
  keyLabels,
  type ShortcutGroup,
  type ShortcutName,
  shortcutNames,
  shortcuts,
} from '#components/chat/commands/shortcuts.ts';
import { HELP_PATH } from '#components/workspace/navigation.ts';
import { Kbd } from '#components/ui/controls/kbd';
import { IconButton } from '#components/ui/buttons';
import { DialogLayer } from '#components/ui/dialogs/dialogs';
import { focusItself, useReturnFocus } from '#components/ui/focus/focus.ts';
import { useIsApple } from '#components/ui/keys.ts';

const t = translator('command');
const tShortcuts = translator('shortcuts');
const tHelp = translator('help');
const tShared = translator('shared');

const groups = ['everywhere', 'conversation', 'composer', 'page', 'text'] as const satisfies readonly ShortcutGroup[];

interface HelpSheetProps {
  readonly onClose: () => void;
}

/** All shortcuts and commands. */
export function HelpSheet({ onClose }: HelpSheetProps) {
  const returnFocus = useReturnFocus();
  return (
    <DialogLayer onClose={onClose}>
      <Dialog.Content
        aria-describedby={undefined}
        onCloseAutoFocus={returnFocus}
        onOpenAutoFocus={focusItself}
        className="fixed top-1/2 left-1/2 z-50 flex max-h-[min(44rem,calc(100dvh-2rem))] w-[min(52rem,calc(100vw-1.5rem))] -translate-1/2 flex-col rounded-xl border border-rule bg-sheet shadow-sheet outline-none"
      >
        <header className="flex shrink-0 items-center justify-between gap-4 border-b border-rule py-3 pr-3 pl-6">
          <Dialog.Title className="font-serif text-xl font-medium">{tShortcuts('title')}</Dialog.Title>
          <Dialog.Close asChild>
            <IconButton label={tShared('common.close')} icon={<X aria-hidden />} />
          </Dialog.Close>
        </header>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be within reach of the keyboard */}
        <section tabIndex={0} aria-label={tShortcuts('title')} className="min-h-0 flex-1 overflow-y-auto px-6 pb-6">
          <div className="grid gap-x-10 md:grid-cols-2">
            <div>
              {groups.map((group) => (
                <Section key={group} title={tShortcuts(`groups.${group}`)}>
                  {shortcutNames
                    .filter((name) => shortcuts[name].group === group)
                    .map((name) => (
                      <ShortcutLine key={name} name={name} />
                    ))}
                </Section>
              ))}
            </div>
            {/* On small touch screens the commands come first: shortcuts need a keyboard. */}
            <div className="pointer-coarse:max-md:order-first">
              <Section title={tShortcuts('commandsTitle')} body={tShortcuts('commandsBody')}>
                {commandNames.map((name) => (
                  <Line key={name} title={t(`titles.${name}`)}>
                    <code className="font-sans text-xs text-ink-2">/{name}</code>
                  </Line>
                ))}
              </Section>
              <p className="mt-4 text-sm">
                <a href={HELP_PATH} target="_blank" rel="noopener" className="text-accent underline underline-offset-2">
                  {tHelp('all')}
                </a>
              </p>
            </div>
          </div>
        </section>
      </Dialog.Content>
    </DialogLayer>
  );
}

interface SectionProps {
  readonly title: string;
  readonly body?: string;
  readonly children: React.ReactNode;
}

function Section({ title, body, children }: SectionProps) {
  return (
    <section className="pt-5">
      <h3 className="text-xs text-ink-3">{title}</h3>
      {body !== undefined && <p className="mt-1 text-sm text-ink-2">{body}</p>}
      <dl className="mt-1 divide-y divide-rule">{children}</dl>
    </section>
  );
}

function ShortcutLine({ name }: { readonly name: ShortcutName }) {
  const isApple = useIsApple();
  return (
    <Line title={tShortcuts(`actions.${name}`)}>
      {shortcuts[name].keys.map((keys, index) => (
        <span key={keys.key} className="inline-flex items-center gap-1.5">
          {index > 0 && <span className="text-2xs text-ink-3">{tShortcuts('or')}</span>}
          <Kbd keys={keyLabels(keys, isApple)} />
        </span>
      ))}
    </Line>
  );
}

function Line({ title, children }: SectionProps) {
  return (
    <div className="flex items-center justify-between gap-4 py-2 text-sm">
      <dt>{title}</dt>
      <dd className="flex shrink-0 items-center gap-1.5">{children}</dd>
    </div>
  );
}
