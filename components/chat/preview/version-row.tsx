import { useId, useState } from 'react';
import { RowToggle } from '#components/changes/row-toggle';
import { ChangeDetail } from '#components/changes/change-detail';
import { Button } from '#components/ui/button';
import { whoMade } from '#lib/changes/who-made';
import { dayAndTime } from '#lib/ui/format';
import { changesStrings } from '#lib/strings/changes';
import type { Version } from '#server/core/content';

const say = changesStrings;

interface VersionRowProps {
  readonly version: Version;
  readonly isCurrent: boolean;
  /** The change that made it; null: not known (yet). */
  readonly changeId: string | null;
  readonly onRestore: () => void;
}

/** One version: when and by whom it was made, what was done, and the way back to it. */
export function VersionRow({ version, isCurrent, changeId, onRestore }: VersionRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const when = dayAndTime(version.createdAt);
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <RowToggle isOpen={isOpen} controls={id} onToggle={() => setIsOpen(!isOpen)} className="min-w-48">
          <span className="min-w-0 [overflow-wrap:anywhere]">{version.summary}</span>
        </RowToggle>
        {isCurrent ? (
          <span className="px-2 py-0.5 text-xs text-ink-3">{say.history.current}</span>
        ) : (
          <Button aria-label={say.history.restoreLabel(when)} onClick={onRestore} className="h-7! px-2! text-xs!">
            {say.history.restore}
          </Button>
        )}
      </div>
      <p className="flex flex-wrap gap-x-3 pl-5.5 text-xs text-ink-3">
        <time dateTime={new Date(version.createdAt).toISOString()}>{when}</time>
        <span>{whoMade(version)}</span>
        {version.isPublished && <span className="text-accent">{say.history.wasPublished}</span>}
      </p>
      <div id={id} hidden={!isOpen} className="mt-2 mb-1 ml-5.5">
        {isOpen && changeId !== null && <ChangeDetail changeId={changeId} />}
      </div>
    </li>
  );
}
