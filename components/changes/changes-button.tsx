import { FileDiff } from 'lucide-react';
import { IconButton } from '#components/ui/icon-button';
import { countStanding } from '#lib/changes/group-changes';
import { useChanges } from '#lib/changes/use-changes';
import { askDesk } from '#lib/desk/desk-requests';
import { changesStrings } from '#lib/strings/changes';

const say = changesStrings;
/** More than that is no figure for a badge. */
const MOST = 99;

/** Opens what the conversation changed, and says how much of it stands. */
export function ChangesButton({ sessionId }: { readonly sessionId: string }) {
  const { items } = useChanges({ sessionId });
  const count = countStanding(items ?? []);
  return (
    <span className="relative">
      <IconButton
        label={say.open(count)}
        icon={<FileDiff aria-hidden />}
        onClick={() => askDesk('show-changes', { turnId: null })}
      />
      {count > 0 && (
        <span
          aria-hidden
          className="pointer-events-none absolute -top-0.5 -right-0.5 min-w-4 rounded-full bg-accent px-1 text-center text-2xs leading-4 font-medium text-accent-ink tabular-nums"
        >
          {count > MOST ? `${MOST}+` : count}
        </span>
      )}
    </span>
  );
}
