'use client';

import { ImagePlus } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { useEffect, useEffectEvent, useState } from 'react';
import { toast } from 'sonner';
import { PageTitle } from '#components/admin/page-title';
import { FileButton } from '#components/library/media/file-button';
import { MediaGrid } from '#components/library/media/media-grid';
import { MediaNotice } from '#components/library/media/media-notice';
import { MediaTools, type MediaView } from '#components/library/media/media-tools';
import { PictureDialog } from '#components/library/media/picture-dialog';
import { UploadList } from '#components/library/media/upload-list';
import { Button } from '#components/ui/button';
import { DropSheet } from '#components/ui/drop-sheet';
import { contentChanged } from '#lib/changes/content-cache';
import { useMedia } from '#lib/library/use-media';
import { useUploads } from '#lib/library/use-uploads';
import { LIBRARY_MEDIA_PATH, libraryPicturePath, replacePath } from '#lib/desk/navigation';
import { libraryStrings } from '#lib/strings/library';
import { useDroppedFiles } from '#lib/chat/use-dropped-files';

const say = libraryStrings.media;

/** The media library: every picture of the site, and new ones from this computer. */
export function MediaScreen() {
  const [view, setView] = useState<MediaView>({ q: '', undescribedOnly: false });
  const media = useMedia({ q: view.q || undefined, missingAlt: view.undescribedOnly ? '1' : undefined });
  const pictureId = useSearchParams().get('picture');
  const changed = () => {
    media.reload();
    contentChanged();
  };
  const { add, ...uploads } = useUploads((taken) => {
    changed();
    toast.success(say.added(taken));
  });
  const isOver = useDroppedFiles(add);
  usePastedPictures(add);

  const { assets } = media;
  return (
    <>
      <PageTitle title={say.title} intro={say.intro}>
        <FileButton label={say.add} variant="primary" isMultiple onFiles={add} />
      </PageTitle>
      <MediaTools view={view} onView={setView} />
      <UploadList uploads={uploads} />
      {assets === undefined || assets.length === 0 || media.error ? (
        <MediaNotice media={media} view={view} onShowAll={() => setView({ q: '', undescribedOnly: false })} />
      ) : (
        <>
          <output className="mt-6 block text-xs text-ink-2">{say.count(media.total)}</output>
          <MediaGrid assets={assets} onOpen={(id) => replacePath(libraryPicturePath(id))} />
          {media.hasMore && (
            <div className="mt-8 flex justify-center">
              <Button disabled={media.isLoadingMore} onClick={media.showMore}>
                {say.more}
              </Button>
            </div>
          )}
        </>
      )}
      <PictureDialog pictureId={pictureId} onClose={() => closePicture(pictureId)} onChanged={changed} />
      {isOver && <DropSheet over="page" icon={<ImagePlus aria-hidden />} title={say.drop} hint={say.dropHint} />}
    </>
  );
}

/** Not another one, that was opened while something was done with this one, nor another page. */
function closePicture(id: string | null): void {
  if (new URLSearchParams(window.location.search).get('picture') === id) replacePath(LIBRARY_MEDIA_PATH);
}

/** A picture that was copied elsewhere is added wherever on the page it is pasted, but into a field of text. */
function usePastedPictures(onFiles: (files: readonly File[]) => void): void {
  const paste = useEffectEvent(onFiles);
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      paste(files);
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, []);
}
