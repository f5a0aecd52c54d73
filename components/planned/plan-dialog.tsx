import { useState } from 'react';
import { AccessDialog } from '#components/access/access-dialog';
import { Button } from '#components/ui/button';
import { TextField } from '#components/ui/field';
import { useSubmit } from '#lib/access/use-submit';
import { type Plannable, planPublication } from '#lib/planned/plan-publication';
import { fromTimeField, timeZone, tomorrowMorning, toTimeField } from '#lib/planned/planned-time';
import { plannedStrings } from '#lib/strings/planned';

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
