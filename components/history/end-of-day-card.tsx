import { useEffect, useEffectEvent, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { isReversed } from '#components/history/checkpoints.ts';
import { contentOf, PublishAllDialog, publishTogether } from '#components/editor/page/publish-all-dialog';
import { Button } from '#components/ui/buttons';
import type { Checkpoint } from '#server/core/conversation/history';
import { useMayPublish } from '#components/access/access-client.ts';
import { paths } from '#components/api/paths.ts';
import { useEntries, useIsDesignWaiting } from '#components/workspace/entries.ts';
import { dollars } from '#components/format.ts';
import { useApi } from '#components/api/use-api.ts';
import { useOpened } from '#components/ui/hooks.ts';
import type { Publication } from '#components/workspace/all-entries.ts';

const tDesign = translator('design');
const tHistory = translator('history');

/** The changes of the checkpoints that are in effect. */
const changesInEffect = (checkpoints: readonly Checkpoint[]) =>
  checkpoints.flatMap(({ changes }) => changes).filter((change) => !isReversed(change) && change.action !== 'undo');

/** Ids of the pages and posts that the checkpoints changed; reversed changes do not count. */
function changedEntries(checkpoints: readonly Checkpoint[]): ReadonlySet<string> {
  const ofEntries = changesInEffect(checkpoints).filter(
    ({ targetType }) => targetType === 'page' || targetType === 'post',
  );
  return new Set(ofEntries.map(({ targetId }) => targetId));
}

interface EndOfDayCardProps {
  readonly sessionId: string;
  readonly checkpoints: readonly Checkpoint[];
}

/** Summary of a conversation before the user leaves: changed pages, pages to publish, and costs. */
export function EndOfDayCard({ sessionId, checkpoints }: EndOfDayCardProps) {
  const changed = changedEntries(checkpoints);
  const { entries = [], isWhole, reload } = useEntries();
  const refresh = useEffectEvent(reload);
  // SWR does not repeat a request made a moment ago, but another person may have changed a page since.
  useEffect(() => refresh(), []);
  const { data: context } = useApi(paths.context(sessionId));
  const unpublished = entries.filter(({ id, status }) => changed.has(id) && status !== 'published');
  const elsewhere = entries.filter(({ id, status }) => !changed.has(id) && status !== 'published').length;
  const cost = context?.cost.total ?? null;
  const isDesignWaiting = useIsDesignWaiting();
  const hasDesign = isDesignWaiting && changesInEffect(checkpoints).some(({ targetType }) => targetType === 'design');
  return (
    <section aria-labelledby="leave-title" className="rounded-xl border border-rule bg-sheet p-4">
      <h3 id="leave-title" className="font-serif text-lg">
        {tHistory('leave.title')}
      </h3>
      <ul className="mt-1 text-sm text-ink-2">
        <li>{tHistory('leave.changed', { pages: changed.size })}</li>
        <li>
          {isWhole ? tHistory('leave.waiting', contentOf(unpublished.length, hasDesign)) : tHistory('leave.checking')}
        </li>
        {isWhole && elsewhere > 0 && <li>{tHistory('leave.elsewhere', { pages: elsewhere })}</li>}
        <li>{cost === null ? tHistory('leave.noCost') : tHistory('leave.cost', { dollars: dollars(cost) })}</li>
      </ul>
      {(unpublished.length > 0 || hasDesign) && <Unpublished entries={unpublished} hasDesign={hasDesign} />}
    </section>
  );
}

function Unpublished({ entries, hasDesign }: Publication) {
  const asking = useOpened<Publication>();
  const [isBusy, setIsBusy] = useState(false);
  const mayPublish = useMayPublish();
  const publish = async (chosen: Publication) => {
    setIsBusy(true);
    await publishTogether(chosen);
    setIsBusy(false);
  };
  const opened = asking.opened?.target;
  const rows = [
    ...(hasDesign ? [{ id: 'design', title: tDesign('title'), publication: { entries: [], hasDesign } }] : []),
    ...entries.map((entry) => ({
      id: entry.id,
      title: entry.title,
      publication: { entries: [entry], hasDesign: false },
    })),
  ];
  return (
    <>
      <ul aria-label={tHistory('leave.list')} className="mt-3 divide-y divide-rule border-y border-rule">
        {rows.map(({ id, title, publication }) => (
          <li key={id} className="flex items-center gap-2 py-1.5 text-sm">
            <span className="min-w-0 flex-1 truncate">{title}</span>
            {mayPublish && (
              <Button
                aria-label={tHistory('leave.publishLabel', { title })}
                aria-disabled={isBusy}
                onClick={() => !isBusy && asking.open(publication)}
                className="h-7! px-2! text-xs!"
              >
                {tHistory('leave.publish')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {rows.length > 1 && mayPublish && (
        <Button
          variant="primary"
          aria-disabled={isBusy}
          onClick={() => asking.open({ entries, hasDesign })}
          className="mt-3"
        >
          {tHistory('leave.publishAll')}
        </Button>
      )}
      {opened && (
        <PublishAllDialog publication={opened} onConfirm={() => void publish(opened)} onClose={asking.close} />
      )}
    </>
  );
}
