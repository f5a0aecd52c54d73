import { ArrowUpRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { CopyButton } from '#components/ui/controls/copy-button';
import { focusItself } from '#components/ui/focus/focus.ts';
import { Popover } from '#components/ui/menus';
import type { LinkTarget } from '#components/ui/safe-url.ts';

const t = translator('outsideLink');
const tShared = translator('shared');

interface ExternalLinkProps {
  readonly target: LinkTarget & { readonly externalHost: string };
  readonly children: ReactNode;
}

/**
 * A link to an untrusted site. It shows its target regardless of its text, and opens only after the whole address was
 * displayed, because the address could contain text that the model has read.
 */
export function ExternalLinkButton({ target: { href, externalHost, carried }, children }: ExternalLinkProps) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      // The page contains no address before the click, because browsers resolve the hosts of links ahead of time.
      trigger={
        <button
          type="button"
          className="inline cursor-pointer rounded text-left text-accent underline decoration-accent/40 decoration-dotted underline-offset-3 hover:decoration-accent"
        >
          {children}
          <span className="ml-1 font-sans text-[0.72em] text-ink-3 no-underline">({externalHost})</span>
        </button>
      }
      aria-label={t('title')}
      onOpenAutoFocus={focusItself}
      collisionPadding={12}
      className="flex w-[min(26rem,calc(100vw-1.5rem))] flex-col gap-3 p-4 font-sans text-sm outline-none"
    >
      <p className="font-serif text-lg font-medium">{t('title')}</p>
      <p className="text-ink-2">
        {t('body', { host: externalHost })}
        {carried > 0 && ` ${t('carries', { characters: carried })}`}
      </p>
      <div className="flex items-start gap-1 rounded-md bg-desk py-1.5 pr-1.5 pl-2.5">
        <code aria-label={t('address')} className="max-h-32 min-w-0 flex-1 overflow-y-auto text-xs break-all">
          {href}
        </code>
        <CopyButton text={href} label={t('copy')} />
      </div>
      <div className="flex justify-end gap-2">
        <button
          type="button"
          onClick={close}
          className="inline-flex h-8 items-center rounded-md px-3 font-medium text-ink-2 hover:bg-ink/6 hover:text-ink"
        >
          {tShared('common.cancel')}
        </button>
        <a
          href={href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          onClick={close}
          className="inline-flex h-8 items-center gap-1 rounded-md border border-rule-strong bg-sheet px-3 font-medium hover:border-ink-3"
        >
          {t('open')}
          <ArrowUpRight aria-hidden className="size-3.5" />
        </a>
      </div>
    </Popover>
  );
}
