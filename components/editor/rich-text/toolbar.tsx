import clsx from 'clsx';
import dynamic from 'next/dynamic';
import { useId, useState } from 'react';
import { RichText } from '#components/editor/rich-text/rich-text.ts';
import {
  Bold,
  Code,
  ExternalLink,
  Heading,
  Image,
  Italic,
  Link,
  List,
  ListOrdered,
  type LucideIcon,
  Quote,
  Strikethrough,
} from 'lucide-react';
import { Popover, Toolbar } from 'radix-ui';
import type { Command } from 'prosemirror-state';
import {
  type CursorContext,
  setHeading,
  setLink,
  setPicture,
  toggleBullets,
  toggleCode,
  toggleEm,
  toggleNumbers,
  toggleQuote,
  toggleStrike,
  toggleStrong,
} from '#components/editor/rich-text/commands.ts';
import { TableMenu } from '#components/editor/rich-text/table-menu';
import { toolStyle, ToolTrigger } from '#components/editor/rich-text/tool-trigger';
import { MenuChoice, MenuChoices } from '#components/ui/menu-rows';
import { afterMenu, Menu } from '#components/ui/menus';
import { Tip } from '#components/ui/tip';
import { Button } from '#components/ui/buttons';
import { useStore } from '#components/ui/hooks.ts';
import { isComposing, useIsApple } from '#components/ui/keys.ts';
import { loadCode } from '#components/ui/load-code';
import { PopoverSheet } from '#components/ui/layers';
import { useEntries } from '#components/workspace/entries.ts';
import { usePreviewHref } from '#components/workspace/site-of-page';
import { isLinkAddress } from '#components/editor/rich-text/schema.ts';
import { formFieldStyle } from '#components/ui/fields';
import { translator } from '#components/i18n.ts';

const t = translator('richText');

const TextPictureDialog = dynamic(
  () => loadCode(async () => (await import('#components/editor/rich-text/picture-dialog')).TextPictureDialog),
  { ssr: false },
);

interface Tool {
  readonly label: 'bold' | 'italic' | 'strike' | 'code' | 'bullets' | 'numbers' | 'quote';
  readonly icon: LucideIcon;
  readonly isOn: (cursorContext: CursorContext) => boolean;
  readonly command: Command;
  /** Its shortcut, with Ctrl or Command. */
  readonly letter?: string;
}

const marks: readonly Tool[] = [
  { label: 'bold', icon: Bold, isOn: (now) => now.isStrong, command: toggleStrong, letter: 'B' },
  { label: 'italic', icon: Italic, isOn: (now) => now.isEm, command: toggleEm, letter: 'I' },
  { label: 'strike', icon: Strikethrough, isOn: (now) => now.isStrike, command: toggleStrike },
  { label: 'code', icon: Code, isOn: (now) => now.isCode, command: toggleCode, letter: 'E' },
];

const blocks: readonly Tool[] = [
  { label: 'bullets', icon: List, isOn: (now) => now.isBullets, command: toggleBullets },
  { label: 'numbers', icon: ListOrdered, isOn: (now) => now.isNumbers, command: toggleNumbers },
  { label: 'quote', icon: Quote, isOn: (now) => now.isQuote, command: toggleQuote },
];

/** Levels of headings in the menu; 0 is a paragraph. */
const HEADING_LEVELS = [0, 1, 2, 3, 4];

/** Tools of a text that have a form of their own. */
export type TextTool = 'link' | 'picture';

interface TextToolbarProps {
  readonly text: RichText;
  /** Id of the text that the toolbar controls. */
  readonly controls: string;
  /** What is open; null: nothing. */
  readonly opened: TextTool | null;
  readonly onOpen: (tool: TextTool | null) => void;
  readonly className?: string;
}

/** Toolbar for the selected text. The text keeps its cursor while a button is pressed. */
export function TextToolbar({ text, controls, opened, onOpen, className }: TextToolbarProps) {
  const now = useStore(text.cursor);
  const modifier = useIsApple() ? '⌘' : `${t('control')}+`;
  const nameOf = (label: string, letter?: string) =>
    letter === undefined ? label : t('withKeys', { name: label, keys: modifier + letter });
  const toolButton = ({ label, icon: Icon, isOn, command, letter }: Tool, isDisabled: boolean) => (
    <Tip key={label} text={nameOf(t(label), letter)}>
      <Toolbar.Button
        aria-label={t(label)}
        aria-pressed={isOn(now)}
        disabled={isDisabled}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => text.run(command)}
        className={toolStyle}
      >
        <Icon aria-hidden />
      </Toolbar.Button>
    </Tip>
  );
  const hasBlocks = !now.isPlain && now.table === null;
  const close = () => {
    onOpen(null);
    text.view.focus();
  };
  return (
    <Toolbar.Root
      aria-label={t('toolbar')}
      aria-controls={controls}
      className={clsx('flex flex-wrap items-center gap-0.5', className)}
    >
      {marks.map((tool) => toolButton(tool, now.isPlain))}
      <Popover.Root open={opened === 'link'} onOpenChange={(isOpen) => onOpen(isOpen ? 'link' : null)}>
        <Tip text={nameOf(t('link'), 'K')}>
          <Popover.Trigger asChild>
            <Toolbar.Button
              aria-label={t('link')}
              aria-pressed={now.link !== null}
              disabled={now.isPlain}
              onPointerDown={(event) => event.preventDefault()}
              className={toolStyle}
            >
              <Link aria-hidden />
            </Toolbar.Button>
          </Popover.Trigger>
        </Tip>
        <PopoverSheet
          aria-label={t('linkTo')}
          align="start"
          onCloseAutoFocus={(event) => event.preventDefault()}
          onEscapeKeyDown={(event) => {
            event.preventDefault();
            close();
          }}
          className="w-80 max-w-[calc(100vw-1rem)] p-1.5 font-sans"
        >
          <LinkPicker
            href={now.link}
            onPick={(href, words) => {
              onOpen(null);
              text.run(setLink(href, words));
            }}
          />
        </PopoverSheet>
      </Popover.Root>
      <span aria-hidden className="mx-1 h-5 w-px bg-rule" />
      <Menu
        align="start"
        trigger={
          <ToolTrigger label={t('heading')} isOn={now.headingLevel > 0} disabled={!hasBlocks}>
            <Heading aria-hidden />
          </ToolTrigger>
        }
      >
        <MenuChoices
          value={String(now.headingLevel)}
          onValueChange={(level) => afterMenu(() => text.run(setHeading(Number(level))))}
        >
          {HEADING_LEVELS.map((level) => (
            <MenuChoice key={level} value={String(level)}>
              {level === 0 ? t('paragraph') : t('headingLevel', { level })}
            </MenuChoice>
          ))}
        </MenuChoices>
      </Menu>
      {blocks.map((tool) => toolButton(tool, !hasBlocks))}
      <Tip text={t('picture.button')}>
        <Toolbar.Button
          aria-label={t('picture.button')}
          aria-pressed={now.picture !== null}
          disabled={now.isPlain}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onOpen('picture')}
          className={toolStyle}
        >
          <Image aria-hidden />
        </Toolbar.Button>
      </Tip>
      <TableMenu text={text} table={now.table} isDisabled={now.isPlain} />
      {opened === 'picture' && (
        <TextPictureDialog
          picture={now.picture}
          hasCaption={now.table === null}
          onSave={(picture) => {
            onOpen(null);
            afterMenu(() => text.run(setPicture(picture)));
          }}
          onClose={close}
        />
      )}
    </Toolbar.Root>
  );
}

/** A host as people type it, with an optional path. */
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#]\S*)?$/i;
const E_MAIL = /^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/;

/**
 * The link address for a typed text: `mailto:` or `https://` is added where it is missing. Null if the text is no
 * address.
 */
export function addressOf(typed: string): string | null {
  const text = typed.trim();
  if (isLinkAddress(text)) return text;
  if (E_MAIL.test(text)) return `mailto:${text}`;
  const whole = `https://${text}`;
  return HOST.test(text) && isLinkAddress(whole) ? whole : null;
}

interface LinkPickerProps {
  /** Present address of the link; null without a link. */
  readonly href: string | null;
  /** `words`: link text if the selection is empty. Null removes the link. */
  readonly onPick: (href: string | null, words: string) => void;
}

/** Dialog for the target of a link: a page or post of the site, or any address. */
function LinkPicker({ href, onPick }: LinkPickerProps) {
  const [typed, setTyped] = useState(href ?? '');
  const { entries = [], error } = useEntries();
  const previewHref = usePreviewHref();
  const hintId = useId();
  const wanted = typed === href ? '' : typed.trim().toLowerCase();
  const found = entries.filter(({ title, path }) => title.toLowerCase().includes(wanted) || path.includes(wanted));
  const address = addressOf(typed);
  const [first] = wanted === '' ? [] : found;
  const submit = () => {
    const exact = found.find(({ title }) => title.toLowerCase() === wanted);
    const entry = exact ?? (address === null ? first : undefined);
    if (entry) onPick(entry.path, entry.title);
    else if (address !== null) onPick(address, typed.trim());
  };
  const isUnknown = wanted !== '' && address === null && found.length === 0;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // Otherwise the surrounding form would be submitted.
        event.stopPropagation();
        submit();
      }}
    >
      <input
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && isComposing(event)) event.preventDefault();
        }}
        aria-label={t('linkTo')}
        placeholder={t('linkHint')}
        {...(isUnknown && { 'aria-describedby': hintId })}
        autoComplete="off"
        spellCheck={false}
        className={formFieldStyle}
      />
      {isUnknown && (
        <p id={hintId} className="px-2 pt-2 text-xs text-ink-2">
          {t('linkUnknown')}
        </p>
      )}
      {error !== undefined && <p className="px-2 pt-2 text-xs text-ink-2">{t('pagesFailed')}</p>}
      <ul className="my-1 max-h-56 overflow-y-auto">
        {found.map(({ id, path, title }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={path === href ? 'true' : undefined}
              onClick={() => onPick(path, title)}
              className="flex w-full items-baseline gap-2 rounded-md px-2.5 py-1.5 text-left text-sm hover:bg-ink/6 aria-[current]:text-accent"
            >
              <span className="min-w-0 flex-1 truncate">{title}</span>
              <span className="max-w-32 truncate text-2xs text-ink-3">{path}</span>
            </button>
          </li>
        ))}
      </ul>
      <div className="flex justify-end gap-1">
        {href !== null && isLinkAddress(href) && !href.startsWith('#') && (
          <a
            href={href.startsWith('/') ? previewHref(href, 'draft') : href}
            target="_blank"
            rel="noreferrer noopener"
            className="inline-flex items-center gap-1 rounded-md px-2.5 text-sm hover:bg-ink/6 [&_svg]:size-4"
          >
            <ExternalLink aria-hidden />
            {t('linkOpen')}
          </a>
        )}
        {href !== null && (
          <Button variant="ghost" onClick={() => onPick(null, '')}>
            {t('linkRemove')}
          </Button>
        )}
        <Button type="submit" variant="primary" disabled={address === null && first === undefined}>
          {t('linkApply')}
        </Button>
      </div>
    </form>
  );
}
