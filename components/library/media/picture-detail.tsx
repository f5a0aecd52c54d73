import useSWR from 'swr';
import { PictureActions } from '#components/library/media/picture-actions';
import { PictureForm } from '#components/library/media/picture-form';
import { TimeAgo } from '#components/admin/time-ago';
import { CopyButton } from '#components/ui/copy-button';
import { paths } from '#lib/api/api-client';
import { thumbnailOf } from '#lib/library/thumbnail';
import { libraryStrings } from '#lib/strings/library';
import type { Asset, Reference } from '#server/core/content';

const say = libraryStrings.media;

export interface PictureDetailProps {
  readonly asset: Asset;
  /** It is another now; undefined: it has to be read again. */
  readonly onChanged: (asset: Asset | undefined) => void;
  /** Told whether something of what is said of it is not saved. */
  readonly onDirty: (isDirty: boolean) => void;
  readonly onClose: () => void;
}

/** A picture, what is said of it, where it is shown, and what can be done with it. */
export function PictureDetail({ asset, onChanged, onDirty, onClose }: PictureDetailProps) {
  const { data } = useSWR<{ readonly items: readonly Reference[] }, unknown>(paths.assetUses(asset.id), {
    // Pages are changed elsewhere: what was read a moment ago need not hold.
    dedupingInterval: 0,
  });
  const uses = data?.items;
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
      <PictureForm key={asset.id} asset={asset} onChanged={onChanged} onDirty={onDirty} />
      <Facts asset={asset} />
      <Uses uses={uses} />
      <PictureActions asset={asset} uses={uses ?? []} onChanged={onChanged} onClose={onClose} />
    </div>
  );
}

function Facts({ asset }: { readonly asset: Asset }) {
  return (
    <section aria-label={say.facts} className="border-t border-rule pt-4 text-sm">
      <p className="text-ink-2 tabular-nums">
        {say.dimensions(asset.width, asset.height)} · {say.bytes(asset.size)} · {asset.mediaType.replace('image/', '')}
      </p>
      <p className="mt-1 text-ink-2">
        {say.addedAt} <TimeAgo time={asset.createdAt} />
      </p>
      <p className="mt-1 flex items-center gap-1.5">
        <code title={asset.url} className="min-w-0 truncate text-xs text-ink-2">
          {asset.url}
        </code>
        <CopyButton text={asset.url} label={say.copyAddress} />
      </p>
    </section>
  );
}

function Uses({ uses }: { readonly uses: readonly Reference[] | undefined }) {
  return (
    <section className="border-t border-rule pt-4">
      <h3 className="text-sm font-medium">{say.uses}</h3>
      {uses === undefined || uses.length === 0 ? (
        <p className="mt-1 text-sm text-ink-3">{uses === undefined ? say.usesLoading : say.unused}</p>
      ) : (
        <ul className="mt-1.5 space-y-1 text-sm text-ink-2">
          {uses.map(({ from, isPublished }) => (
            <li key={`${from.id} ${from.sectionId ?? ''}`}>{say.use(from.title, isPublished)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
