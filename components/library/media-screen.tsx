'use client';

import clsx from 'clsx';
import { FileX, ImageOff, ImagePlus, Images, RotateCw, X } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { toast } from 'sonner';
import { contentChanged } from '#components/workspace/content-cache.ts';
import { useAddressQuery } from '#components/workspace/address-query.ts';
import { LIBRARY_MEDIA_PATH, replacePath } from '#components/workspace/navigation.ts';
import { FileButton } from '#components/library/file-button';
import { PictureDialog } from '#components/library/picture-dialog';
import { MediaGrid, type MediaList, useMedia, useUsedPictures } from '#components/library/media-grid';
import type { Upload } from '#components/library/upload-queue.ts';
import { type Uploads, useUploads } from '#components/library/use-uploads.ts';
import { translator } from '#components/i18n.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { useFirst } from '#components/ui/hooks.ts';
import { useDroppedFiles, DropSheet } from '#components/ui/dropped-files';
import { SearchField } from '#components/ui/fields';
import { fileSize } from '#components/format.ts';
import { LoadFailed, Notice } from '#components/ui/notices';
import { PageTitle, Section } from '#components/ui/page-parts';
import { useTypedSearch } from '#components/ui/typed-search.ts';
import type { UsedPicture } from '#server/core/site/site-lists';

const t = translator('library.media');

/** The media library: every picture of the site, and uploads from this computer. */
export function MediaScreen() {
  const [query, replaceAddress] = useAddressQuery();
  const view = viewOf(query);
  const setView = (wanted: MediaView) => replaceAddress(addressOf(wanted));
  const media = useMedia({
    q: view.q || undefined,
    missingAlt: view.undescribedOnly ? '1' : undefined,
    unused: view.unusedOnly ? '1' : undefined,
  });
  const used = useUsedPictures();
  const pictureId = query.get('picture');
  const changed = () => {
    media.reload();
    contentChanged();
  };
  const { add, ...uploads } = useUploads((count) => {
    changed();
    toast.success(t('added', { count }));
  });
  const isOver = useDroppedFiles(add);
  usePastedPictures(add);

  const { assets } = media;
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')}>
        <FileButton label={t('add')} variant="primary" isMultiple onFiles={add} />
      </PageTitle>
      <MediaTools view={view} onView={setView} />
      <UploadList uploads={uploads} />
      {assets === undefined || assets.length === 0 || media.error ? (
        <MediaNotice media={media} view={view} onShowAll={() => setView(ALL)} />
      ) : (
        <>
          <output className="mt-6 block text-xs text-ink-2">{t('count', { count: media.total })}</output>
          <MediaGrid assets={assets} used={used} onOpen={(id) => replacePath(addressOf(view, id))} />
          {media.hasMore && (
            <div className="mt-8 flex justify-center">
              <Button disabled={media.isLoadingMore} onClick={media.showMore}>
                {t('more')}
              </Button>
            </div>
          )}
        </>
      )}
      <OutsidePictures used={used} />
      <PictureDialog pictureId={pictureId} onClose={() => closePicture(pictureId)} onChanged={changed} />
      {isOver && <DropSheet over="page" icon={<ImagePlus aria-hidden />} title={t('drop')} hint={t('dropHint')} />}
    </>
  );
}

/** Closes a picture, unless another picture or page has been opened since. */
function closePicture(id: string | null): void {
  const query = new URLSearchParams(window.location.search);
  if (query.get('picture') === id) replacePath(addressOf(viewOf(query)));
}

/** Uploads a picture that is pasted anywhere on the page except in a text field. */
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

interface MediaNoticeProps {
  readonly media: MediaList;
  readonly view: MediaView;
  readonly onShowAll: () => void;
}

/** Notice shown instead of the pictures. */
function MediaNotice({ media: { assets, error, reload }, view, onShowAll }: MediaNoticeProps) {
  if (error) return <LoadFailed title={t('failed')} onRetry={reload} />;
  if (assets === undefined) return <Notice title={t('loading')} />;
  if (view.q !== '' || view.undescribedOnly || view.unusedOnly) {
    const title = view.q !== '' ? t('noMatch') : view.unusedOnly ? t('allUsed') : t('allDescribed');
    return <Notice title={title} action={{ label: t('showAll'), run: onShowAll }} />;
  }
  return (
    <div className="mt-8 rounded-xl border border-dashed border-rule-strong py-10">
      <Notice
        title={t('empty')}
        body={t('emptyBody')}
        icon={<Images aria-hidden className="mb-2 size-7 stroke-[1.25] text-ink-3" />}
      />
    </div>
  );
}

/** Filters of the media library. */
interface MediaView {
  readonly q: string;
  readonly undescribedOnly: boolean;
  readonly unusedOnly: boolean;
}

const ALL: MediaView = { q: '', undescribedOnly: false, unusedOnly: false };

function viewOf(query: URLSearchParams): MediaView {
  return {
    q: query.get('q') ?? '',
    undescribedOnly: query.get('filter')?.includes('undescribed') === true,
    unusedOnly: query.get('filter')?.includes('unused') === true,
  };
}

/** Address of the library with a search, and one picture open; null: none. */
function addressOf({ q, undescribedOnly, unusedOnly }: MediaView, pictureId: string | null = null): string {
  const filter = [...(undescribedOnly ? ['undescribed'] : []), ...(unusedOnly ? ['unused'] : [])].join(',');
  const query = new URLSearchParams({
    ...(q !== '' && { q }),
    ...(filter !== '' && { filter }),
    ...(pictureId !== null && { picture: pictureId }),
  }).toString();
  return query === '' ? LIBRARY_MEDIA_PATH : `${LIBRARY_MEDIA_PATH}?${query}`;
}

interface MediaToolsProps {
  readonly view: MediaView;
  readonly onView: (view: MediaView) => void;
}

/** Search by text, and filters for pictures without a description or use. */
function MediaTools({ view, onView }: MediaToolsProps) {
  const [text, setText] = useTypedSearch(view.q, (q) => onView({ ...view, q }));
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-3">
      <SearchField label={t('search')} value={text} onChange={setText} className="w-full sm:w-72" />
      {(['undescribedOnly', 'unusedOnly'] as const).map((filter) => (
        <label key={filter} className="flex items-center gap-2 text-sm text-ink-2">
          <input
            type="checkbox"
            checked={view[filter]}
            onChange={({ target }) => onView({ ...view, [filter]: target.checked })}
            className="size-4 accent-accent"
          />
          {t(filter)}
        </label>
      ))}
    </search>
  );
}

/** Running and failed uploads. */
function UploadList({ uploads: { uploads, retry, dismiss } }: { readonly uploads: Omit<Uploads, 'add'> }) {
  if (uploads.length === 0) return null;
  return (
    <ul aria-label={t('uploads')} className="mt-6 divide-y divide-rule rounded-lg border border-rule bg-sheet">
      {uploads.map((upload) => (
        <Row key={upload.id} upload={upload} onRetry={() => retry(upload.id)} onDismiss={() => dismiss(upload.id)} />
      ))}
    </ul>
  );
}

interface RowProps {
  readonly upload: Upload;
  readonly onRetry: () => void;
  readonly onDismiss: () => void;
}

function Row({ upload: { file, thumbnail, state, progress, error }, onRetry, onDismiss }: RowProps) {
  const isFailed = state === 'failed';
  return (
    <li className="relative flex min-h-14 items-center gap-3 overflow-hidden px-3 py-2">
      {thumbnail === null || isFailed ? (
        <span className="flex size-10 shrink-0 items-center justify-center rounded-md bg-ink/5 text-ink-3">
          <FileX aria-hidden className="size-4.5 stroke-[1.5]" />
        </span>
      ) : (
        <img src={thumbnail} alt="" className="size-10 shrink-0 rounded-md bg-ink/5 object-cover" />
      )}
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm">{file.name}</p>
        <p role={isFailed ? 'alert' : undefined} className={clsx('text-xs', isFailed ? 'text-red' : 'text-ink-3')}>
          {error ?? (state === 'waiting' ? t('waiting') : fileSize(file.size))}
        </p>
      </div>
      {isFailed && (
        <>
          {thumbnail !== null && (
            <IconButton label={t('again', { filename: file.name })} icon={<RotateCw aria-hidden />} onClick={onRetry} />
          )}
          <IconButton label={t('dismiss', { filename: file.name })} icon={<X aria-hidden />} onClick={onDismiss} />
        </>
      )}
      {state === 'sending' && (
        <progress
          aria-label={t('uploading', { filename: file.name })}
          value={progress}
          className="absolute inset-x-0 bottom-0 h-0.5 w-full appearance-none [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-rule [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[width]"
        />
      )}
    </li>
  );
}

/** Number of pictures shown at first. A choice, not measured. */
const INITIAL_PICTURES = 24;

/** Pictures that pages show but the library does not contain; renders nothing if there are none. */
function OutsidePictures({ used = [] }: { readonly used?: readonly UsedPicture[] | undefined }) {
  const outside = used.flatMap(({ src, uses }) => (src === null ? [] : [{ src, uses }]));
  const { shown, hidden, showAll } = useFirst(outside, INITIAL_PICTURES);
  if (outside.length === 0) return null;
  return (
    <Section title={t('outside')} intro={t('outsideIntro')}>
      <ul
        aria-label={t('outside')}
        className="grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-x-4 gap-y-6 sm:grid-cols-[repeat(auto-fill,minmax(12rem,1fr))]"
      >
        {shown.map(({ src, uses }) => (
          <li key={src}>
            <span className="flex aspect-[4/3] items-center justify-center overflow-hidden rounded-lg border border-rule bg-desk">
              {src.startsWith('/') ? (
                <img src={src} alt="" loading="lazy" decoding="async" className="size-full object-contain" />
              ) : (
                // Not loaded, so that no other server learns that this page is being viewed.
                <ImageOff aria-hidden className="size-6 stroke-[1.25] text-ink-3" />
              )}
            </span>
            <span title={src} className="mt-2 block truncate text-sm">
              {src}
            </span>
            <span className="mt-0.5 block text-xs text-ink-3">
              {t('outsideUses', { titles: [...new Set(uses.map(({ title }) => title))].join(', ') })}
            </span>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button className="mt-6" onClick={showAll}>
          {t('outsideMore', { count: hidden })}
        </Button>
      )}
    </Section>
  );
}
