import { ArrowUpRight } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import useSWR from 'swr';
import { useMayPublish } from '#components/access/access-client';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { undoOne } from '#components/changes/undo-actions';
import { showWritten } from '#components/desk/content-cache';
import { changesStrings } from '#components/changes/words';
import { usePreviewHref } from '#components/desk/site-of-page';
import { plannedStrings } from '#components/planned/words';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { useOpened } from '#components/ui/hooks';
import { LoadFailed } from '#components/ui/notices';
import { SubmitDialog, useSubmit } from '#components/ui/submit';
import { reportFailure, toastWithAction } from '#components/ui/toasts';
import type { EntryType } from '#server/core/content';
import type { ChangeSet } from '#server/core/changes';
import type { PlannedEntry, PlannedPage } from '#server/core/site-lists';
import { fromTimeField, plannedTime, timeZone, tomorrowMorning, toTimeField } from '#components/ui/times';

const say = plannedStrings;
/** Polling interval for publications and plans made elsewhere; ms. */
const REFRESH_INTERVAL = 15_000;

/** The address of what `PlannedSection` shows. */
export const PLANNED_PATH = '/api/content/planned?limit=20';

/** Planned publications, next one first; renders nothing if there are none. */
export function PlannedSection() {
  const { data, error, mutate } = useSWR<PlannedPage, Error>(PLANNED_PATH, {
    refreshInterval: REFRESH_INTERVAL,
  });
  const dialog = useOpened<PlannedEntry>();
  if (error !== undefined && data === undefined) {
    return <LoadFailed title={say.list.failed} onRetry={() => void mutate()} />;
  }
  if (data === undefined || data.total === 0) return null;
  const more = data.total - data.items.length;
  return (
    <section aria-labelledby="planned" className="pt-8">
      <h2
        id="planned"
        className="flex items-baseline gap-3 border-b border-rule-strong pb-1.5 font-serif text-lg font-medium"
      >
        {say.list.title}
        <span className="font-sans text-sm font-normal text-ink-3 tabular-nums">{say.list.count(data.total)}</span>
      </h2>
      <ul className="divide-y divide-rule">
        {data.items.map((entry) => (
          <PlannedRow key={entry.id} entry={entry} onChange={() => dialog.open(entry)} />
        ))}
      </ul>
      {more > 0 && <p className="pt-3 text-sm text-ink-3">{say.list.more(more)}</p>}
      {dialog.opened && <PlanDialog entry={dialog.opened.target} onClose={dialog.close} />}
    </section>
  );
}

function PlannedRow({ entry, onChange }: { readonly entry: PlannedEntry; readonly onChange: () => void }) {
  const previewHref = usePreviewHref();
  const { type, title, path, status, publishAt, isPlanOlder, problem } = entry;
  const mayPublish = useMayPublish();
  return (
    <li ref={passOnFocus} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <Link
          href={previewHref(path, 'draft')}
          prefetch={false}
          className="inline-flex max-w-full items-center gap-0.5 text-base font-medium hover:text-accent"
        >
          <span className="truncate">{title}</span>
          <ArrowUpRight aria-hidden className="size-3.5 shrink-0 stroke-[1.75]" />
        </Link>
        <p className="flex flex-wrap gap-x-3 text-sm text-ink-2">
          <time dateTime={new Date(publishAt).toISOString()}>{plannedTime(publishAt)}</time>
          <span className="text-ink-3">{say.list.types[type]}</span>
          {status === 'changed' && <span className="text-ink-3">{say.list.update}</span>}
          {isPlanOlder && <span className="text-ink-3">{say.list.older}</span>}
        </p>
        {problem !== null && <p className="mt-1 text-sm text-red">{say.list.late(problem)}</p>}
      </div>
      {mayPublish && (
        <div className="flex gap-2">
          <Button aria-label={say.list.changeLabel(title)} onClick={onChange}>
            {say.list.change}
          </Button>
          <Button
            variant="ghost"
            aria-label={say.list.cancelLabel(title)}
            onClick={() => void planPublication(entry, null).catch(reportFailure)}
          >
            {say.list.cancel}
          </Button>
        </div>
      )}
    </li>
  );
}

interface PlanDialogProps {
  readonly entry: Plannable;
  /** Asks whether to publish it now. Absent: that is not offered here. */
  readonly onPublish?: () => void;
  readonly onClose: () => void;
}

/** Dialog to plan the publication of a page or post, to cancel it, or to publish it now. */
export function PlanDialog({ entry, onPublish, onClose }: PlanDialogProps) {
  const { publishAt, title } = entry;
  const [time, setTime] = useState(() => toTimeField(publishAt ?? tomorrowMorning(Date.now())));
  const submit = useSubmit();
  const plan = (chosen: () => number | null) =>
    void submit.run(async () => {
      await planPublication(entry, chosen());
      onClose();
    });
  return (
    <SubmitDialog
      title={say.title(title)}
      save={say.save}
      saving={say.saving}
      submit={submit}
      onSubmit={() => plan(() => timeOf(time))}
      onClose={onClose}
    >
      <TextField
        label={say.time}
        hint={say.hint(timeZone())}
        type="datetime-local"
        required
        value={time}
        onChange={setTime}
      />
      {publishAt !== null && (
        <Button className="self-start" disabled={submit.isBusy} onClick={() => plan(() => null)}>
          {say.cancelPlan}
        </Button>
      )}
      {onPublish && (
        <Button
          className="self-start"
          disabled={submit.isBusy}
          onClick={() => {
            onClose();
            onPublish();
          }}
        >
          {say.now.instead}
        </Button>
      )}
    </SubmitDialog>
  );
}

/** @throws Error that says what to enter */
function timeOf(value: string): number {
  const time = fromTimeField(value);
  if (time === null) throw new Error(say.noTime);
  if (time <= Date.now()) throw new Error(say.past);
  return time;
}

/** Facts about an entry needed to plan its publication. */
export interface Plannable {
  readonly type: EntryType;
  readonly id: string;
  readonly title: string;
  /** Epoch milliseconds; null: not planned. */
  readonly publishAt: number | null;
}

/** Plans the publication of a draft; null: takes the plan back. @throws ApiError */
async function planPublication({ type, id, title }: Plannable, publishAt: number | null): Promise<void> {
  const path = `${paths.entry(type, id)}/schedule`;
  const { change } = await api.json<{ readonly change: ChangeSet }>('POST', path, { publishAt });
  showWritten([change]);
  const message = publishAt === null ? say.cancelled(title) : say.done(title, plannedTime(publishAt));
  toastWithAction(message, changesStrings.undo, () => undoOne(change));
}
