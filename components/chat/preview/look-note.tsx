import { previewStrings } from '#components/chat/preview/words';
import type { PreviewLook } from '#components/desk/layout-preferences';
import { HELP_PATH } from '#components/desk/navigation';
import { Button } from '#components/ui/buttons';
import type { LookGap } from '#server/core/cms-look';

const say = previewStrings.look;

/** Page of the guide that tells how the companion plugin is installed. */
const GUIDE = `${HELP_PATH}/wordpress#how-a-draft-looks`;

interface LookNoteProps {
  /** What the page says of itself: what is shown, and why not something better (`published no-companion`). */
  readonly look: string;
  readonly onLook: (look: PreviewLook) => void;
}

function gapIn(words: readonly string[]): LookGap | undefined {
  return (Object.keys(say.gaps) as LookGap[]).find((gap) => words.includes(gap));
}

/** Says in whose design a page of a connected site is shown, why, and how that can be another one. */
export function LookNote({ look, onLook }: LookNoteProps) {
  const words = look.split(' ');
  const shown = (['draft', 'published'] as const).find((each) => words.includes(each)) ?? 'ours';
  const gap = gapIn(words);
  const needsPlugin = gap === 'no-companion' || gap === 'old-companion';
  return (
    <output className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-rule bg-paper px-3 py-1.5 text-xs text-ink-2">
      <span className="min-w-48 flex-1">
        {say[shown]}
        {gap !== undefined && ` ${say.gaps[gap]}`}
        {needsPlugin && (
          <>
            {' '}
            <a href={GUIDE} target="_blank" rel="noopener" className="text-accent underline">
              {say.guide}
            </a>
          </>
        )}
      </span>
      {shown !== 'ours' && (
        <Button onClick={() => onLook('ours')} className="h-7! text-xs!">
          {say.toOurs}
        </Button>
      )}
      {shown === 'ours' && gap === undefined && (
        <Button onClick={() => onLook('theirs')} className="h-7! text-xs!">
          {say.toTheirs}
        </Button>
      )}
    </output>
  );
}
