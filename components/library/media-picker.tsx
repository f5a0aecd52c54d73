import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { MediaGrid, useMedia } from '#components/library/media-grid';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { DialogHeader, DialogLayer } from '#components/ui/dialogs/dialogs';
import { SearchField } from '#components/ui/fields';
import { focusFirstField, useReturnFocus } from '#components/ui/focus/focus.ts';
import { LoadFailed, Notice } from '#components/ui/notices';
import type { Asset } from '#server/core/site/content';

const t = translator('library.media');

interface MediaPickerProps {
  readonly title: string;
  readonly onPick: (asset: Asset) => void;
  readonly onClose: () => void;
}

/** Dialog to choose a picture of the library. */
export function MediaPicker({ title, onPick, onClose }: MediaPickerProps) {
  return (
    <DialogLayer onClose={onClose}>
      <Content title={title} onPick={onPick} />
    </DialogLayer>
  );
}

function Content({ title, onPick }: { readonly title: string; readonly onPick: (asset: Asset) => void }) {
  const returnFocus = useReturnFocus();
  const [q, setQ] = useState('');
  const media = useMedia({ q: q.trim() || undefined });
  const { assets } = media;
  return (
    <Dialog.Content
      aria-describedby={undefined}
      onOpenAutoFocus={focusFirstField}
      onCloseAutoFocus={returnFocus}
      className="fixed top-1/2 left-1/2 z-50 flex h-[min(44rem,calc(100dvh-2rem))] w-[min(52rem,calc(100vw-1.5rem))] -translate-1/2 flex-col rounded-xl border border-rule bg-sheet shadow-sheet outline-none"
    >
      <DialogHeader title={title} />
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
        <SearchField label={t('search')} value={q} onChange={setQ} className="w-full sm:w-72" />
        {media.error ? (
          <LoadFailed title={t('failed')} onRetry={media.reload} />
        ) : assets === undefined ? (
          <Notice title={t('loading')} />
        ) : assets.length === 0 ? (
          <Notice title={q === '' ? t('empty') : t('noMatch')} />
        ) : (
          <MediaGrid
            assets={assets}
            onOpen={(id) => {
              const picked = assets.find((asset) => asset.id === id);
              if (picked) onPick(picked);
            }}
          />
        )}
        {media.hasMore && (
          <div className="mt-6 flex justify-center">
            <Button disabled={media.isLoadingMore} onClick={media.showMore}>
              {t('more')}
            </Button>
          </div>
        )}
      </div>
    </Dialog.Content>
  );
}
