import { useState } from 'react';
import { toast } from 'sonner';
import { FileButton } from '#components/library/media/file-button';
import type { PictureDetailProps } from '#components/library/media/picture-detail';
import { Button } from '#components/ui/button';
import { ConfirmDialog } from '#components/ui/confirm-dialog';
import { api, paths, type WrittenAsset } from '#lib/api/api-client';
import { toastWithAction } from '#lib/ui/toast-with-action';
import { pictureProblem } from '#lib/library/picture-file';
import { reportFailure } from '#lib/ui/report-failure';
import { libraryStrings } from '#lib/strings/library';
import { sendFile } from '#lib/api/upload-file';
import type { Reference } from '#server/core/content';

const say = libraryStrings.media;

interface PictureActionsProps extends Omit<PictureDetailProps, 'onDirty'> {
  readonly uses: readonly Reference[];
}

/** Another picture in its place, or none; both can be taken back at once. */
export function PictureActions({ asset, uses, onChanged, onClose }: PictureActionsProps) {
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
        toast.success(say.undone);
      });
    toastWithAction(message, say.undo, undo);
  };
  const replace = ([file]: readonly File[]) =>
    attempt(async () => {
      if (!file) return;
      const problem = pictureProblem(file);
      if (problem !== null) throw new Error(problem);
      const replaced = await sendFile<WrittenAsset>(paths.replaceAsset(asset.id), file, () => undefined);
      onChanged(replaced.asset);
      offerUndo(say.replaced, replaced);
    });
  const trash = () =>
    attempt(async () => {
      const trashed = await api.trashAsset(asset.id);
      onChanged(trashed.asset);
      onClose();
      offerUndo(say.trashed, trashed);
    });

  const titles = [...new Set(uses.map(({ from }) => `“${from.title}”`))];
  return (
    <section className="border-t border-rule pt-4">
      <div className="flex flex-wrap gap-2">
        <FileButton label={say.replace} disabled={isBusy} onFiles={(files) => void replace(files)} />
        <Button disabled={isBusy} className="text-red!" onClick={() => setIsAsking(true)}>
          {say.trash}
        </Button>
      </div>
      <p className="mt-2 text-xs text-ink-3">{say.replaceHint}</p>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={say.trashTitle}
        body={titles.length === 0 ? say.trashUnused : say.trashUsed(titles)}
        confirm={say.trash}
        onConfirm={() => void trash()}
      />
    </section>
  );
}
