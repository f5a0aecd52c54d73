import type { ReactNode } from 'react';
import { Button } from '#components/ui/button';

interface NoticeProps {
  readonly title: string;
  readonly body?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly icon?: ReactNode;
}

/** A short, centred word in the place of content that is missing. */
export function Notice({ title, body, action, icon }: NoticeProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center text-ink-2">
      {icon}
      <p className="text-base">{title}</p>
      {body === undefined ? null : <p className="text-sm text-ink-3">{body}</p>}
      {action && (
        <Button className="mt-2" onClick={action.run}>
          {action.label}
        </Button>
      )}
    </div>
  );
}
