import { Button } from '#components/ui/button';
import type { DraftState } from '#lib/settings/use-settings-draft';
import { settingsStrings } from '#lib/strings/settings';

interface SaveBarProps {
  readonly draft: DraftState;
  /** Goes to the first setting that has to be corrected. */
  readonly onShowProblem: () => void;
  readonly onDiscard: () => void;
}

/** How much is changed, and the two ways on; it stays in sight while there is something to save. */
export function SaveBar({ draft, onShowProblem, onDiscard }: SaveBarProps) {
  const { changed, problems, failure, isSaving } = draft;
  const wrong = Object.keys(problems).length;
  if (changed.length === 0) return null;
  return (
    <section
      aria-label={settingsStrings.save.label}
      className="sticky bottom-4 z-20 flex animate-rise flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border border-rule-strong bg-sheet px-4 py-3 shadow-sheet"
    >
      <div className="min-w-40 flex-1 text-sm">
        <output className="font-medium">{settingsStrings.save.changes(changed.length)}</output>
        {wrong > 0 && (
          <button
            type="button"
            onClick={onShowProblem}
            className="ml-3 rounded text-red underline decoration-1 underline-offset-2"
          >
            {settingsStrings.save.wrong(wrong)}
          </button>
        )}
        {failure !== null && (
          <p role="alert" className="text-red">
            {failure}
          </p>
        )}
      </div>
      <div className="ml-auto flex gap-2">
        <Button variant="ghost" className="h-9" disabled={isSaving} onClick={onDiscard}>
          {settingsStrings.save.discard}
        </Button>
        <Button type="submit" variant="primary" className="h-9 min-w-20" disabled={isSaving}>
          {isSaving ? settingsStrings.save.saving : settingsStrings.save.save}
        </Button>
      </div>
    </section>
  );
}
