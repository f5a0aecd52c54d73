import { ArrowUpRight } from 'lucide-react';
import { Popover } from 'radix-ui';
import type { ReactNode } from 'react';
import { CopyButton } from '#components/ui/copy-button';
import { focusItself } from '#lib/focus/focus-itself';
import type { LinkTarget } from '#lib/ui/safe-url';
import { strings } from '#lib/strings';

interface ForeignLinkProps {
  readonly target: LinkTarget & { readonly foreignHost: string };
  readonly children: ReactNode;
}

/**
 * A link to a site that nobody vouches for. It shows where it leads whatever its text says, and opens only after the
 * whole address was in view: what a model has read could be in it.
 */
export function ForeignLink({ target: { href, foreignHost, carried }, children }: ForeignLinkProps) {
  return (
    <Popover.Root>
      {/* No address in the page before somebody asks: browsers look up the hosts of links ahead of time. */}
      <Popover.Trigger className="inline cursor-pointer rounded text-left text-accent underline decoration-accent/40 decoration-dotted underline-offset-3 hover:decoration-accent">
        {children}
        <span className="ml-1 font-sans text-[0.72em] text-ink-3 no-underline">({foreignHost})</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={strings.link.title}
          onOpenAutoFocus={focusItself}
          sideOffset={6}
          collisionPadding={12}
          className="z-50 flex w-[min(26rem,calc(100vw-1.5rem))] animate-rise flex-col gap-3 rounded-xl border border-rule bg-sheet p-4 font-sans text-sm shadow-sheet outline-none"
        >
          <p className="font-serif text-lg font-medium">{strings.link.title}</p>
          <p className="text-ink-2">
            {strings.link.body(foreignHost)}
            {carried > 0 && ` ${strings.link.carries(carried)}`}
          </p>
          <div className="flex items-start gap-1 rounded-md bg-desk py-1.5 pr-1.5 pl-2.5">
            <code
              aria-label={strings.link.address}
              className="max-h-32 min-w-0 flex-1 overflow-y-auto text-xs break-all"
            >
              {href}
            </code>
            <CopyButton text={href} label={strings.link.copy} />
          </div>
          <div className="flex justify-end gap-2">
            <Popover.Close className="inline-flex h-8 items-center rounded-md px-3 font-medium text-ink-2 hover:bg-ink/6 hover:text-ink">
              {strings.common.cancel}
            </Popover.Close>
            <Popover.Close asChild>
              <a
                href={href}
                target="_blank"
                rel="noopener noreferrer nofollow"
                className="inline-flex h-8 items-center gap-1 rounded-md border border-rule-strong bg-sheet px-3 font-medium hover:border-ink-3"
              >
                {strings.link.open}
                <ArrowUpRight aria-hidden className="size-3.5" />
              </a>
            </Popover.Close>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
