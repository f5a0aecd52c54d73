import { Dialog } from 'radix-ui';
import { useState } from 'react';
import useSWR from 'swr';
import { PictureDetail } from '#components/library/media/picture-detail';
import { ConfirmDialog } from '#components/ui/confirm-dialog';
import { DialogHeader } from '#components/ui/dialog-header';
import { Notice } from '#components/ui/notice';
import { paths } from '#lib/api/api-client';
import { focusItself } from '#lib/focus/focus-itself';
import { keepOpenForToasts } from '#lib/ui/keep-open-for-toasts';
import { libraryStrings } from '#lib/strings/library';
import { useReturnFocus } from '#lib/focus/use-return-focus';
import type { Asset } from '#server/core/content';

const say = libraryStrings.media;

interface PictureDialogProps {
  /** Null: closed. */
  readonly pictureId: string | null;
  readonly onClose: () => void;
  /** Something that the list shows is different now. */
  readonly onChanged: () => void;
}

/** Everything about one picture, in a sheet over the library. */
export function PictureDialog({ pictureId, onClose, onChanged }: PictureDialogProps) {
  const [isDirty, setIsDirty] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Dialog.Root open={pictureId !== null} onOpenChange={() => (isDirty ? setIsAsking(true) : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/35" />
        {pictureId !== null && (
          <Content pictureId={pictureId} onClose={onClose} onChanged={onChanged} onDirty={setIsDirty} />
        )}
      </Dialog.Portal>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={say.leaveTitle}
        body={say.leaveBody}
        confirm={say.leave}
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
  const { data: asset, error, mutate } = useSWR<Asset, unknown>(paths.asset(pictureId));
  return (
    <Dialog.Content
      aria-describedby={undefined}
      onOpenAutoFocus={focusItself}
      onInteractOutside={keepOpenForToasts}
      onCloseAutoFocus={returnFocus}
      className="fixed inset-y-0 right-0 z-40 flex w-full flex-col border-rule sm:border-l bg-sheet shadow-sheet outline-none sm:w-[min(34rem,92vw)]"
    >
      <DialogHeader title={asset?.filename ?? say.title} isName />
      <div className="min-h-0 flex-1 overflow-y-auto px-5 pt-5 pb-8">
        {asset === undefined ? (
          <Notice title={error ? say.detailFailed : say.detailLoading} />
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
