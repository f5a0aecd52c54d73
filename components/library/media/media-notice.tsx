import { Images } from 'lucide-react';
import type { MediaView } from '#components/library/media/media-tools';
import { Notice } from '#components/ui/notice';
import type { MediaList } from '#lib/library/use-media';
import { libraryStrings } from '#lib/strings/library';

const say = libraryStrings.media;

interface MediaNoticeProps {
  readonly media: MediaList;
  readonly view: MediaView;
  readonly onShowAll: () => void;
}

/** What is said in the place of pictures. */
export function MediaNotice({ media: { assets, error, reload }, view, onShowAll }: MediaNoticeProps) {
  if (error) return <Notice title={say.failed} action={{ label: say.retry, run: reload }} />;
  if (assets === undefined) return <Notice title={say.loading} />;
  if (view.q !== '' || view.undescribedOnly) {
    const title = view.q === '' ? say.allDescribed : say.noMatch;
    return <Notice title={title} action={{ label: say.showAll, run: onShowAll }} />;
  }
  return (
    <div className="mt-8 rounded-xl border border-dashed border-rule-strong py-10">
      <Notice
        title={say.empty}
        body={say.emptyBody}
        icon={<Images aria-hidden className="mb-2 size-7 stroke-[1.25] text-ink-3" />}
      />
    </div>
  );
}
