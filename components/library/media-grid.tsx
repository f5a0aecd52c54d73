import { libraryStrings } from '#components/library/words';
import { passOnFocus } from '#components/ui/focus';
import type { Asset } from '#server/core/content';

interface MediaGridProps {
  readonly assets: readonly Asset[];
  readonly onOpen: (id: string) => void;
}

/** Thumbnails, newest first; what nobody has described is marked. */
export function MediaGrid({ assets, onOpen }: MediaGridProps) {
  return (
    <ul
      aria-label={libraryStrings.media.grid}
      className="mt-3 grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-x-4 gap-y-6 sm:grid-cols-[repeat(auto-fill,minmax(12rem,1fr))]"
    >
      {assets.map((asset) => (
        <li key={asset.id} ref={passOnFocus} className="animate-rise">
          <Tile asset={asset} onOpen={onOpen} />
        </li>
      ))}
    </ul>
  );
}

function Tile({ asset, onOpen }: { readonly asset: Asset; readonly onOpen: MediaGridProps['onOpen'] }) {
  const { id, filename, alt } = asset;
  return (
    <button
      type="button"
      onClick={() => onOpen(id)}
      className="group block w-full rounded-lg text-left outline-offset-4"
    >
      <span className="flex aspect-[4/3] items-center justify-center overflow-hidden rounded-lg border border-rule bg-desk transition-colors group-hover:border-ink-3">
        <img src={thumbnailOf(asset)} alt="" loading="lazy" decoding="async" className="size-full object-contain" />
      </span>
      <span title={filename} className="mt-2 block truncate text-sm">
        {filename}
      </span>
      {alt === '' ? (
        <span className="mt-0.5 flex items-center gap-1.5 text-xs text-amber">
          <span aria-hidden className="size-1.5 rounded-full bg-amber" />
          {libraryStrings.media.undescribed}
        </span>
      ) : (
        <span title={alt} className="mt-0.5 block truncate text-xs text-ink-3">
          {alt}
        </span>
      )}
    </button>
  );
}

/** The small picture as it is now: after a replacement the page must not go on showing the former one. */
export function thumbnailOf({ thumbnailUrl, version }: Asset): string {
  return `${thumbnailUrl}&v=${version}`;
}
