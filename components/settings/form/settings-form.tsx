import { translator } from '#components/i18n.ts';
import { type ReactNode, useRef } from 'react';
import { type DraftState, useSettingsDraft } from '#components/settings/form/setting-draft.ts';
import { SettingsGroup } from '#components/settings/form/settings-group';
import { Button } from '#components/ui/buttons';
import { UnsavedGuard } from '#components/ui/dialogs/unsaved-guard';
import { focusSince } from '#components/ui/focus/focus.ts';
import type { SettingGroup, SettingsReport } from '#server/core/admin/settings-report';

const t = translator('settings');

/** Renders the fields of a group of settings. */
export type RenderGroup = (group: SettingGroup) => ReactNode;

interface SettingsFormProps {
  readonly report: SettingsReport;
  /** Called with the settings in force after a save. */
  readonly onSaved: (report: SettingsReport) => void;
  /** Unsaved changes in sections between the groups, which save on their own. */
  readonly unsavedElsewhere: number;
  /** The groups, with sections that save on their own between them. */
  readonly children: (group: RenderGroup) => ReactNode;
}

/** The settings of one page, which are saved together. */
export function SettingsForm({ report, onSaved, unsavedElsewhere, children }: SettingsFormProps) {
  const draft = useSettingsDraft(report, onSaved);
  const unsaved = draft.changed.length + unsavedElsewhere;
  const form = useRef<HTMLFormElement>(null);

  const focusProblem = () => {
    const row = form.current?.querySelector('[data-invalid="true"]');
    row?.querySelector<HTMLElement>(':is(input, button)[aria-invalid="true"], :is(input, button, select)')?.focus();
  };
  const focusForm = () => form.current?.focus({ preventScroll: true });
  const save = async () => {
    const focus = focusSince();
    const isSaved = await draft.save();
    // The next render marks refused fields and removes the bar with the button.
    setTimeout(() => {
      if (!focus.mayMove()) return;
      if (!isSaved) focusProblem();
      else if (!document.activeElement?.matches('input')) focusForm();
    });
  };

  return (
    <form
      ref={form}
      noValidate
      tabIndex={-1}
      aria-label={t('title')}
      className="outline-none"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {children((group) => (
        <SettingsGroup key={group} group={group} report={report} draft={draft} />
      ))}
      <SaveBar
        draft={draft}
        onShowProblem={focusProblem}
        onDiscard={() => {
          draft.discard();
          focusForm();
        }}
      />
      <UnsavedGuard
        isDirty={unsaved > 0}
        title={t('leave.title')}
        body={t('leave.body', { count: unsaved })}
        leave={t('leave.leave')}
      />
    </form>
  );
}

interface SaveBarProps {
  readonly draft: DraftState;
  /** Moves to the first setting with a problem. */
  readonly onShowProblem: () => void;
  readonly onDiscard: () => void;
}

/** Number of unsaved changes with buttons to save or discard them; hidden if there are none. */
function SaveBar({ draft, onShowProblem, onDiscard }: SaveBarProps) {
  const { changed, problems, failure, isSaving } = draft;
  const wrong = Object.keys(problems).length;
  if (changed.length === 0) return null;
  return (
    <section
      aria-label={t('save.label')}
      className="sticky bottom-4 z-20 flex animate-rise flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border border-rule-strong bg-sheet px-4 py-3 shadow-sheet"
    >
      <div className="min-w-40 flex-1 text-sm">
        <output className="font-medium">{t('save.changes', { count: changed.length })}</output>
        {wrong > 0 && (
          <button
            type="button"
            onClick={onShowProblem}
            className="ml-3 rounded text-red underline decoration-1 underline-offset-2"
          >
            {t('save.wrong', { count: wrong })}
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
          {t('save.discard')}
        </Button>
        <Button type="submit" variant="primary" className="h-9 min-w-20" disabled={isSaving}>
          {isSaving ? t('save.saving') : t('save.save')}
        </Button>
      </div>
    </section>
  );
}
