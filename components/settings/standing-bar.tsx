import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import type { StandingReport } from '#server/core/site/standing-instructions';
import type { StandingEditor } from '#components/settings/use-standing-draft.ts';

const t = translator('settings');

const texts = translator('settings.standing');

interface StandingBarProps {
  readonly saved: StandingReport;
  readonly editor: StandingEditor;
  readonly onSave: () => void;
}

/** Token cost of the standing instructions, and buttons for unsaved changes. */
export function StandingBar({ saved: { tokens, maxTokens }, editor, onSave }: StandingBarProps) {
  const { isDirty, isSaving, failure } = editor;
  return (
    <div className="pt-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="min-w-0 flex-1 basis-52 text-sm text-ink-2 tabular-nums">
          {texts('tokens', { tokens, most: maxTokens })}
          {isDirty && <span className="ml-2 font-medium text-amber">{t('sources.changed')}</span>}
        </p>
        <div className="flex gap-2">
          {isDirty && (
            <Button variant="ghost" className="h-9" disabled={isSaving} onClick={editor.discard}>
              {t('save.discard')}
            </Button>
          )}
          {/* Keeps the focus after saving. */}
          <Button
            variant="primary"
            className="h-9"
            aria-disabled={!isDirty || isSaving}
            onClick={() => isDirty && !isSaving && onSave()}
          >
            {isSaving ? t('save.saving') : texts('save')}
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
