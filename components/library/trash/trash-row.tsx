import { FileText, Newspaper } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { TimeAgo } from '#components/admin/time-ago';
import { Button } from '#components/ui/button';
import { conversationOf } from '#lib/changes/conversation-of';
import { restoreFromTrash } from '#lib/library/use-trash';
import { messageOf } from '#lib/ui/message-of';
import { sessionPath } from '#lib/desk/navigation';
import { passOnFocus } from '#lib/focus/pass-on-focus';
import { libraryStrings } from '#lib/strings/library';
import { useMe } from '#lib/api/use-me';
import type { ChangeSet } from '#server/core/content';
import type { TrashItem } from '#server/core/trash';

const say = libraryStrings.trash;

/** Something that was deleted: what it was, who deleted it and when, and the way back. */
export function TrashRow({ item }: { readonly item: TrashItem }) {
  const [isRestoring, setIsRestoring] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const restore = async () => {
    if (isRestoring) return;
    setIsRestoring(true);
    setFailure(null);
    try {
      await restoreFromTrash(item);
    } catch (error) {
      setFailure(say.restoreFailed(messageOf(error)));
    } finally {
      setIsRestoring(false);
    }
  };
  return (
    <li ref={passOnFocus} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-rule py-3.5">
      <Sign item={item} />
      <div className="min-w-0 flex-1 basis-44">
        <p className="text-base font-medium [overflow-wrap:anywhere]">
          {item.title}
          {item.type !== 'asset' && (
            <span className="ml-2 text-sm font-normal text-ink-3">{say.address(item.slug)}</span>
          )}
        </p>
        <p className="text-sm text-ink-2">
          {say.types[item.type]}
          {item.change && <Deletion change={item.change} />}
        </p>
      </div>
      <Button aria-label={say.restoreLabel(item.title)} aria-disabled={isRestoring} onClick={() => void restore()}>
        {isRestoring ? say.restoring : say.restore}
      </Button>
      {failure !== null && (
        <p role="alert" className="w-full text-sm text-red">
          {failure}
        </p>
      )}
    </li>
  );
}

function Sign({ item }: { readonly item: TrashItem }) {
  const box = 'flex size-10 shrink-0 items-center justify-center overflow-hidden rounded-md bg-ink/6 text-ink-3';
  if (item.type === 'asset') {
    return (
      <span className={box}>
        <img src={item.thumbnailUrl} alt={item.alt} className="size-full object-cover" />
      </span>
    );
  }
  const Icon = item.type === 'page' ? FileText : Newspaper;
  return (
    <span aria-hidden className={box}>
      <Icon className="size-5 stroke-[1.5]" />
    </span>
  );
}

/** Who deleted it, when, and where that was asked for. */
function Deletion({ change: { origin, createdAt, summary } }: { readonly change: ChangeSet }) {
  const { actor, userName } = origin;
  const sessionId = conversationOf(origin, useMe()?.id);
  return (
    <>
      {' · '}
      {userName === undefined ? say.deletedBy[actor] : `${say.deletedFor[actor]} ${userName}`}
      {' · '}
      <TimeAgo time={createdAt} />
      {sessionId !== null && (
        <>
          {' · '}
          <Link
            href={sessionPath(sessionId)}
            prefetch={false}
            aria-label={say.conversationLabel(summary)}
            className="underline decoration-rule-strong underline-offset-2 hover:text-ink hover:decoration-ink"
          >
            {say.conversation}
          </Link>
        </>
      )}
    </>
  );
}
