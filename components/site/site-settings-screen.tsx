'use client';

import type { ReactNode } from 'react';
import { useMayPublish, useMe } from '#components/access/access-client.ts';
import { useCapabilities, useEntries } from '#components/workspace/entries.ts';
import { ThemeForm, useThemeSettings } from '#components/site/theme-form';
import { MenuForm, useMenu } from '#components/site/menu-form';
import type { SiteDocumentEditor } from '#components/site/use-site-document.ts';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { focusSince, focusSubmitOf } from '#components/ui/focus/focus.ts';
import { useHasBeen } from '#components/ui/hooks.ts';
import { NotLoaded } from '#components/ui/notices';
import { PageTitle, Section } from '#components/ui/page-parts';
import { Problem } from '#components/ui/dialogs/submit';
import { UnsavedGuard } from '#components/ui/dialogs/unsaved-guard';

const t = translator('siteSettings');

/** Name, theme and menu of the site. */
export function SiteSettingsScreen() {
  const theme = useThemeSettings();
  const menu = useMenu();
  const can = useCapabilities();
  const me = useMe();
  const mayPublish = useMayPublish();
  const { isWhole, error: entriesError } = useEntries();
  const isLoaded = useHasBeen(
    theme.base !== null && menu.base !== null && can !== undefined && me !== undefined && isWhole,
  );
  const error = theme.error ?? menu.error ?? (entriesError instanceof Error ? entriesError : undefined);
  /** Text that explains why a part is read-only; null if it can be changed. `isAble`: the CMS supports it. */
  const readOnlyReason = (isAble: boolean) => (mayPublish ? (isAble ? null : t('notInCms')) : t('editorsOnly'));
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')} />
      {isLoaded && can !== undefined ? (
        <>
          <Part editor={theme} title={t('look.title')} readOnlyReason={readOnlyReason(can.settings)}>
            <ThemeForm
              editor={theme}
              isInWordPress={can.backend === 'wordpress'}
              isReadOnly={readOnlyReason(can.settings) !== null}
            />
          </Part>
          <Part
            editor={menu}
            title={t('menu.title')}
            intro={t('menu.intro')}
            readOnlyReason={readOnlyReason(can.navigation)}
          >
            <MenuForm
              editor={menu}
              redirects={theme.base?.redirects ?? ''}
              isInWordPress={can.backend === 'wordpress'}
              isReadOnly={readOnlyReason(can.navigation) !== null}
            />
          </Part>
        </>
      ) : (
        <NotLoaded
          title={t('failed')}
          error={error}
          loading={t('loading')}
          onRetry={() => Promise.all([theme.reload(), menu.reload()])}
        />
      )}
      <UnsavedGuard
        isDirty={theme.isDirty || menu.isDirty}
        title={t('leave.title')}
        body={t('leave.body')}
        leave={t('leave.leave')}
      />
    </>
  );
}

interface PartProps<T> {
  readonly editor: SiteDocumentEditor<T>;
  readonly title: string;
  readonly intro?: string;
  /** Reason why the part is read-only; null if it can be changed. */
  readonly readOnlyReason: string | null;
  readonly children: ReactNode;
}

/** A part of the page that is saved separately. */
function Part<T>({ editor, title, intro, readOnlyReason, children }: PartProps<T>) {
  const { isDirty, isSaving, failure } = editor;
  const save = async (form: HTMLFormElement) => {
    const focus = focusSince();
    if (await editor.save()) return;
    // The next render marks refused fields.
    setTimeout(() => {
      if (!focus.mayMove()) return;
      const wrong = [...form.querySelectorAll<HTMLElement>('[aria-invalid="true"]')];
      wrong.find((field) => field.checkVisibility())?.focus();
    });
  };
  if (readOnlyReason !== null)
    return (
      <Section title={title} intro={readOnlyReason}>
        {children}
      </Section>
    );
  return (
    <Section title={title} {...(intro !== undefined && { intro })}>
      <form
        noValidate
        aria-label={title}
        className="max-w-2xl"
        onSubmit={(event) => {
          event.preventDefault();
          if (isDirty && !isSaving) void save(event.currentTarget);
        }}
      >
        {children}
        <Problem text={failure} className="mt-5" />
        <div className="mt-5 flex flex-wrap items-center gap-2">
          {/* Keeps the focus after saving. */}
          <Button type="submit" variant="primary" className="h-9" aria-disabled={!isDirty || isSaving}>
            {isSaving ? t('saving') : t('save')}
          </Button>
          {isDirty && (
            <>
              <Button
                variant="ghost"
                className="h-9"
                disabled={isSaving}
                onClick={({ currentTarget }) => {
                  focusSubmitOf(currentTarget);
                  editor.discard();
                }}
              >
                {t('discard')}
              </Button>
              <span className="text-sm font-medium text-amber">{t('unsaved')}</span>
            </>
          )}
        </div>
      </form>
    </Section>
  );
}
