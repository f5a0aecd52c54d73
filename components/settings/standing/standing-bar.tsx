import { Button } from '#components/ui/button';
import type { StandingEditor } from '#lib/settings/use-standing-draft';
import { settingsStrings } from '#lib/strings/settings';
import type { StandingReport } from '#server/core/content';

const say = settingsStrings.standing;

interface StandingBarProps {
  readonly saved: StandingReport;
  readonly editor: StandingEditor;
  readonly onSave: () => void;
}

/** What the standing instructions cost, and the ways on while something is not saved. */
export function StandingBar({ saved: { tokens, maxTokens }, editor, onSave }: StandingBarProps) {
  const { isDirty, isSaving, failure } = editor;
  return (
    <div className="pt-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="min-w-0 flex-1 basis-52 text-sm text-ink-2 tabular-nums">
          {say.tokens(tokens, maxTokens)}
          {isDirty && <span className="ml-2 font-medium text-amber">{settingsStrings.sources.changed}</span>}
        </p>
        <div className="flex gap-2">
          {isDirty && (
            <Button variant="ghost" className="h-9" disabled={isSaving} onClick={editor.discard}>
              {settingsStrings.save.discard}
            </Button>
          )}
          {/* Once all is saved, it keeps the focus. */}
          <Button
            variant="primary"
            className="h-9"
            aria-disabled={!isDirty || isSaving}
            onClick={() => isDirty && !isSaving && onSave()}
          >
            {isSaving ? settingsStrings.save.saving : say.save}
          </Button>
        </div>
      </div>
      <div aria-hidden className="mt-3 h-1 overflow-hidden rounded-full bg-rule">
        <div
          className="h-full rounded-full bg-accent"
          style={{ width: `${Math.min(100, (100 * tokens) / maxTokens)}%` }}
        />
      </div>
      {failure !== null && (
        <p role="alert" className="mt-3 text-sm text-red">
          {failure}
        </p>
      )}
    </div>
  );
}
