import type { ComponentProps, MouseEvent } from 'react';
import { goTo } from '#lib/desk/navigation';

interface DeskLinkProps extends ComponentProps<'a'> {
  readonly href: string;
}

function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

/** A link within the desk: a plain click stays on the page, any other behaves as links do. */
export function DeskLink({ href, onClick, children, ...props }: DeskLinkProps) {
  return (
    <a
      href={href}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !isPlainClick(event)) return;
        event.preventDefault();
        goTo(href);
      }}
      {...props}
    >
      {children}
    </a>
  );
}
