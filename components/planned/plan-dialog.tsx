import { useState } from 'react';
import { useSubmit } from '#components/access/access-client';
import { AccessDialog } from '#components/access/access-form';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { showWritten, undoOne } from '#components/changes/undo-actions';
import { changesStrings } from '#components/changes/words';
import { plannedStrings } from '#components/planned/words';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { fromTimeField, plannedTime, timeZone, tomorrowMorning, toTimeField } from '#components/ui/planned-time';
import { toastWithAction } from '#components/ui/toasts';
import type { ChangeSet, EntryType } from '#server/core/content';

const say = plannedStrings;

interface PlanDialogProps {
  readonly entry: Plannable;
  readonly onClose: () => void;
}

/** Asks when a page or post is to be published by itself, or takes that back. */
export function PlanDialog({ entry, onClose }: PlanDialogProps) {
  const { publishAt, title } = entry;
  const [time, setTime] = useState(() => toTimeField(publishAt ?? tomorrowMorning(Date.now())));
  const submit = useSubmit();
  const plan = (chosen: () => number | null) =>
    void submit.run(async () => {
      await planPublication(entry, chosen());
      onClose();
    });
  return (
    <AccessDialog
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
    </AccessDialog>
  );
}

/** @throws Error that says what to enter */
function timeOf(value: string): number {
  const time = fromTimeField(value);
  if (time === null) throw new Error(say.noTime);
  if (time <= Date.now()) throw new Error(say.past);
  return time;
}

/** What of an entry it takes to plan its publication. */
export interface Plannable {
  readonly type: EntryType;
  readonly id: string;
  readonly title: string;
  /** Epoch milliseconds; null: not planned. */
  readonly publishAt: number | null;
}

/** Plans the publication of a draft; null: takes the plan back. @throws ApiError */
export async function planPublication({ type, id, title }: Plannable, publishAt: number | null): Promise<void> {
  const path = `${paths.entry(type, id)}/schedule`;
  const { change } = await api.json<{ readonly change: ChangeSet }>('POST', path, { publishAt });
  showWritten([change]);
  const message = publishAt === null ? say.cancelled(title) : say.done(title, plannedTime(publishAt));
  toastWithAction(message, changesStrings.undo, () => undoOne(change));
}
