import { translator } from '#components/i18n.ts';
import type { PreviewTheme } from '#components/workspace/layout-preferences.ts';
import { HELP_PATH } from '#components/workspace/navigation.ts';
import { Button } from '#components/ui/buttons';
import type { ThemeGap } from '#server/core/site/theme';

const t = translator('preview');

const gaps = ['no-companion', 'old-companion', 'no-page', 'failed'] as const satisfies readonly ThemeGap[];

/** Page of the guide that explains how to install the companion plugin. */
const GUIDE = `${HELP_PATH}/wordpress#how-a-draft-looks`;

interface ThemeNoteProps {
  /** The page's own report of its design, and why it is not a better one (`published no-companion`). */
  readonly design: string;
  readonly onTheme: (theme: PreviewTheme) => void;
}

/** The reason for not showing a better design that the report names; undefined if it names none. */
function gapIn(words: readonly string[]): ThemeGap | undefined {
  return gaps.find((gap) => words.includes(gap));
}

/** Explains in which design a page of a connected site is shown, why, and how to change that. */
export function ThemeNote({ design, onTheme }: ThemeNoteProps) {
  const words = design.split(' ');
  const shown = (['draft', 'published'] as const).find((each) => words.includes(each)) ?? 'ours';
  const gap = gapIn(words);
  const needsPlugin = gap === 'no-companion' || gap === 'old-companion';
  return (
    <output className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-rule bg-paper px-3 py-1.5 text-xs text-ink-2">
      <span className="min-w-48 flex-1">
        {t(`look.${shown}`)}
        {gap !== undefined && ` ${t(`look.gaps.${gap}`)}`}
        {needsPlugin && (
          <>
            {' '}
            <a href={GUIDE} target="_blank" rel="noopener" className="text-accent underline">
              {t('look.guide')}
            </a>
          </>
        )}
      </span>
      {shown !== 'ours' && (
        <Button onClick={() => onTheme('ours')} className="h-7! text-xs!">
          {t('look.toOurs')}
        </Button>
      )}
      {shown === 'ours' && gap === undefined && (
        <Button onClick={() => onTheme('theirs')} className="h-7! text-xs!">
          {t('look.toTheirs')}
        </Button>
      )}
    </output>
  );
}
