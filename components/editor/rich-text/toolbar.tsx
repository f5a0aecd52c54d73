import clsx from 'clsx';
import { Bold, Heading, Italic, Link, List, ListOrdered, type LucideIcon, Quote } from 'lucide-react';
import { Popover, Toolbar } from 'radix-ui';
import type { Command } from 'prosemirror-state';
import { useSyncExternalStore } from 'react';
import {
  type Around,
  setLink,
  toggleBullets,
  toggleEm,
  toggleHeading,
  toggleNumbers,
  toggleQuote,
  toggleStrong,
} from '#components/editor/rich-text/commands';
import { LinkPicker } from '#components/editor/rich-text/link-picker';
import type { RichText } from '#components/editor/rich-text/rich-text';
import { richTextStrings } from '#components/editor/rich-text/words';
import { Tip } from '#components/ui/buttons';
import { useIsApple } from '#components/ui/hooks';
import { PopoverSheet } from '#components/ui/menus';

interface Tool {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly isOn: (around: Around) => boolean;
  readonly command: Command;
  /** Letter that does the same together with Ctrl or Command. */
  readonly letter?: string;
}

const marks: readonly Tool[] = [
  { label: richTextStrings.bold, icon: Bold, isOn: (now) => now.isStrong, command: toggleStrong, letter: 'B' },
  { label: richTextStrings.italic, icon: Italic, isOn: (now) => now.isEm, command: toggleEm, letter: 'I' },
];

const blocks: readonly Tool[] = [
  { label: richTextStrings.heading, icon: Heading, isOn: (now) => now.isHeading, command: toggleHeading },
  { label: richTextStrings.bullets, icon: List, isOn: (now) => now.isBullets, command: toggleBullets },
  { label: richTextStrings.numbers, icon: ListOrdered, isOn: (now) => now.isNumbers, command: toggleNumbers },
  { label: richTextStrings.quote, icon: Quote, isOn: (now) => now.isQuote, command: toggleQuote },
];

const buttonLook = clsx(
  'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors',
  'hover:bg-ink/6 hover:text-ink aria-pressed:bg-ink/6 aria-pressed:text-accent disabled:text-ink-3 pointer-coarse:size-10',
  '[&_svg]:size-[1.05rem] [&_svg]:stroke-[1.75]',
);

interface TextToolbarProps {
  readonly text: RichText;
  /** Id of the text that it is for. */
  readonly controls: string;
  readonly isLinkOpen: boolean;
  readonly onLinkOpen: (isOpen: boolean) => void;
  readonly className?: string;
}

/** Tools for the text that is selected. The text keeps its cursor while they are pressed. */
export function TextToolbar({ text, controls, isLinkOpen, onLinkOpen, className }: TextToolbarProps) {
  const now = useSyncExternalStore(text.subscribe, text.getAround);
  const modifier = useIsApple() ? '⌘' : 'Ctrl+';
  const nameOf = (label: string, letter?: string) =>
    letter === undefined ? label : richTextStrings.withKeys(label, modifier + letter);
  const toolButton = ({ label, icon: Icon, isOn, command, letter }: Tool) => (
    <Tip key={label} text={nameOf(label, letter)}>
      <Toolbar.Button
        aria-label={label}
        aria-pressed={isOn(now)}
        disabled={now.isPlain}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => text.run(command)}
        className={buttonLook}
      >
        <Icon aria-hidden />
      </Toolbar.Button>
    </Tip>
  );
  const closeLink = () => {
    onLinkOpen(false);
    text.view.focus();
  };
  return (
    <Toolbar.Root
      aria-label={richTextStrings.toolbar}
      aria-controls={controls}
      className={clsx('flex flex-wrap items-center gap-0.5', className)}
    >
      {marks.map(toolButton)}
      <Popover.Root open={isLinkOpen} onOpenChange={onLinkOpen}>
        <Tip text={nameOf(richTextStrings.link, 'K')}>
          <Popover.Trigger asChild>
            <Toolbar.Button
              aria-label={richTextStrings.link}
              aria-pressed={now.link !== null}
              disabled={now.isPlain}
              onPointerDown={(event) => event.preventDefault()}
              className={buttonLook}
            >
              <Link aria-hidden />
            </Toolbar.Button>
          </Popover.Trigger>
        </Tip>
        <PopoverSheet
          aria-label={richTextStrings.linkTo}
          align="start"
          onCloseAutoFocus={(event) => event.preventDefault()}
          onEscapeKeyDown={(event) => {
            event.preventDefault();
            closeLink();
          }}
          className="w-80 max-w-[calc(100vw-1rem)] p-1.5 font-sans"
        >
          <LinkPicker
            href={now.link}
            onPick={(href, words) => {
              onLinkOpen(false);
              text.run(setLink(href, words));
            }}
          />
        </PopoverSheet>
      </Popover.Root>
      <span aria-hidden className="mx-1 h-5 w-px bg-rule" />
      {blocks.map(toolButton)}
    </Toolbar.Root>
  );
}
