import type { MediaPage } from '#components/api/api-client.ts';
import { type MediaFilter, paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { usePreviousData } from '#components/ui/previous-data.ts';
import { useApi, useApiPages } from '#components/api/use-api.ts';
import type { Asset } from '#server/core/site/content';
import type { UsedPicture } from '#server/core/site/site-lists';

const t = translator('library.media');
/** Pictures per request. A choice, not measured. */
const PAGE = 60;

/** The matching pictures, page by page. */
export interface MediaList {
  /** Undefined during the first load. */
  readonly assets: readonly Asset[] | undefined;
  /** Number of pictures on all pages together. */
  readonly total: number;
  /** Error of the first load; undefined: none. */
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly showMore: () => void;
  readonly reload: () => void;
}

/** Pictures of the library that match a filter. */
export function useMedia(filter: MediaFilter): MediaList {
  const { data, error, size, setSize, isValidating, mutate } = useApiPages((index, previous: MediaPage | null) => {
    if (index === 0) return paths.media(filter, PAGE);
    return previous?.nextCursor ? paths.media(filter, PAGE, previous.nextCursor) : null;
  });
  const shown = usePreviousData(data, error);
  return {
    assets: shown?.flatMap(({ items }) => items),
    total: shown?.[0]?.total ?? 0,
    // Loaded pictures stay displayed if they cannot be reloaded.
    error: shown === undefined ? error : undefined,
    hasMore: (data?.at(-1)?.nextCursor ?? null) !== null,
    isLoadingMore: isValidating && (data?.length ?? 0) < size,
    showMore: () => void setSize((data?.length ?? 0) + 1),
    reload: () => void mutate(),
  };
}

/** Pictures that the site shows, also those from elsewhere, with their pages; undefined while loading. */
export function useUsedPictures(): readonly UsedPicture[] | undefined {
  return useApi(paths.usedPictures).data?.items;
}

interface MediaGridProps {
  readonly assets: readonly Asset[];
  /** If set, each tile shows on how many pages its picture is used. */
  readonly used?: readonly UsedPicture[] | undefined;
  readonly onOpen: (id: string) => void;
}

/** Thumbnails, newest first; pictures without a description are marked. */
export function MediaGrid({ assets, used, onOpen }: MediaGridProps) {
  return (
    <ul
      aria-label={t('grid')}
      className="mt-3 grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-x-4 gap-y-6 sm:grid-cols-[repeat(auto-fill,minmax(12rem,1fr))]"
    >
      {assets.map((asset) => (
        <li key={asset.id} ref={passOnFocus} className="animate-rise">
          <Tile
            asset={asset}
            uses={used && (used.find(({ assetId }) => assetId === asset.id)?.uses.length ?? 0)}
            onOpen={() => onOpen(asset.id)}
          />
        </li>
      ))}
    </ul>
  );
}

interface TileProps {
  readonly asset: Asset;
  /** Number of pages; undefined while loading. */
  readonly uses: number | undefined;
  readonly onOpen: () => void;
}

function Tile({ asset, uses, onOpen }: TileProps) {
  const { filename, alt } = asset;
  return (
    <button type="button" onClick={onOpen} className="group block w-full rounded-lg text-left outline-offset-4">
      <span className="flex aspect-[4/3] items-center justify-center overflow-hidden rounded-lg border border-rule bg-desk transition-colors group-hover:border-ink-3">
        <img src={thumbnailOf(asset)} alt="" loading="lazy" decoding="async" className="size-full object-contain" />
      </span>
      <span title={filename} className="mt-2 block truncate text-sm">
        {filename}
      </span>
      {alt === '' ? (
        <span className="mt-0.5 flex items-center gap-1.5 text-xs text-amber">
          <span aria-hidden className="size-1.5 rounded-full bg-amber" />
          {t('undescribed')}
        </span>
      ) : (
        <span title={alt} className="mt-0.5 block truncate text-xs text-ink-3">
          {alt}
        </span>
      )}
      {uses !== undefined && (
        <span className="mt-0.5 block truncate text-xs text-ink-3">
          {uses === 0 ? t('usedNowhere') : t('usedOn', { count: uses })}
        </span>
      )}
    </button>
  );
}

/** Address of the current thumbnail: a replaced file has another version, so that the browser loads it again. */
export function thumbnailOf({ thumbnailUrl, version }: Asset): string {
  return `${thumbnailUrl}&v=${version}`;
}
