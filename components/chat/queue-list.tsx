import { Clock } from 'lucide-react';
import type { QueueItem } from '#lib/chat-session';
import { strings } from '#lib/strings';

/** Messages that wait until the running turn has ended. */
export function QueueList({ items }: { readonly items: readonly QueueItem[] }) {
  if (items.length === 0) return null;
  return (
    <ol
      aria-label={strings.queue.label}
      className="mx-3 rounded-t-xl border border-b-0 border-rule-strong bg-paper px-3 py-1.5"
    >
      {items.map((item, index) => (
        <li key={item.id} className="flex animate-rise items-center gap-2 py-1 text-sm">
          <Clock aria-hidden className="size-3.5 shrink-0 text-ink-3" />
          <span className="min-w-0 flex-1 truncate">{item.text}</span>
          <span className="text-xs text-ink-3">
            {index === 0 ? strings.queue.waiting : strings.queue.waitingAfter(index + 1)}
          </span>
        </li>
      ))}
    </ol>
  );
}
