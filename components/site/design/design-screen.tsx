'use client';

import { useState } from 'react';
import { fieldInWords } from '#components/message-text.ts';
import { useMayPublish } from '#components/access/access-client.ts';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { undoOne } from '#components/changes/undo-actions.ts';
import { translator } from '#components/i18n.ts';
import { DesignForm } from '#components/site/design/design-form';
import { DesignPreview } from '#components/site/design/design-preview';
import { isPaletteComplete } from '#components/site/design/palette-fields';
import { useDesign } from '#components/site/design/use-design.ts';
import { changedParts, type Design } from '#server/core/site/design/design';
import { Button } from '#components/ui/buttons';
import { Problem } from '#components/ui/dialogs/submit';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import { UnsavedGuard } from '#components/ui/dialogs/unsaved-guard';
import { focusSubmitOf } from '#components/ui/focus/focus.ts';
import { useHasBeen } from '#components/ui/hooks.ts';
import { Notice, NotLoaded } from '#components/ui/notices';
import { PageTitle } from '#components/ui/page-parts';
import { showWritten } from '#components/workspace/content-cache.ts';
import { usePreviewHref } from '#components/workspace/site-of-page';

const t = translator('design');
const tChanges = translator('changes');

const partName = (name: keyof Design) => fieldInWords(name);

/** Colours, fonts, header and footer of the site, with a preview of the start page. */
export function DesignScreen() {
  const editor = useDesign();
  const { data, mutate } = useApi(paths.design);
  const { data: settings, error: settingsError } = useApi(paths.settings);
  const { data: can, error: canError } = useApi(paths.capabilities);
  const { data: me, error: meError } = useApi(paths.me);
  const mayPublish = useMayPublish();
  const previewHref = usePreviewHref();
  const [isPublishing, setIsPublishing] = useState(false);
  const { draft, base, isDirty, isSaving, failure } = editor;
  const isLoaded = useHasBeen(draft !== null && settings !== undefined && can !== undefined && me !== undefined);
  if (!isLoaded || draft === null || base === null || settings === undefined || can === undefined)
    return (
      <>
        <PageTitle title={t('title')} intro={t('intro')} />
        <NotLoaded
          title={t('failed')}
          error={editor.error ?? settingsError ?? canError ?? meError}
          loading={t('loading')}
          onRetry={() => editor.reload()}
        />
      </>
    );
  if (!can.design)
    return (
      <>
        <PageTitle title={t('title')} />
        <Notice title={t('notHere')} body={t('notHereBody')} />
      </>
    );
  const published = data?.published ?? null;
  const isWaiting = data?.hasUnpublishedChanges === true;
  const isUntouched = data?.revision === 0;
  const hasProblems = !isPaletteComplete(draft.palette);
  const publish = async () => {
    setIsPublishing(true);
    try {
      const { change } = await api.publishDesign();
      showWritten([change]);
      await mutate();
      toastWithAction(t('published'), tChanges('undo'), async () => {
        await undoOne(change);
        await mutate();
      });
    } catch (error) {
      reportFailure(error);
    } finally {
      setIsPublishing(false);
    }
  };
  const state = isDirty ? t('state.unsaved') : isWaiting ? t('state.draft') : t('state.published');
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')} />
      <div className="mt-6 grid gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.15fr)]">
        <form
          noValidate
          aria-label={t('title')}
          className="min-w-0"
          onSubmit={(event) => {
            event.preventDefault();
            if (isDirty && !isSaving && !hasProblems) void editor.save();
          }}
        >
          <div className="sticky top-13 z-20 -mx-1 flex flex-wrap items-center gap-2 border-b border-rule bg-paper/95 px-1 py-3 backdrop-blur-sm">
            <Button type="submit" variant="primary" className="h-9" aria-disabled={!isDirty || isSaving || hasProblems}>
              {isSaving ? t('saving') : t('save')}
            </Button>
            {mayPublish && (
              <Button
                className="h-9 aria-disabled:opacity-40"
                aria-disabled={isDirty || isPublishing || !isWaiting}
                onClick={() => {
                  if (!isDirty && !isPublishing && isWaiting) void publish();
                }}
              >
                {isPublishing ? t('publishing') : t('publish')}
              </Button>
            )}
            {isDirty && (
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
            )}
            {!isDirty && isWaiting && published !== null && (
              <Button
                variant="ghost"
                className="h-9"
                onClick={({ currentTarget }) => {
                  focusSubmitOf(currentTarget);
                  editor.change(() => published);
                }}
              >
                {t('backToPublished')}
              </Button>
            )}
            <output className="text-sm text-ink-2">{state}</output>
          </div>
          {editor.overtaken !== null && (
            <p className="mt-4 flex flex-wrap items-center gap-2 text-sm text-amber">
              {t('stored', { parts: changedParts(editor.overtaken, base).map(partName).join(', ') })}
              <Button onClick={editor.discard}>{t('take')}</Button>
            </p>
          )}
          <Problem text={failure ?? (hasProblems ? t('contrastFirst') : null)} className="mt-4" />
          <DesignForm
            design={draft}
            problems={editor.problems}
            settings={settings}
            onChange={(design) => editor.change(() => design)}
          />
        </form>
        <div className="h-[70vh] min-w-0 lg:sticky lg:top-20 lg:h-[calc(100dvh-8rem)]">
          <DesignPreview
            design={hasProblems ? base : draft}
            isUntouched={isUntouched && !isDirty}
            address={previewHref('/', 'draft')}
          />
        </div>
      </div>
      <UnsavedGuard isDirty={isDirty} title={t('leave.title')} body={t('leave.body')} leave={t('leave.leave')} />
    </>
  );
}
