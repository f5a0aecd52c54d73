'use client';

import type { ReactNode } from 'react';
import { useMayPublish, useMe } from '#components/access/access-client';
import { useCapabilities, useEntries } from '#components/desk/entries';
import { LookForm, useLook } from '#components/site/look-form';
import { MenuForm, useMenu } from '#components/site/menu-form';
import type { SiteDocumentEditor } from '#components/site/use-site-document';
import { siteSettingsStrings } from '#components/site/words';
import { Button } from '#components/ui/buttons';
import { focusSince } from '#components/ui/focus';
import { useHasBeen } from '#components/ui/hooks';
import { NotLoaded } from '#components/ui/notices';
import { PageTitle, Section } from '#components/ui/page-parts';
import { Problem } from '#components/ui/submit';
import { UnsavedGuard } from '#components/ui/unsaved-guard';

const say = siteSettingsStrings;

/** Name, look and menu of the site. */
export function SiteSettingsScreen() {
  const look = useLook();
  const menu = useMenu();
  const can = useCapabilities();
  const me = useMe();
  const mayPublish = useMayPublish();
  const { isWhole, error: noEntries } = useEntries();
  const isThere = useHasBeen(
    look.base !== null && menu.base !== null && can !== undefined && me !== undefined && isWhole,
  );
  const error = look.error ?? menu.error ?? (noEntries instanceof Error ? noEntries : undefined);
  const whyNot = (isAble: boolean) => (mayPublish ? (isAble ? null : say.notInCms) : say.editorsOnly);
  return (
    <>
      <PageTitle title={say.title} intro={say.intro} />
      {isThere && can !== undefined ? (
        <>
          <Part editor={look} title={say.look.title} whyNot={whyNot(can.settings)}>
            <LookForm
              editor={look}
              isInWordPress={can.backend === 'wordpress'}
              isReadOnly={whyNot(can.settings) !== null}
            />
          </Part>
          <Part editor={menu} title={say.menu.title} intro={say.menu.intro} whyNot={whyNot(can.navigation)}>
            <MenuForm
              editor={menu}
              redirects={look.base?.redirects ?? ''}
              isInWordPress={can.backend === 'wordpress'}
              isReadOnly={whyNot(can.navigation) !== null}
            />
          </Part>
        </>
      ) : (
        <NotLoaded
          title={say.failed}
          error={error}
          loading={say.loading}
          onRetry={() => Promise.all([look.reload(), menu.reload()])}
        />
      )}
      <UnsavedGuard isDirty={look.isDirty || menu.isDirty} {...say.leave} />
    </>
  );
}

interface PartProps<T> {
  readonly editor: SiteDocumentEditor<T>;
  readonly title: string;
  readonly intro?: string;
  /** Reason why it can only be looked at; null: it can be changed. */
  readonly whyNot: string | null;
  readonly children: ReactNode;
}

/** A part of the page that is saved by itself. */
function Part<T>({ editor, title, intro, whyNot, children }: PartProps<T>) {
  const { isDirty, isSaving, failure } = editor;
  const save = async (form: HTMLFormElement) => {
    const focus = focusSince();
    if (await editor.save()) return;
    // What is refused is marked with the next rendering.
    setTimeout(() => {
      if (!focus.mayMove()) return;
      const wrong = [...form.querySelectorAll<HTMLElement>('[aria-invalid="true"]')];
      wrong.find((field) => field.checkVisibility())?.focus();
    });
  };
  if (whyNot !== null)
    return (
      <Section title={title} intro={whyNot}>
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
          {/* Once all is saved, it keeps the focus. */}
          <Button type="submit" variant="primary" className="h-9" aria-disabled={!isDirty || isSaving}>
            {isSaving ? say.saving : say.save}
          </Button>
          {isDirty && (
            <>
              <Button
                variant="ghost"
                className="h-9"
                disabled={isSaving}
                onClick={({ currentTarget }) => {
                  // The button goes with what it discards.
                  currentTarget.form?.querySelector<HTMLElement>('[type="submit"]')?.focus();
                  editor.discard();
                }}
              >
                {say.discard}
              </Button>
              <span className="text-sm font-medium text-amber">{say.unsaved}</span>
            </>
          )}
        </div>
      </form>
    </Section>
  );
}
