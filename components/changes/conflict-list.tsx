import { changesStrings } from '#lib/strings/changes';
import { whoMade } from '#lib/changes/who-made';
import { dayAndTime } from '#lib/ui/format';
import type { ChangeSet, Conflict } from '#server/core/content';

const say = changesStrings;

interface ConflictListProps {
  readonly conflicts: readonly Conflict[];
}

/** What stays in spite of an undo, each with who changed the same thing later. */
export function ConflictList({ conflicts }: ConflictListProps) {
  const staying = new Set(conflicts.map(({ change }) => change.id));
  return (
    <ul className="flex flex-col gap-3">
      {conflicts.map(({ change, blockedBy, message }) => (
        <li key={change.id} className="border-l-2 border-amber pl-3 text-sm">
          <p className="[overflow-wrap:anywhere]">{change.summary}</p>
          {blockedBy.length === 0 ? (
            <p className="text-ink-3">{message}</p>
          ) : (
            <ul aria-label={say.dialog.later} className="mt-0.5 text-ink-3">
              {foreign(blockedBy, staying).map((later) => (
                <li key={later.id} className="[overflow-wrap:anywhere]">
                  {say.dialog.laterBy(whoMade(later.origin), dayAndTime(later.createdAt))}: {later.summary}
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Those that are the reason, without those that stay only because of them. */
function foreign(blockedBy: readonly ChangeSet[], staying: ReadonlySet<string>): readonly ChangeSet[] {
  const others = blockedBy.filter(({ id }) => !staying.has(id));
  return others.length > 0 ? others : blockedBy;
}
