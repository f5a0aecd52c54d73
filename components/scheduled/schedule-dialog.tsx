import { useState } from 'react';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { SubmitDialog, useSubmit } from '#components/ui/dialogs/submit';
import { fromTimeField, timeZone, tomorrowMorning, toTimeField } from '#components/ui/times.ts';
import { translator } from '#components/i18n.ts';
import { planPublication, type Schedulable } from '#components/scheduled/plan-publication.ts';

const t = translator('scheduled');

interface ScheduleDialogProps {
  readonly entry: Schedulable;
  /** Opens the dialog to publish it now. Absent if not offered here. */
  readonly onPublish?: () => void;
  readonly onClose: () => void;
}

/** Dialog to schedule or cancel the publication of a page or post, or to publish it now. */
export function ScheduleDialog({ entry, onPublish, onClose }: ScheduleDialogProps) {
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
      title={t('title', { title })}
      save={t('save')}
      saving={t('saving')}
      submit={submit}
      onSubmit={() => plan(() => timeOf(time))}
      onClose={onClose}
    >
      <TextField
        label={t('time')}
        hint={t('hint', { zone: timeZone() })}
        type="datetime-local"
        required
        value={time}
        onChange={setTime}
      />
      {publishAt !== null && (
        <Button className="self-start" disabled={submit.isBusy} onClick={() => plan(() => null)}>
          {t('cancelSchedule')}
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
          {t('now.instead')}
        </Button>
      )}
    </SubmitDialog>
  );
}

/** @throws Error with a message about what to enter */
function timeOf(value: string): number {
  const time = fromTimeField(value);
  if (time === null) throw new Error(t('noTime'));
  if (time <= Date.now()) throw new Error(t('past'));
  return time;
}
