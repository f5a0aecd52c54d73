import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { toast } from 'sonner';
import { useMayPublish } from '#components/access/access-client.ts';
import { api, type WrittenAsset } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { sendFile } from '#components/api/upload-file.ts';
import { FileButton, pictureProblem } from '#components/library/file-button';
import { thumbnailOf } from '#components/library/media-grid';
import { PictureForm } from '#components/library/picture-form';
import { translator } from '#components/i18n.ts';
import { useBack } from '#components/ui/dialogs/back-button.ts';
import { CopyButton } from '#components/ui/controls/copy-button';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { DialogHeader } from '#components/ui/dialogs/dialogs';
import { focusItself, useReturnFocus } from '#components/ui/focus/focus.ts';
import { fileSize } from '#components/format.ts';
import { Notice } from '#components/ui/notices';
import { keepOpenForToasts, reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import type { Asset, Reference } from '#server/core/site/content';
import { TimeAgo } from '#components/ui/page-parts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('library.media');

interface PictureDialogProps {
  /** Null: closed. */
  readonly pictureId: string | null;
  readonly onClose: () => void;
  /** Called when the list is outdated. */
  readonly onChanged: () => void;
}

/** Everything about one picture, in a sheet over the library. */
export function PictureDialog({ pictureId, onClose, onChanged }: PictureDialogProps) {
  const [isDirty, setIsDirty] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const close = () => (isDirty ? setIsAsking(true) : onClose());
  useBack(pictureId !== null, close);
  return (
    <Dialog.Root open={pictureId !== null} onOpenChange={close}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/35" />
        {pictureId !== null && (
          <Content pictureId={pictureId} onClose={onClose} onChanged={onChanged} onDirty={setIsDirty} />
        )}
      </Dialog.Portal>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('leaveTitle')}
        body={t('leaveBody')}
        confirm={t('leave')}
        onConfirm={onClose}
      />
    </Dialog.Root>
  );
}

interface ContentProps extends PictureDialogProps {
  readonly pictureId: string;
  readonly onDirty: (isDirty: boolean) => void;
}

function Content({ pictureId, onClose, onChanged, onDirty }: ContentProps) {
  const returnFocus = useReturnFocus();
  const { data: asset, error, mutate } = useApi(paths.asset(pictureId));
  return (
    <Dialog.Content
      aria-describedby={undefined}
      onOpenAutoFocus={focusItself}
      onInteractOutside={keepOpenForToasts}
      onCloseAutoFocus={returnFocus}
      className="fixed inset-y-0 right-0 z-40 flex w-full flex-col border-rule sm:border-l bg-sheet shadow-sheet outline-none sm:w-[min(34rem,92vw)]"
    >
      <DialogHeader title={asset?.filename ?? t('title')} isName />
      <div className="min-h-0 flex-1 overflow-y-auto px-5 pt-5 pb-8">
        {asset === undefined ? (
          <Notice title={error ? t('detailFailed') : t('detailLoading')} />
        ) : (
          <PictureDetail
            asset={asset}
            onChanged={(changed) => {
              void mutate(changed, { revalidate: changed === undefined });
              onChanged();
            }}
            onDirty={onDirty}
            onClose={onClose}
          />
        )}
      </div>
    </Dialog.Content>
  );
}

interface ShownPictureProps {
  readonly asset: Asset;
  /** Called with the changed picture; undefined if it must be reloaded. */
  readonly onChanged: (asset: Asset | undefined) => void;
  readonly onClose: () => void;
}

interface PictureDetailProps extends ShownPictureProps {
  /** Reports unsaved changes. */
  readonly onDirty: (isDirty: boolean) => void;
}

/** A picture, its details, its uses, and its actions. */
function PictureDetail({ asset, onChanged, onDirty, onClose }: PictureDetailProps) {
  const { data, error } = useApi(paths.assetUses(asset.id), {
    // Never answered from a recent request: pages are changed elsewhere.
    dedupingInterval: 0,
  });
  const uses = data?.items;
  const mayPublish = useMayPublish();
  return (
    <div className="flex flex-col gap-7">
      <a
        href={asset.url}
        target="_blank"
        rel="noreferrer"
        className="flex max-h-72 min-h-32 items-center justify-center overflow-hidden rounded-lg border border-rule bg-desk"
      >
        <img src={thumbnailOf(asset)} alt={asset.alt || asset.filename} className="max-h-72 object-contain" />
      </a>
      {mayPublish && <PictureForm key={asset.id} asset={asset} onChanged={onChanged} onDirty={onDirty} />}
      <Facts asset={asset} />
      <Uses uses={uses} hasFailed={error !== undefined} />
      {mayPublish ? (
        <PictureActions asset={asset} uses={uses} onChanged={onChanged} onClose={onClose} />
      ) : (
        <p className="text-xs text-ink-3">{t('editorsOnly')}</p>
      )}
    </div>
  );
}

function Facts({ asset }: { readonly asset: Asset }) {
  return (
    <section aria-label={t('facts')} className="border-t border-rule pt-4 text-sm">
      <p className="text-ink-2 tabular-nums">
        {t('dimensions', { width: asset.width, height: asset.height })} · {fileSize(asset.size)} ·{' '}
        {asset.mediaType.replace('image/', '')}
      </p>
      <p className="mt-1 text-ink-2">
        {t('addedAt')} <TimeAgo time={asset.createdAt} />
      </p>
      <p className="mt-1 flex items-center gap-1.5">
        <code title={asset.url} className="min-w-0 truncate text-xs text-ink-2">
          {asset.url}
        </code>
        <CopyButton text={asset.url} label={t('copyAddress')} />
      </p>
    </section>
  );
}

interface UsesProps {
  /** Undefined while unknown. */
  readonly uses: readonly Reference[] | undefined;
  readonly hasFailed: boolean;
}

function Uses({ uses, hasFailed }: UsesProps) {
  return (
    <section className="border-t border-rule pt-4">
      <h3 className="text-sm font-medium">{t('uses')}</h3>
      {uses === undefined || uses.length === 0 ? (
        <p className="mt-1 text-sm text-ink-3">
          {uses !== undefined ? t('unused') : hasFailed ? t('usesFailed') : t('usesLoading')}
        </p>
      ) : (
        <ul className="mt-1.5 space-y-1 text-sm text-ink-2">
          {uses.map(({ from, isPublished }) => (
            <li key={`${from.id} ${from.sectionId ?? ''}`}>
              {t('use', { title: from.title, isPublished: String(isPublished) })}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface PictureActionsProps extends ShownPictureProps {
  /** Undefined while unknown. */
  readonly uses: readonly Reference[] | undefined;
}

/** Buttons to replace the picture or move it to the trash; both can be undone. */
function PictureActions({ asset, uses, onChanged, onClose }: PictureActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const [isBusy, setIsBusy] = useState(false);

  const attempt = async (work: () => Promise<void>) => {
    setIsBusy(true);
    try {
      await work();
    } catch (error) {
      reportFailure(error);
    } finally {
      setIsBusy(false);
    }
  };
  const offerUndo = (message: string, { change }: WrittenAsset) => {
    const undo = () =>
      attempt(async () => {
        await api.undoChange(change.id);
        onChanged(undefined);
        toast.success(t('undone'));
      });
    toastWithAction(message, t('undo'), undo);
  };
  const replace = ([file]: readonly File[]) =>
    attempt(async () => {
      if (!file) return;
      const problem = pictureProblem(file);
      if (problem !== null) throw new Error(problem);
      const replaced = await sendFile(
        '/api/content/media/{id}/replace',
        { params: { id: asset.id } },
        file,
        () => undefined,
      );
      onChanged(replaced.asset);
      offerUndo(t('replaced'), replaced);
    });
  const trash = () =>
    attempt(async () => {
      const trashed = await api.trashAsset(asset.id);
      onChanged(trashed.asset);
      onClose();
      offerUndo(t('trashed'), trashed);
    });

  const titles = [...new Set(uses?.map(({ from }) => `“${from.title}”`))];
  return (
    <section className="border-t border-rule pt-4">
      <div className="flex flex-wrap gap-2">
        <FileButton label={t('replace')} disabled={isBusy} onFiles={(files) => void replace(files)} />
        <Button disabled={isBusy} className="text-red!" onClick={() => setIsAsking(true)}>
          {t('trash')}
        </Button>
      </div>
      <p className="mt-2 text-xs text-ink-3">{t('replaceHint')}</p>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('trashTitle')}
        body={
          uses === undefined
            ? t('trashUnknown')
            : titles.length === 0
              ? t('trashUnused')
              : t('trashUsed', { titles: titles.join(', ') })
        }
        confirm={t('trash')}
        onConfirm={() => void trash()}
      />
    </section>
  );
}
